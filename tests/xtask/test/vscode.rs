//! The extension for VS Code: built into web/vscode/dist/flylead.vsix, and tried in a real VS Code.

use crate::build::setup::{self, NPM};
use crate::build::wasm;
use crate::shell::Shell;
use crate::test::again;
use crate::test::programs;
use anyhow::Result;
use std::env;

/// Builds the extension and packs it.
pub(crate) fn extension(shell: &Shell) -> Result<()> {
    // In a browser the npm package works on the boards, and the plot is the page's.
    wasm::package(shell)?;
    setup::npm(shell, "web")?;
    setup::npm(shell, "web/vscode")?;
    shell.say("building the extension for VS Code");
    let pack = ["run", "--silent", "package"];
    shell.run(
        shell
            .command(NPM, &pack)
            .current_dir(shell.path("web/vscode")),
    )
}

/// Drives VS Code in headless Chromium, with the extension and real boards.
pub(crate) fn test(shell: &Shell) -> Result<()> {
    setup::system(shell)?;
    setup::python(shell)?;
    programs(shell)?;
    extension(shell)?;
    setup::npm(shell, TESTS)?;
    let folder = shell.path(TESTS);
    shell.run(shell.command("node", &["install.js"]).current_dir(&folder))?;
    again::node(shell, &folder, &["--test-timeout=300000"])?;
    if env::var_os("FLYLEAD_WHOLE").is_some() {
        return web(shell);
    }
    shell.say(
        "NOT RUN: VS Code for the Web; FLYLEAD_WHOLE=1 cargo xtask test vscode drives it, too",
    );
    Ok(())
}

/// Drives VS Code for the Web, in a whole run: its menus and terminals come and go at moments that a busy machine changes.
fn web(shell: &Shell) -> Result<()> {
    let tests = ["--test", "--test-timeout=300000", "web.whole.js"];
    let mut node = shell.command("node", &tests);
    shell.run(node.current_dir(shell.path(TESTS)))
}

/// Takes the pictures of the extension's README, which its tests make.
pub(crate) fn pictures(shell: &Shell) -> Result<()> {
    test(shell)?;
    web(shell)?;
    shell.run(
        shell
            .command("node", &["pictures.js"])
            .current_dir(shell.path(TESTS)),
    )
}

const TESTS: &str = "tests/vscode";
