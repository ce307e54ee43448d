//! `flylead check`

use clap::Args;
use flylead_native::check;

use super::fs::on_board;
use crate::{Common, Exit, Failure, board::doctor::report};

/// Check the board's files: a full or damaged file system, lost programs
///
/// Every file is read, and nothing is changed. Each finding comes with a next step.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead check
  flylead --json check    for a script; exit code 5 if something is wrong")]
pub(crate) struct Cmd {
    /// The directory of the board to check [default: its current directory]
    #[arg(value_parser = on_board, default_value = ":", hide_default_value = true)]
    root: String,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        common
            .with_board(async |board| {
                let findings = check::examine(board, &self.root).await?;
                report(&findings, Exit::Refused, common)
            })
            .await
    }
}
