//! The wheel as PyPI takes it.

use super::{file, folder};
use crate::build::setup;
use crate::build::web;
use crate::build::wheel;
use crate::shell::Shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Builds the wheel that people install into `target/release-files`, and lets twine check it.
pub(crate) fn wheel(shell: &Shell) -> Result<PathBuf> {
    web::page(shell)?;
    let built = wheel::for_people(shell)?;
    let wheel = folder(shell)?.join(file::name(&built));
    fs::copy(&built, &wheel).with_context(|| format!("cannot copy {}", built.display()))?;
    twine(shell, &wheel)?;
    Ok(wheel)
}

/// Lets twine check the metadata and the description of a wheel.
pub(crate) fn twine(shell: &Shell, wheel: &Path) -> Result<()> {
    let twine = setup::python_program(shell, "twine");
    shell.run(shell.command(twine, &["check", "--strict"]).arg(wheel))
}
