//! The `flylead` command.

mod cmd;
mod mcp;
mod page;

use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::main()
}
