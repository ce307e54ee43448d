//! `cargo xtask`: build, serve, test and measure.
//!
//! Every command installs what it needs and is missing, says what it does while it does it, and does nothing twice:
//!
//! ```text
//! setup ──► wasm ──► web ──► serve
//!   │         │        │
//!   └─────────┴────────┴───► test · wasm-test · fuzz · bench · docs · release
//! ```

mod build;
mod docs;
#[cfg(test)]
mod documented;
mod measure;
mod release;
mod shell;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use shell::Shell;
use std::process::ExitCode;

/// Build, serve, test and measure Flylead.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what the build and the tests need and is missing: system, Python and npm packages
    Setup,
    /// Build the npm package `flylead` in wasm/, and print its size
    Wasm,
    /// Run the wasm crate's tests in headless Chromium, or in Firefox
    WasmTest(test::wasm_test::Options),
    /// Build the wasm package and the page into web/dist
    Web(build::web::Options),
    /// Build everything and serve the page on loopback
    Serve(build::serve::Options),
    /// Build the Python package flylead into target/wheels, and print its size
    Wheel,
    /// Check and test everything
    Test(test::Options),
    /// Build the programs that some tests need, and tests that have a folder of their own; a run of all does this beside its first steps
    #[command(hide = true)]
    Tools,
    /// Build the documentation site into target/site, and check its links
    Docs(docs::Options),
    /// Take the pictures of the README and the guide again
    Pictures,
    /// Build, check and install everything that is published, with --dry-run; or make one part of a release
    Release(release::Options),
    /// Draw doc comments, errors and help texts at random, to be read beside docs/style.md
    Sample(measure::sample::Options),
    /// Run a fuzz target for long; without a name, list them
    Fuzz(test::fuzz::Options),
    /// Run the benchmarks of docs/figures.md, and write that page
    Figures(measure::figures::Options),
    /// Run a benchmark; without a name, list them
    Bench(measure::bench::Options),
}

fn main() -> ExitCode {
    let shell = Shell::at_the_root();
    let outcome = match Arguments::parse().command {
        Task::Setup => build::setup::everything(&shell),
        Task::Wasm => build::wasm::package(&shell),
        Task::WasmTest(options) => test::wasm_test::run(&shell, &options),
        Task::Web(options) => build::web::run(&shell, &options),
        Task::Serve(options) => build::serve::run(&shell, &options),
        Task::Wheel => build::wheel::release(&shell),
        Task::Test(options) => test::run(&shell, &options),
        Task::Tools => build::tools::all(&shell),
        Task::Docs(options) => docs::site(&shell, &options),
        Task::Pictures => test::pictures(&shell),
        Task::Release(options) => release::run(&shell, &options),
        Task::Sample(options) => measure::sample::run(&shell, &options),
        Task::Fuzz(options) => test::fuzz::one(&shell, &options),
        Task::Figures(options) => measure::figures::run(&shell, &options),
        Task::Bench(options) => measure::bench::run(&shell, &options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
