//! `flylead exec`

use clap::Args;

use super::program::{Options, Program};
use crate::{Common, Exit, Failure};

/// Run a line of Python on the board
///
/// Output goes to stdout as the board sends it, a traceback to stderr. Ctrl-C interrupts the program on the board; a
/// second Ctrl-C leaves.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// The program; put it in quotes
    #[arg(allow_hyphen_values = true)]
    code: String,

    #[command(flatten)]
    options: Options,
}

impl Cmd {
    pub(crate) async fn run(&self, common: &Common) -> Result<Exit, Failure> {
        self.program().run(common, self.options).await
    }

    /// Runs the program again, with the modules of the mounted folder as they are now.
    pub(crate) async fn run_again(&self, common: &Common) -> Result<Exit, Failure> {
        self.program()
            .run(common, self.options.reloading_modules())
            .await
    }

    fn program(&self) -> Program {
        Program {
            source: self.code.clone().into_bytes(),
            file: None,
            argv: None,
            reads_stdin: false,
        }
    }
}
