//! The `flylead` command.

mod cmd;
mod http;
mod mcp;
mod page;
mod relay;

use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::main()
}
