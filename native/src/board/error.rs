//! Errors of a board whose link is open.

use std::fmt;

use flylead_core::{
    board,
    raw_repl::{CommandError, LostReason, Traceback},
};

/// Error of a board whose link is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardError {
    /// The conversation has ended; only a new connection helps.
    Lost(LostReason),
    /// The board was not in a state for this. Nothing was sent.
    Refused(CommandError),
    /// The program raised an exception.
    Raised(Traceback),
    /// The program exceeded its time limit, and was interrupted.
    TimedOut,
    /// The program ended the interpreter before it answered.
    Exited,
    /// The board restarted in the middle of the program.
    Restarted,
    /// The board's answer cannot be read.
    Unreadable,
    /// A request for a file failed.
    File(board::Error),
    /// The board was closed or lost earlier, which was already reported.
    Over,
}

impl From<CommandError> for BoardError {
    fn from(error: CommandError) -> Self {
        Self::Refused(error)
    }
}

impl From<board::Error> for BoardError {
    fn from(error: board::Error) -> Self {
        if let board::Error::Lost(reason) = error {
            Self::Lost(reason)
        } else {
            Self::File(error)
        }
    }
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(reason) => reason.fmt(f),
            Self::Refused(error) => error.fmt(f),
            Self::Raised(traceback) => traceback.fmt(f),
            Self::File(error) => error.fmt(f),
            Self::TimedOut => {
                f.write_str("the program exceeded its time limit and was interrupted")
            }
            Self::Exited => f.write_str("the program ended the interpreter"),
            Self::Restarted => f.write_str("the board restarted in the middle of the program"),
            Self::Unreadable => f.write_str("the board's answer cannot be read"),
            Self::Over => f.write_str("the connection to the board has closed"),
        }
    }
}

impl std::error::Error for BoardError {}
