//! A root file system that holds one interpreter or a few programs, the C library, and nothing else.

use crate::shell::Shell;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bare machine: its files, its home directory, and the environment of its programs.
pub(crate) struct Bare<'a> {
    shell: &'a Shell,
    home: PathBuf,
    /// Files and folders of this machine that are visible, each with its place inside.
    shown: BTreeSet<(PathBuf, PathBuf)>,
    board: Option<PathBuf>,
    variables: Vec<(&'static str, String)>,
}

impl<'a> Bare<'a> {
    /// A machine with an empty home directory, and no program.
    pub(crate) fn new(shell: &'a Shell, home: PathBuf) -> Result<Self> {
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(&home)?;
        Ok(Self {
            shell,
            home,
            shown: BTreeSet::new(),
            board: None,
            variables: Vec::new(),
        })
    }

    /// Adds a program by its name on the PATH, with the libraries that it needs.
    pub(crate) fn program(&mut self, name: &str) -> Result<()> {
        let path = find(name)?;
        self.libraries(&path)?;
        self.shown.insert((path, Path::new(PROGRAMS).join(name)));
        Ok(())
    }

    /// Adds a file or a folder where it is here.
    pub(crate) fn show(&mut self, path: PathBuf) {
        self.shown.insert((path.clone(), path));
    }

    /// Adds the libraries that a program or library needs.
    pub(crate) fn libraries(&mut self, of: &Path) -> Result<()> {
        let list = self.shell.command("ldd", &[]).arg(of).output()?;
        // Statically linked programs need none, of which ldd makes a failure.
        let list = String::from_utf8_lossy(&list.stdout).into_owned();
        let paths = list.split_whitespace().filter(|word| word.starts_with('/'));
        for path in paths.map(|path| PathBuf::from(path.trim_end_matches(':'))) {
            if path.is_file() && path != of {
                self.shown.insert((path.canonicalize()?, path));
            }
        }
        Ok(())
    }

    /// Lets a board in, as `/dev/board`.
    pub(crate) fn plug(&mut self, pty: &Path) {
        self.board = Some(pty.to_owned());
    }

    /// Sets a variable in the environment of every program.
    pub(crate) fn set(&mut self, name: &'static str, value: String) {
        self.variables.push((name, value));
    }

    /// Runs a program in the home directory and returns its output.
    pub(crate) fn run(&self, words: &[&str]) -> Result<String> {
        let mut command = self.command();
        let output = command
            .args(words)
            .output()
            .context("cannot start bwrap: run `cargo xtask setup`")?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (said(&output.stdout), said(&output.stderr));
        self.shell
            .note(&format!("$ {}\n{stdout}{stderr}", words.join(" ")))?;
        ensure!(
            output.status.success(),
            "{}: {}\n{stderr}",
            words.join(" "),
            output.status
        );
        Ok(stdout)
    }

    /// Like [`run`](Self::run), and checks that the last line of the output is this one.
    pub(crate) fn expect(&self, words: &[&str], line: &str) -> Result<()> {
        let said = self.run(words)?;
        ensure!(
            said.trim_end().lines().last() == Some(line),
            "{} printed {said:?}, not {line}",
            words.join(" ")
        );
        Ok(())
    }

    /// The jail shares the network, for the registries are on this machine's loopback.
    fn command(&self) -> Command {
        let mut command = self.shell.command(
            "bwrap",
            &[
                "--unshare-all",
                "--share-net",
                "--die-with-parent",
                "--clearenv",
            ],
        );
        command.args([
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--tmpfs",
            "/tmp",
            "--symlink",
            "usr/bin",
            "/bin",
        ]);
        for (here, inside) in &self.shown {
            command.arg("--ro-bind").arg(here).arg(inside);
        }
        command
            .arg("--bind")
            .arg(&self.home)
            .args([HOME, "--chdir", HOME]);
        if let Some(board) = &self.board {
            command.arg("--dev-bind").arg(board).arg(BOARD);
        }
        let fixed = [("HOME", HOME), ("PATH", PROGRAMS), ("LC_ALL", "C.UTF-8")];
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        for (name, value) in fixed.into_iter().chain(variables) {
            command.args(["--setenv", name, value]);
        }
        command.arg("--").env_remove("LD_LIBRARY_PATH");
        command
    }
}

/// Finds the file of a program.
pub(crate) fn find(name: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file());
    let found = found.with_context(|| format!("{name} is not on the PATH"))?;
    Ok(found.canonicalize()?)
}

/// Home directory on the bare machine.
pub(crate) const HOME: &str = "/home/newcomer";
/// Path of the board on the bare machine.
pub(crate) const BOARD: &str = "/dev/board";
const PROGRAMS: &str = "/usr/bin";
