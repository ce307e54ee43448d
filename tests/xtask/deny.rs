//! What dependencies bring along: licenses, sources and crates that are not wanted, by cargo-deny and `deny.toml`.

use crate::shell::Shell;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// Holds the lock file of each workspace against `deny.toml`.
///
/// Security advisories are looked up in a database on the network, so the workflow in `.github` does that.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    let tool = tool(shell)?;
    for workspace in WORKSPACES {
        let mut check = shell.command(&tool, &["--manifest-path", workspace, "--locked"]);
        check.arg("--config").arg(shell.path("deny.toml"));
        // No workspace has all the licenses that are allowed.
        check.args(["check", "--allow", "license-not-encountered"]);
        check.args(["--allow", "license-exception-not-encountered"]);
        shell
            .run(check.args(["bans", "licenses", "sources"]))
            .with_context(|| format!("what {workspace} depends on"))?;
    }
    Ok(())
}

/// cargo-deny at one version, built once into the target folder.
fn tool(shell: &Shell) -> Result<PathBuf> {
    let root = shell.target(&format!("cargo-deny-{VERSION}"));
    let program = root
        .join("bin/cargo-deny")
        .with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        shell.say("building cargo-deny (once, one to two minutes)");
        let mut install =
            shell.cargo("install --quiet --locked --debug --no-track cargo-deny --version");
        install.args([VERSION, "--root"]).arg(&root);
        shell.run(install.env("CARGO_TARGET_DIR", root.join("build")))?;
    }
    Ok(program)
}

const VERSION: &str = "0.20.2";
const WORKSPACES: [&str; 3] = [
    "Cargo.toml",
    "core/fuzz/Cargo.toml",
    "tests/wasm-tools/Cargo.toml",
];
