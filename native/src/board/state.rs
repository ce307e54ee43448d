//! The state of a board, for those who only look.

use flylead_core::{board, raw_repl::Mode};

use super::Board;
use crate::driver::WeakCommander;

/// Looks at a board's state without keeping its link open.
#[derive(Debug)]
pub struct BoardState(WeakCommander<board::Board>);

impl Board {
    /// Returns a way to look at the board's state while something else uses it.
    #[must_use]
    pub fn state(&self) -> BoardState {
        BoardState(self.driver.commander().downgrade())
    }
}

impl BoardState {
    /// Returns true while the board is interrupted and has not stopped for a command; `None` when it was closed or lost.
    pub async fn is_entering(&self) -> Option<bool> {
        let commander = self.0.upgrade()?;
        let mode = commander.command(|board: &mut board::Board, _| board.mode());
        Some(mode.await.ok()? == Mode::Entering)
    }
}
