//! The wasm crate's own tests, run by wasm-bindgen's runner in a headless browser.
//! The browser's flags are in wasm/webdriver.json, which `wasm-pack test` reads too.

use crate::build::setup::{self, WASM};
use crate::build::wasm::tools;
use crate::shell::{Shell, has};
use crate::test::again;
use crate::test::firefox;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Browser that runs the tests, and the tests to run.
#[derive(Args)]
pub(crate) struct Options {
    /// In Firefox instead of Chromium
    #[arg(long)]
    firefox: bool,
    /// Passed on to the tests: a part of a name
    filter: Option<String>,
}

impl Options {
    const fn browser(&self) -> &'static str {
        if self.firefox { "Firefox" } else { "Chromium" }
    }
}

/// Runs the tests in both browsers, also in Firefox when Chromium has failed.
pub(crate) fn everywhere(shell: &Shell) -> Result<()> {
    let [chromium, firefox] = [false, true].map(|firefox| {
        let options = Options {
            firefox,
            filter: None,
        };
        let name = format!("the wasm crate in {}", options.browser());
        again::whole(shell, &name, || run(shell, &options))
    });
    chromium
        .context("in Chromium")
        .and(firefox.context("in Firefox"))
}

/// Runs the tests in the browser.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    setup::rust(shell)?;
    let mut tests = cargo(shell, "test -p flylead-wasm");
    tests.args(&options.filter);
    drive(shell, &mut tests, options.firefox)?;
    let runner = format!("{} runner", tools(shell)?.display());
    shell.say(&format!(
        "running the wasm crate's tests in headless {}",
        options.browser()
    ));
    shell.run(tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner))
}

/// Compiles the tests, the wasm crate's examples and what runs them.
pub(crate) fn build(shell: &Shell) -> Result<()> {
    setup::rust(shell)?;
    tools(shell)?;
    shell.run(&mut cargo(shell, "test --quiet --no-run -p flylead-wasm"))
}

/// Lets clippy look at the wasm crate.
pub(crate) fn clippy(shell: &Shell) -> Result<()> {
    setup::rust(shell)?;
    let mut clippy = cargo(shell, "clippy --quiet --all-targets -p flylead-wasm");
    shell.run(clippy.args(["--", "-D", "warnings"]))
}

/// cargo for WebAssembly, where what is built is not the package.
pub(crate) fn cargo(shell: &Shell, command: &str) -> Command {
    let mut cargo = shell.cargo(&format!("{command} --target {WASM}"));
    cargo.arg("--target-dir").arg(folder(shell));
    cargo
}

/// Returns the build folder: separate from everything else, so that both can build at the same
/// time.
pub(crate) fn folder(shell: &Shell) -> PathBuf {
    shell.target("wasm-tests")
}

/// Names the one driver, and hides the other: the runner takes the first that it finds.
fn drive(shell: &Shell, tests: &mut Command, in_firefox: bool) -> Result<()> {
    if in_firefox {
        tests
            .env_remove(CHROME)
            .env(firefox::VARIABLE, firefox::driver(shell)?);
    } else {
        tests.env_remove(firefox::VARIABLE).env(CHROME, chromium()?);
    }
    Ok(())
}

fn chromium() -> Result<OsString> {
    match env::var_os(CHROME) {
        Some(named) => Ok(named),
        None if has("chromedriver") => Ok("chromedriver".into()),
        None => {
            bail!("chromedriver is missing: run `cargo xtask setup`, or name one in {CHROME}")
        }
    }
}

const CHROME: &str = "CHROMEDRIVER";
