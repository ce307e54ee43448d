//! The state of a board, for observers.

use flylead_core::{board, raw_repl::Mode};

use super::Board;
use crate::board::driver::WeakCommander;

/// Observer of a board's state that does not keep its link open.
#[derive(Debug)]
pub struct BoardState(WeakCommander<board::Board>);

impl Board {
    /// Returns an observer of the board's state, for use while something else uses the board.
    #[must_use]
    pub fn state(&self) -> BoardState {
        BoardState(self.driver.commander().downgrade())
    }
}

impl BoardState {
    /// Returns true while the board has been interrupted for a command and has not stopped yet; `None` once it was
    /// closed or lost.
    pub async fn is_entering(&self) -> Option<bool> {
        let commander = self.0.upgrade()?;
        let mode = commander.command(|board: &mut board::Board, _| board.mode());
        Some(mode.await.ok()? == Mode::Entering)
    }
}
