//! Programs from crates.io that some steps need: each is built once, into the target folder.
//!
//! A compiler works for minutes on them, and most of the steps before leave the processors idle for as long. So a run of
//! all steps builds them beside its first ones, with what time nobody else wants; and then what its last steps build in
//! folders of their own, where nobody waits for cargo's lock meanwhile.

use crate::shell::{self, Shell, has};
use crate::test::firefox;
use crate::test::fuzz;
use crate::test::nextest;
use crate::test::wasm_test;
use anyhow::{Context, Result};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program of the name of its crate, at one version.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Purpose of the tool, shown behind its name.
    pub(crate) about: &'static str,
}

impl Tool {
    /// Returns the path of the tool, which is built if necessary.
    pub(crate) fn program(&self, shell: &Shell) -> Result<PathBuf> {
        let folder = self.folder(shell);
        let program = folder
            .join("bin")
            .join(self.name)
            .with_extension(env::consts::EXE_EXTENSION);
        if program.exists() {
            return Ok(program);
        }
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        // Whoever builds it already does so for us, too.
        lock.lock()?;
        if !program.exists() {
            self.build(shell, &folder)?;
        }
        Ok(program)
    }

    fn folder(&self, shell: &Shell) -> PathBuf {
        shell.target(&format!("tools/{}-{}", self.name, self.version))
    }

    fn build(&self, shell: &Shell, folder: &Path) -> Result<()> {
        let Self {
            name,
            version,
            about,
        } = self;
        shell.say(&format!(
            "building {name}, {about} (once, one to five minutes)"
        ));
        let scraps = folder.join("build");
        let mut install = shell.cargo(&format!(
            "install --quiet --locked --debug --no-track --version ={version} {name} --root"
        ));
        install.arg(folder).arg("--target-dir").arg(&scraps);
        shell.run(install.env("CARGO_PROFILE_DEV_DEBUG", "0"))?;
        fs::remove_dir_all(&scraps).with_context(|| format!("cannot remove {}", scraps.display()))
    }
}

/// Builds all that this computer has not.
pub(crate) fn all(shell: &Shell) -> Result<()> {
    nextest::install(shell)?;
    firefox::driver(shell)?;
    // What is tested meanwhile has the other processor to itself.
    let shell = &Shell::with_one_compiler();
    fuzz::build(shell)?;
    wasm_test::build(shell)?;
    wasm_test::clippy(shell)
}

/// Another process that builds tools; it ends with this value.
pub(crate) struct Beside(Option<Child>);

impl Beside {
    /// Starts it, where a process can be told to stand back. What it does not come to is built when it is needed.
    pub(crate) fn start(shell: &Shell) -> Self {
        if !has("nice") {
            return Self(None);
        }
        Self(
            Self::command(shell)
                .and_then(|mut command| Ok(command.spawn()?))
                .ok(),
        )
    }

    fn command(shell: &Shell) -> Result<Command> {
        let log = File::create(shell.scratch()?.join("tools.log"))?;
        let program = env::current_exe()?;
        let mut command = shell.command("nice", &["-n", "19"]);
        command.arg(program).arg("tools");
        command
            .stdin(Stdio::null())
            .stderr(log.try_clone()?)
            .stdout(log);
        shell::lead_a_group(&mut command);
        Ok(command)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            shell::kill(child);
        }
    }
}
