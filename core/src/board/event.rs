//! What the application learns from a board.

use core::fmt;

use super::{Answer, FileError, Progress};
use crate::raw_repl;

/// What the application learns from a board.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Something of the REPL, while no request is under way; a loss always.
    Repl(raw_repl::Event),
    /// A transfer got on.
    Progress(Progress),
    /// A request has ended.
    Answered(Result<Answer, FileError>),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repl(event) => event.fmt(f),
            Self::Progress(progress) => write!(f, "Progress {}", progress.done),
            Self::Answered(Ok(_)) => f.write_str("Answered"),
            Self::Answered(Err(error)) => write!(f, "Failed {error:?}"),
        }
    }
}
