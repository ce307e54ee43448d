//! Events that the application receives from a board.

use alloc::vec::Vec;
use core::fmt;

use super::{Answer, Error, Progress};
use crate::{raw_repl::LostReason, trace::escape};

/// Event that the application receives from a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Bytes of the board that are no output of a program: prompts, echo, the output of a running `main.py`, and what a
    /// timer or a thread prints while no program runs.
    Terminal(Vec<u8>),
    /// Output of the program under way: stdout and stderr, which MicroPython sends as one stream.
    Stdout(Vec<u8>),
    /// A transfer got on.
    Progress(Progress),
    /// The next bytes of the file that is read as it comes.
    Content(Vec<u8>),
    /// The request under way has ended. There is exactly one for each.
    Answered(Result<Answer, Error>),
    /// The running program has ended, as requested by [`Board::stop`](super::Board::stop), or
    /// failed to in time.
    Stopped(Result<(), Error>),
    /// The board is at its normal prompt, as [`Board::release`](super::Board::release) wanted it; or not in time.
    Released(Result<(), Error>),
    /// The conversation is over; only a new connection and a new machine help. It comes once, after the answer to the
    /// request under way.
    Lost {
        /// Reason for the loss.
        reason: LostReason,
    },
}

/// A line for a trace: a file's content is left out.
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
