//! The `flylead` command.

mod cmd;

use std::process::ExitCode;

fn main() -> ExitCode {
    cmd::main()
}
