//! Messages between a tool and a [hub](crate::hub) about turns at a board.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// Request of a tool to a hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ask {
    /// Name of the tool, shown to tools that wait for it.
    pub who: String,
    /// Way of taking turns.
    pub mode: Mode,
    /// True to wait for its turn, false to fail at once.
    pub waits: bool,
    /// True to take the turn of its holder by force, and to interrupt the running program.
    pub force: bool,
    /// Part of the turn that observers see.
    pub shows: Shows,
    /// True to observe the board out of turn.
    pub looks_on: bool,
}

/// Part of a tool's turn that observers see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shows {
    /// Nothing: its programs, such as those that move files, are internal.
    Nothing,
    /// Output of its programs.
    Programs,
    /// All output of the board, as in a terminal.
    Everything,
}

/// Way in which a tool takes turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One turn, from its grant until the tool leaves.
    Turn,
    /// A turn whenever the tool sends something; in between it observes.
    Shared,
    /// One turn at once, if the board is unused and at its prompt; or else none.
    Idle,
}

/// User of a board, and the duration of its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Use {
    /// Name of the tool.
    pub who: String,
    /// Duration of the use so far.
    pub since: Duration,
}

/// Board that a [hub](crate::hub) shares, and its use at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BoardUse {
    /// Address as it was given to the hub.
    pub address: String,
    /// Path of its port, once found.
    pub port: Option<String>,
    /// Reason for the board's absence, if it is absent.
    pub fault: Option<String>,
    /// Activity of the board.
    pub activity: Activity,
    /// Tool that has the turn, and for how long.
    pub holder: Option<Use>,
    /// Tools that wait for the turn, in their order, and for how long.
    pub waiting: Vec<Use>,
}

/// Activity of a board, as far as its output shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Activity {
    /// The board is not connected.
    Away,
    /// The board waits at its prompt.
    Prompt,
    /// A line at the prompt was begun, and not ended.
    Line,
    /// A tool talks to the board, and no program of its own runs.
    Exchange,
    /// A program runs.
    Program,
    /// The hub brings the board back to its prompt after a tool.
    Returning,
    /// The peer has shown no prompt of MicroPython.
    Unknown,
}

/// News for a tool about its board and its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum News {
    /// This tool has the turn.
    Turn,
    /// Another tool has the turn, and this tool is in the queue.
    Waiting(Use),
    /// Another tool uses the board, and this one does not wait.
    InUse(Use),
    /// Another tool waits for the turn that this tool has.
    Wanted(Use),
    /// Another tool took the turn by force.
    Taken(Use),
    /// The turn passed to another tool in the middle of a line. The line is typed again with the next key.
    Paused(Use),
    /// The board is absent, and the hub looks for it.
    Away {
        /// Error of the system.
        why: String,
    },
    /// The board is back.
    Back,
    /// Output of other tools' programs was not shown, because this tool did not read what came before.
    Missed {
        /// Its length.
        bytes: u64,
    },
    /// The search has found a speed at which a board answers.
    Speed {
        /// Bits per second.
        baud: u32,
    },
}

impl Ask {
    /// Requests one turn for a tool of this name.
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

    /// Requests one turn at an unused board at its prompt, for a tool of this name.
    #[must_use]
    pub fn idle(who: impl Into<String>) -> Self {
        Self {
            mode: Mode::Idle,
            waits: false,
            ..Self::turn(who)
        }
    }

    /// Requests turns as needed, for a tool of this name.
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
