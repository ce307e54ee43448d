//! The `flylead` command.
// Everything for the user's terminal goes through `cmd::terminal`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod cmd;
mod mcp;

use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::main()
}
