//! Events that the application receives from a board.

use alloc::vec::Vec;
use core::fmt;

use super::{Answer, Error, Progress};
use crate::{raw_repl::LostReason, trace::escape};

/// Event that the application receives from a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Bytes from the board that are not output of a program: prompts, echo, the output of a running `main.py`, and
    /// output of a timer or a thread while no program runs.
    Terminal(Vec<u8>),
    /// Output of the running program: stdout and stderr, which MicroPython sends as one stream.
    Stdout(Vec<u8>),
    /// A transfer progressed.
    Progress(Progress),
    /// The next bytes of the file being read as a stream.
    Content(Vec<u8>),
    /// The current request has ended. Each request causes exactly one such event.
    Answered(Result<Answer, Error>),
    /// The running program has ended, as requested by [`Board::stop`](super::Board::stop), or failed to end in time.
    Stopped(Result<(), Error>),
    /// The board is at its normal prompt, as requested by [`Board::release`](super::Board::release), or failed to reach
    /// it in time.
    Released(Result<(), Error>),
    /// The connection is lost; continuing requires a new connection and a new machine. This event comes once, after the
    /// answer to the current request.
    Lost {
        /// Reason for the loss.
        reason: LostReason,
    },
}

/// Formats the event for a trace, without a file's content.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminal(bytes) => write!(f, "Terminal {}", escape(bytes)),
            Self::Stdout(bytes) => write!(f, "Stdout {}", escape(bytes)),
            Self::Progress(progress) => write!(f, "Progress {}", progress.done),
            Self::Content(bytes) => write!(f, "Content {}", bytes.len()),
            Self::Answered(Ok(Answer::Ran(outcome))) => write!(f, "Finished {outcome}"),
            Self::Answered(Ok(_)) => f.write_str("Answered"),
            Self::Answered(Err(error)) => write!(f, "Failed {error:?}"),
            Self::Stopped(Ok(())) => f.write_str("Stopped"),
            Self::Stopped(Err(error)) => write!(f, "Stopped {error:?}"),
            Self::Released(Ok(())) => f.write_str("Released"),
            Self::Released(Err(error)) => write!(f, "Released {error:?}"),
            Self::Lost { reason } => write!(f, "Lost {reason:?}"),
        }
    }
}
