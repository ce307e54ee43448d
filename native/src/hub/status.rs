//! Status of a board for people who look after many.

use crate::link::turn::Use;

/// Status of a board at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Activity of the board.
    pub activity: Activity,
    /// Tool that has the turn, and for how long.
    pub holder: Option<Use>,
    /// Tools that wait for the turn, in their order, and for how long.
    pub waiting: Vec<Use>,
}

/// Activity of a board, as far as its output shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
