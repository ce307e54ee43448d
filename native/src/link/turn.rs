//! The words in which a tool and a [hub](crate::hub) speak of turns at a board.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

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

/// What a tool learns about its board and its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum News {
    /// The board is this tool's.
    Turn,
    /// Somebody else has it, and this tool is in the queue.
    Waiting(Use),
    /// Somebody else has it, and this tool would not wait.
    InUse(Use),
    /// Somebody waits for the turn that this tool has.
    Wanted(Use),
    /// Somebody took the turn by force.
    Taken(Use),
    /// The board is not there, and the hub looks for it.
    Away {
        /// What the system says about it.
        why: String,
    },
    /// The board is there again.
    Back,
}

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
