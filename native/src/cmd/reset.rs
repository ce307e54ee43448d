//! `flylead reset`

use std::time::Duration;

use clap::Args;
use flylead::BoardError;
use flylead_core::raw_repl::LostReason;
use tokio::time::timeout;

use super::{Common, Exit, Failure};

/// Reset the board
///
/// A soft reset restarts the interpreter: all variables are gone, boot.py runs, main.py does not. A hard reset is
/// like the button on the board: the board leaves and comes back, and main.py runs.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Reset the whole board, as its button does
    #[arg(long, conflicts_with = "bootloader")]
    hard: bool,

    /// Restart the board in its bootloader, ready for new firmware
    #[arg(long)]
    bootloader: bool,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        match (self.hard, self.bootloader) {
            (true, _) => restart(common, HARD).await,
            (_, true) => restart(common, BOOTLOADER).await,
            _ => soft_reset(common).await,
        }
    }
}

async fn soft_reset(common: &Common) -> Result<Exit, Failure> {
    common
        .with_board(async |board| {
            board.soft_reset().await?;
            Ok(Exit::Done)
        })
        .await
}

/// A board that restarts says nothing more, or closes its link, or talks as it boots; one that cannot, says so.
async fn restart(common: &Common, source: &str) -> Result<Exit, Failure> {
    let mut board = common.board().await?;
    match timeout(SILENCE, board.exec(source)).await {
        Err(_) | Ok(Ok(_) | Err(BoardError::Restarted | BoardError::Lost(LostReason::Closed))) => {
            board.close().await;
            Ok(Exit::Done)
        }
        Ok(Err(error)) => {
            common.leave(board).await;
            Err(error.into())
        }
    }
}

const HARD: &str = "import machine\nmachine.reset()\n";
const BOOTLOADER: &str = "import machine\nmachine.bootloader()\n";
/// How long a board that cannot restart may take to say so.
const SILENCE: Duration = Duration::from_secs(1);
