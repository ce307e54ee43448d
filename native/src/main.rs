//! The `flylead` command.
// Everything that reaches the person's terminal goes through `cmd::terminal`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod children;
mod cmd;
mod http;
mod mcp;
mod packages;
mod page;
mod relay;

use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::main()
}
