//! Reports from a [`RawRepl`](super::RawRepl) to the application.

use alloc::{string::String, vec::Vec};
use core::{fmt, time::Duration};

use super::{DataFrame, Peer, Traceback};
use crate::trace::escape;

/// Event that the application receives from a board. Each command ends with one of
/// [`Entered`](Self::Entered), [`Finished`](Self::Finished), [`SoftReset`](Self::SoftReset) and
/// [`Left`](Self::Left), or with the loss of the board.
///
/// Its display form is a line of a trace: `Stdout 1\r\n`, `Finished Completed`, `Lost Closed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Bytes from the board that are not output of a program: prompts, echo, the output of a running `main.py`, and
    /// output of a timer or a thread while no program runs.
    Terminal(Vec<u8>),
    /// `enter` has completed: the board is in raw mode and waits for a program.
    Entered,
    /// Output of the program as it arrives: stdout and stderr, which MicroPython sends as one stream.
    Stdout(Vec<u8>),
    /// The board has read all of a program that was sent as data.
    Loaded,
    /// Binary output of a transfer's program.
    Frame(DataFrame),
    /// `exec` has completed, including the soft reset that a `SystemExit` causes. The board waits for the next command.
    Finished(Outcome),
    /// `soft_reset` has completed: every variable is gone, `boot.py` has run. The board is in raw mode. The output of
    /// `boot.py` is not reported.
    SoftReset,
    /// `leave` has completed: the board is at its normal prompt.
    Left,
    /// The connection is lost; continuing requires a new connection and a new machine.
    Lost {
        /// Reason for the loss.
        reason: LostReason,
    },
}

/// Outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The program reached its end.
    Completed,
    /// An exception ended the program; [`Traceback::kind`] tells the remedy. An interrupted program also ends like
    /// this, with `KeyboardInterrupt`.
    Raised(Traceback),
    /// The program raised `SystemExit`, and the board has soft-reset itself: every variable is gone.
    Exited,
    /// The board restarted completely, as after `machine.reset()` or a crash, and is at its normal prompt.
    BoardReset,
    /// The program exceeded its time limit and was interrupted; contains the exception that it then raised, if any.
    TimedOut(Option<Traceback>),
}

/// State of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// At the friendly prompt, or running whatever was started there.
    Normal,
    /// Entering raw mode.
    Entering,
    /// In raw mode, waiting for a command.
    Raw,
    /// Sending or running a program.
    Running,
    /// Resetting the interpreter.
    Resetting,
    /// Connection lost.
    Lost,
}

/// Reason why a conversation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LostReason {
    /// The link closed: the board was unplugged, the stream ended, or the process exited.
    Closed,
    /// The board never reached raw mode, although it was interrupted repeatedly.
    NotEntered {
        /// Time spent on attempts.
        after: Duration,
        /// Last output of the board in that time, as text for a person; empty if there was none.
        said: String,
        /// Peer, as indicated by its bytes.
        peer: Peer,
    },
    /// The board stopped responding in the middle of an exchange.
    TimedOut {
        /// Time waited.
        after: Duration,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminal(bytes) => write!(f, "Terminal {}", escape(bytes)),
            Self::Stdout(bytes) => write!(f, "Stdout {}", escape(bytes)),
            Self::Finished(outcome) => write!(f, "Finished {outcome}"),
            Self::Lost { reason } => write!(f, "Lost {reason:?}"),
            Self::Frame(_) | Self::Loaded | Self::Entered | Self::SoftReset | Self::Left => {
                write!(f, "{self:?}")
            }
        }
    }
}

/// Formats the outcome, followed by the exception's whole text, escaped.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised(traceback) => write!(f, "Raised {}", escape(traceback.text.as_bytes())),
            Self::TimedOut(Some(traceback)) => {
                write!(f, "TimedOut {}", escape(traceback.text.as_bytes()))
            }
            Self::TimedOut(None) => f.write_str("TimedOut"),
            Self::Completed | Self::Exited | Self::BoardReset => write!(f, "{self:?}"),
        }
    }
}

/// Explains the event and the remedy to a person.
impl fmt::Display for LostReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the board is gone: the connection closed"),
            Self::NotEntered { after, said, peer } => {
                let after = after.as_secs_f32();
                match peer {
                    Peer::Program => write!(
                        f,
                        "the board did not stop its program within {after} s: {peer}. Last output: {said}"
                    ),
                    _ => write!(f, "no board answered within {after} s: {peer}"),
                }
            }
            Self::TimedOut { after } => write!(
                f,
                "the board has not answered for {} s; press its reset button and try again",
                after.as_secs_f32()
            ),
        }
    }
}

impl core::error::Error for LostReason {}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn each_event_is_one_line_of_a_trace() {
        let raised = Traceback::parse(b"Traceback (most recent call last):\r\nValueError: one\r\n");
        for (event, text) in [
            (Event::Stdout(b"1\r\n".to_vec()), "Stdout 1\\r\\n"),
            (Event::Entered, "Entered"),
            (Event::Finished(Outcome::Completed), "Finished Completed"),
            (
                Event::Finished(Outcome::Raised(raised)),
                "Finished Raised Traceback (most recent call last):\\nValueError: one\\n",
            ),
            (
                Event::Lost {
                    reason: LostReason::Closed,
                },
                "Lost Closed",
            ),
        ] {
            assert_eq!(event.to_string(), text);
        }
    }
}
