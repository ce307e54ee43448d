//! The npm package as `npm pack` makes it, and what it depends on.

use super::{VERSION, folder};
use crate::build::setup::NPM;
use crate::build::wasm;
use crate::shell::Shell;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// Packs the npm package into `target/release-files`.
pub(crate) fn pack(shell: &Shell) -> Result<PathBuf> {
    wasm::package(shell)?;
    let package = pack_into(shell, &shell.path("wasm"), &folder(shell)?)?;
    ensure!(
        package.ends_with(format!("flylead-{VERSION}.tgz")),
        "npm packed {}",
        package.display()
    );
    Ok(package)
}

/// Packs the package in a folder into another folder.
pub(crate) fn pack_into(shell: &Shell, package: &Path, to: &Path) -> Result<PathBuf> {
    let mut pack = shell.command(NPM, &["pack", "--silent", "--pack-destination"]);
    let name = shell.read(pack.arg(to).current_dir(package))?;
    Ok(to.join(name.trim()))
}

/// The one package that ours depends on, as it lies in `wasm/node_modules`.
pub(crate) const NEEDED: &str = "wasm/node_modules/@micropython/micropython-webassembly-pyscript";
