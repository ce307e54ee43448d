//! Builds geckodriver, which drives Firefox, and which Debian's Firefox lacks. It is built from
//! crates.io, once.

use crate::build::tools::Tool;
use crate::shell::{Shell, has};
use anyhow::{Result, bail};
use std::env;
use std::path::PathBuf;

/// The variable that names another driver, as wasm-bindgen's runner knows it.
pub(crate) const VARIABLE: &str = "GECKODRIVER";

/// The driver: the one that the environment names, the one that came with Firefox, or our own.
pub(crate) fn driver(shell: &Shell) -> Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Ok(named.into());
    }
    check_browser()?;
    if has(TOOL.name) {
        return Ok(TOOL.name.into());
    }
    TOOL.program(shell)
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

pub(crate) const TOOL: Tool = Tool {
    name: "geckodriver",
    version: "0.37.1",
    about: "which drives Firefox",
};
