//! What drives Firefox: geckodriver, which Debian's Firefox comes without. It is built from crates.io, once.

use crate::shell::{Shell, has};
use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The variable that names another driver, as wasm-bindgen's runner knows it.
pub(crate) const VARIABLE: &str = "GECKODRIVER";

/// The driver: the one that the environment names, the one that came with Firefox, or our own.
pub(crate) fn driver(shell: &Shell) -> Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Ok(named.into());
    }
    check_browser()?;
    if has(PROGRAM) {
        return Ok(PROGRAM.into());
    }
    let folder = shell.target(PROGRAM);
    let program = folder
        .join("bin")
        .join(PROGRAM)
        .with_extension(env::consts::EXE_EXTENSION);
    if !(program.exists() && is_current(&folder)) {
        build(shell, &folder)?;
    }
    Ok(program)
}

/// Elsewhere than on Linux the driver knows where Firefox is, and says so when there is none.
fn check_browser() -> Result<()> {
    if cfg!(target_os = "linux") && !has("firefox") {
        bail!(
            "Firefox is missing: run `cargo xtask setup`, or `sudo snap install firefox` where apt has no firefox-esr (Ubuntu)"
        );
    }
    Ok(())
}

/// By cargo's own record of what it installed there.
fn is_current(folder: &Path) -> bool {
    let record = fs::read_to_string(folder.join(".crates.toml")).unwrap_or_default();
    record.contains(&format!("\"{PROGRAM} {VERSION} "))
}

fn build(shell: &Shell, folder: &Path) -> Result<()> {
    shell.say("building geckodriver, which drives Firefox (once, one to three minutes)");
    let scraps = folder.join("build");
    let mut install = shell.cargo(&format!(
        "install --quiet --locked --debug --force --version ={VERSION} {PROGRAM} --root"
    ));
    install.arg(folder).arg("--target-dir").arg(&scraps);
    shell.run(install.env("CARGO_PROFILE_DEV_DEBUG", "0"))?;
    fs::remove_dir_all(&scraps).with_context(|| format!("cannot remove {}", scraps.display()))
}

const PROGRAM: &str = "geckodriver";
const VERSION: &str = "0.37.1";
