//! The boards that one process owns for many tools.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::board::SharedBoard;
use crate::link::Address;

/// Owns boards, and shares them among tools. Its clones are the same hub.
#[derive(Debug, Clone)]
pub struct Hub {
    boards: Arc<Mutex<Vec<SharedBoard>>>,
    idle_limit: Duration,
}

impl Hub {
    /// A hub without boards.
    #[must_use]
    pub fn new() -> Self {
        Self::with_idle_limit(IDLE_LIMIT)
    }

    /// Like [`new`](Self::new), with another limit of how long a tool that types may keep others waiting while it neither
    /// sends nor takes anything and no program of its own runs: in the middle of a line, for example. It is
    /// [told](crate::link::turn::News::Wanted) at half of that time; then its turn passes to the next tool.
    #[must_use]
    pub fn with_idle_limit(idle_limit: Duration) -> Self {
        Self {
            boards: Arc::default(),
            idle_limit,
        }
    }

    /// Becomes the owner of a board, opens it, and opens it again whenever it went away. It must be called within a tokio
    /// runtime.
    pub fn add(&self, address: Address) -> SharedBoard {
        let board = SharedBoard::start(address, self.idle_limit);
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
        self.boards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Hub {
    fn default() -> Self {
        Self::new()
    }
}

/// Long enough to think in the middle of a line.
const IDLE_LIMIT: Duration = Duration::from_secs(30);
