//! The wasm crate's own tests, run by wasm-bindgen's runner in a headless browser.
//! The browser's flags are in wasm/webdriver.json, which `wasm-pack test` reads too.

use crate::setup::{self, WASM};
use crate::shell::{Shell, has};
use crate::wasm::tools;
use anyhow::{Result, bail};
use clap::Args;
use std::env;
use std::process::Command;

/// Which browser runs the tests, and which tests.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// Use Firefox and geckodriver instead of Chromium and chromedriver
    #[arg(long)]
    firefox: bool,
    /// Passed on to the tests: a part of a name
    filter: Option<String>,
}

/// Runs the tests in the browser.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    setup::rust(shell)?;
    let mut tests = shell.cargo(&format!("test -p flylead-wasm --target {WASM}"));
    tests.args(&options.filter);
    drive(&mut tests, options)?;
    let runner = format!("{} runner", tools(shell)?.display());
    shell.say("running the wasm crate's tests in a headless browser");
    shell.run(tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner))
}

/// Names the driver, unless the environment does.
fn drive(tests: &mut Command, options: &Options) -> Result<()> {
    let (variable, program, hint) = if options.firefox { GECKO } else { CHROME };
    if env::var_os(variable).is_some() {
        return Ok(());
    }
    if !has(program) {
        bail!("{program} is missing: {hint}, or name one in {variable}");
    }
    tests
        .env(variable, program)
        .env_remove(if options.firefox { CHROME.0 } else { GECKO.0 });
    Ok(())
}

const CHROME: (&str, &str, &str) = ("CHROMEDRIVER", "chromedriver", "run `cargo xtask setup`");
const GECKO: (&str, &str, &str) = (
    "GECKODRIVER",
    "geckodriver",
    "`cargo install geckodriver`, and Firefox from your system",
);
