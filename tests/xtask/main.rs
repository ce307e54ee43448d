//! `cargo xtask`: build, serve, test and measure.
//!
//! Every command installs what it needs and is missing, says what it does while it does it, and does nothing twice:
//!
//! ```text
//! setup ──► wasm ──► web ──► serve
//!   │         │        │
//!   └─────────┴────────┴───► test · wasm-test · fuzz · bench · docs · release
//! ```

mod again;
mod bench;
mod busy;
mod crates;
mod deny;
mod docs;
#[cfg(test)]
mod documented;
mod documents;
mod figures;
mod firefox;
mod fuzz;
mod nextest;
mod release;
mod room;
mod sample;
mod serve;
mod setup;
mod shell;
mod stamp;
mod tally;
mod targets;
mod test;
mod tidy;
mod tools;
mod vscode;
mod wasm;
mod wasm_test;
mod web;
mod wheel;

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
    WasmTest(wasm_test::Options),
    /// Build the wasm package and the page into web/dist
    Web(web::Options),
    /// Build everything and serve the page on loopback
    Serve(serve::Options),
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
    Sample(sample::Options),
    /// Run a fuzz target for long; without a name, list them
    Fuzz(fuzz::Options),
    /// Run the benchmarks of docs/figures.md, and write that page
    Figures(figures::Options),
    /// Run a benchmark; without a name, list them
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let shell = Shell::at_the_root();
    let outcome = match Arguments::parse().command {
        Task::Setup => setup::everything(&shell),
        Task::Wasm => wasm::package(&shell),
        Task::WasmTest(options) => wasm_test::run(&shell, &options),
        Task::Web(options) => web::run(&shell, &options),
        Task::Serve(options) => serve::run(&shell, &options),
        Task::Wheel => wheel::release(&shell),
        Task::Test(options) => test::run(&shell, &options),
        Task::Tools => tools::all(&shell),
        Task::Docs(options) => docs::site(&shell, &options),
        Task::Pictures => test::pictures(&shell),
        Task::Release(options) => release::run(&shell, &options),
        Task::Sample(options) => sample::run(&shell, &options),
        Task::Fuzz(options) => fuzz::one(&shell, &options),
        Task::Figures(options) => figures::run(&shell, &options),
        Task::Bench(options) => bench::run(&shell, &options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
