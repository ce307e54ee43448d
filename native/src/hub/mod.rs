//! One owner of boards for many tools.
//!
//! ```text
//!   flylead run ──┐ Unix socket                     ┌── board
//!   flylead repl ─┤                                 │
//!   the page ─────┼──────────► Hub ── a task each ──┼── board
//!   mpremote ─────┘ RFC 2217                        └── board
//! ```
//!
//! A tool that has its **turn** talks to the board as if it had opened the port itself: bytes pass through as they are, so
//! every protocol works unchanged. The others wait in a queue, in the order in which they asked, and learn whom they wait
//! for. Who looks on gets a copy of what programs write. A turn ends when its tool leaves; a tool that vanishes has what it
//! started interrupted, and the board is brought back to its prompt before the next turn.
//!
//! A tool that people type at asks for no turn in advance ([`Ask::shared`]): it has one from the first byte that it sends
//! until the board is at its prompt again and somebody else waits.
//!
//! A tool that is not worth a wait ([`Ask::idle`]) has its turn at once, at a board that is known to be at its prompt and that
//! nobody uses, or not at all.

mod board;
mod client;
mod connection;
mod door;
mod folder;
mod line;
mod listener;
mod member;
mod owner;
mod recovery;
mod rfc2217;
mod settings;
mod tcp;
mod turns;
mod watch;
mod wire;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::link::Address;
pub use board::SharedBoard;
pub(crate) use client::open;
pub use listener::Listener;
pub use member::{Closed, Member, MemberReader, MemberWriter, Received};
pub use rfc2217::serve as serve_rfc2217;
pub use wire::News;

/// What a tool asks of a hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ask {
    /// The tool's name, for those who wait for it.
    pub who: String,
    /// How it takes turns.
    pub mode: Mode,
    /// Whether it waits for its turn, or rather fails at once.
    pub waits: bool,
    /// Whether it takes the turn of whoever has it, and interrupts what runs.
    pub force: bool,
    /// What of it those see who look on.
    pub shows: Shows,
    /// Whether it looks on out of turn.
    pub looks_on: bool,
}

/// What those who look on see of a tool's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shows {
    /// Nothing: its programs are its own business, such as those that move files.
    Nothing,
    /// What its programs print.
    Programs,
    /// All that the board says, as a terminal has it.
    Everything,
}

/// How a tool takes turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One turn, from its grant until the tool leaves.
    Turn,
    /// A turn whenever it sends something; in between it looks on.
    Shared,
    /// One turn at once, if nobody has the board and it is at its prompt; or else none.
    Idle,
}

/// Who has a board, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Use {
    /// The tool's name.
    pub who: String,
    /// Since when, as a duration.
    pub since: Duration,
}

/// Owns boards, and shares them among tools. Its clones are the same hub.
#[derive(Debug, Clone, Default)]
pub struct Hub(Arc<Mutex<Vec<SharedBoard>>>);

impl Ask {
    /// For one turn, by a tool of this name.
    #[must_use]
    pub fn turn(who: impl Into<String>) -> Self {
        Self {
            who: who.into(),
            mode: Mode::Turn,
            waits: true,
            force: false,
            shows: Shows::Nothing,
            looks_on: false,
        }
    }

    /// For one turn at a board that nobody uses and that is at its prompt, by a tool of this name.
    #[must_use]
    pub fn idle(who: impl Into<String>) -> Self {
        Self {
            mode: Mode::Idle,
            waits: false,
            ..Self::turn(who)
        }
    }

    /// For turns as they come, by a tool of this name.
    #[must_use]
    pub fn shared(who: impl Into<String>) -> Self {
        Self {
            mode: Mode::Shared,
            looks_on: true,
            ..Self::turn(who)
        }
    }
}

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

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = Duration::from_secs(self.since.as_secs());
        write!(
            f,
            "{} for {}",
            self.who,
            humantime::format_duration(seconds)
        )
    }
}
