//! Boards owned by one process, and shared by many tools.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::board::SharedBoard;
use crate::link::Address;

/// Owns boards, and shares them among tools. Clones share the boards.
#[derive(Debug, Clone)]
pub struct Hub {
    boards: Arc<Mutex<Vec<SharedBoard>>>,
    idle_limit: Duration,
}

impl Hub {
    /// Creates a hub without boards.
    #[must_use]
    pub fn new() -> Self {
        Self::with_idle_limit(IDLE_LIMIT)
    }

    /// Like [`new`](Self::new), with a custom limit of how long a shared tool may keep others waiting while it neither
    /// sends nor takes anything and no program of its own runs: in the raw REPL, for example. It is
    /// [notified](crate::link::turn::News::Wanted) after half of that time; at its end the turn passes to the next
    /// tool. A half-typed line at the prompt, which the hub can type again, has at most a second.
    #[must_use]
    pub fn with_idle_limit(idle_limit: Duration) -> Self {
        Self {
            boards: Arc::default(),
            idle_limit,
        }
    }

    /// Starts to own a board: opens it, and reopens it whenever it was lost. It must be called within a tokio runtime.
    pub fn add(&self, address: Address) -> SharedBoard {
        let board = SharedBoard::start(address, self.idle_limit);
        self.locked().push(board.clone());
        board
    }

    /// Releases a board that no tool uses or waits for. Returns true if the board was released.
    pub fn remove(&self, address: &Address) -> bool {
        let mut boards = self.locked();
        let unused = |board: &SharedBoard| board.address() == address && !board.is_used();
        let index = boards.iter().position(unused);
        index.map(|index| boards.remove(index)).is_some()
    }

    /// Returns the boards, in the order in which they were added.
    #[must_use]
    pub fn boards(&self) -> Vec<SharedBoard> {
        self.locked().clone()
    }

    /// Returns the board with one of these addresses; `auto` matches if there is only one board.
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

/// Time to think in the middle of a line.
const IDLE_LIMIT: Duration = Duration::from_secs(30);
