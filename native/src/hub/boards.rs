//! The boards that one process owns for many tools.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::board::SharedBoard;
use crate::link::Address;

/// Owns boards, and shares them among tools. Its clones are the same hub.
#[derive(Debug, Clone, Default)]
pub struct Hub(Arc<Mutex<Vec<SharedBoard>>>);

impl Hub {
    /// A hub without boards.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Becomes the owner of a board, opens it, and opens it again whenever it went away. It must be called within a tokio
    /// runtime.
    pub fn add(&self, address: Address) -> SharedBoard {
        let board = SharedBoard::start(address);
        self.locked().push(board.clone());
        board
    }

    /// Lets go of a board that no tool uses or waits for. Whether it did.
    pub fn remove(&self, address: &Address) -> bool {
        let mut boards = self.locked();
        let unused = |board: &SharedBoard| board.address() == address && !board.is_used();
        let index = boards.iter().position(unused);
        index.map(|index| boards.remove(index)).is_some()
    }

    /// The boards, in the order in which they were added.
    #[must_use]
    pub fn boards(&self) -> Vec<SharedBoard> {
        self.locked().clone()
    }

    /// The board with one of these addresses; `auto` is the only one there is.
    #[must_use]
    pub fn find(&self, addresses: &[String]) -> Option<SharedBoard> {
        let boards = self.locked();
        let is_it = |board: &&SharedBoard| addresses.iter().any(|address| board.is_at(address));
        match (&boards[..], addresses) {
            ([only], [address]) if address == "auto" => Some(only.clone()),
            _ => boards.iter().find(is_it).cloned(),
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<SharedBoard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
