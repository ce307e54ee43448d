//! The words in which a tool and a [hub](crate::hub) speak of turns at a board.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// Request of a tool to a hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ask {
    /// The tool's name, for those who wait for it.
    pub who: String,
    /// Way of taking turns.
    pub mode: Mode,
    /// True to wait for its turn, false to fail at once.
    pub waits: bool,
    /// True to take the turn of its holder by force, and to interrupt the running program.
    pub force: bool,
    /// Part of it that observers see.
    pub shows: Shows,
    /// True to observe out of turn.
    pub looks_on: bool,
}

/// Part of a tool's turn that observers see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shows {
    /// Nothing: its programs are its own business, such as those that move files.
    Nothing,
    /// Output of its programs.
    Programs,
    /// All that the board says, as a terminal has it.
    Everything,
}

/// Way in which a tool takes turns.
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

/// User of a board, and the duration of its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Use {
    /// The tool's name.
    pub who: String,
    /// Since when, as a duration.
    pub since: Duration,
}

/// News for a tool about its board and its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum News {
    /// The board is this tool's.
    Turn,
    /// Another tool has the turn, and this tool is in the queue.
    Waiting(Use),
    /// Another tool uses the board, and this one was told not to wait.
    InUse(Use),
    /// Another tool waits for the turn that this tool has.
    Wanted(Use),
    /// Another tool took the turn by force.
    Taken(Use),
    /// The board is not there, and the hub looks for it.
    Away {
        /// Error of the system.
        why: String,
    },
    /// The board is there again.
    Back,
    /// A board answers at this speed, which was searched for.
    Speed {
        /// Bits per second.
        baud: u32,
    },
}

impl Ask {
    /// Requests one turn, by a tool of this name.
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

    /// Requests one turn at an unused board at its prompt, by a tool of this name.
    #[must_use]
    pub fn idle(who: impl Into<String>) -> Self {
        Self {
            mode: Mode::Idle,
            waits: false,
            ..Self::turn(who)
        }
    }

    /// Requests turns as needed, by a tool of this name.
    #[must_use]
    pub fn shared(who: impl Into<String>) -> Self {
        Self {
            mode: Mode::Shared,
            looks_on: true,
            ..Self::turn(who)
        }
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
