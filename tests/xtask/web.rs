//! The page: wasm package, then Vite, into web/dist, which the `flylead` command serves.

use crate::setup::{self, NPM};
use crate::shell::Shell;
use crate::stamp::Stamp;
use crate::wasm;
use anyhow::Result;

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
    if stamp.is_current(&shell.path("web/dist/index.html")) {
        return Ok(());
    }
    shell.say("building the page into web/dist");
    shell.run(
        shell
            .command(NPM, &["run", "--silent", "build"])
            .current_dir(shell.path("web")),
    )?;
    stamp.set()
}
