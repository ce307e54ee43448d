//! The page: wasm package, then Vite, into web/dist, which the `flylead` command serves.

use crate::setup::{self, NPM};
use crate::shell::Shell;
use crate::stamp::Stamp;
use crate::wasm;
use anyhow::Result;
use std::fs;
use std::path::Path;

/// Builds the wasm package and the page.
pub(crate) fn page(shell: &Shell) -> Result<()> {
    wasm::package(shell)?;
    setup::npm(shell, "web")?;
    let sources = [
        "web",
        "wasm/js",
        "wasm/pkg",
        "wasm/types",
        "wasm/package.json",
    ];
    let stamp = Stamp::new(shell, "web", &sources.map(|source| shell.path(source)))?;
    let (built, packed) = (shell.path("web/dist"), shell.path("native/page"));
    if stamp.is_current(&built.join("index.html")) && packed.join("index.html.br").exists() {
        return Ok(());
    }
    shell.say("building the page into web/dist");
    shell.run(
        shell
            .command(NPM, &["run", "--silent", "build"])
            .current_dir(shell.path("web")),
    )?;
    replace(&built, &packed)?;
    stamp.set()
}

/// Puts a copy where `cargo package` finds it: a package has nothing from beside its folder. It has what is compressed only so,
/// for it may weigh 10 MB (The Cargo Book, "Publishing on crates.io").
fn replace(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    copy(from, to)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        match path.is_dir() {
            true => copy(&path, &target)?,
            false if is_compressed(&path) => {}
            false => drop(fs::copy(path, target)?),
        }
    }
    Ok(())
}

/// Whether it is there compressed, too.
fn is_compressed(path: &Path) -> bool {
    let mut compressed = path.as_os_str().to_owned();
    compressed.push(".br");
    Path::new(&compressed).exists()
}
