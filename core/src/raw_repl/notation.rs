//! Commands and events as the text of a trace: `$ exec print(1)`, `! Stdout 1\r\n`.

use alloc::vec::Vec;
use core::{fmt, time::Duration};

use super::{CommandError, Event, Outcome, RawRepl};
use crate::{Instant, trace::escape};

/// A command of the application as a value, so that a driver can write it down before it gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// [`RawRepl::enter`].
    Enter,
    /// [`RawRepl::exec`].
    Exec {
        /// The program.
        source: Vec<u8>,
        /// When to interrupt it, if ever.
        timeout: Option<Duration>,
    },
    /// [`RawRepl::interrupt`].
    Interrupt,
    /// [`RawRepl::soft_reset`].
    SoftReset,
    /// [`RawRepl::leave`].
    Leave,
    /// [`RawRepl::send`].
    Send(Vec<u8>),
}

impl Command {
    /// Gives the command to a machine.
    ///
    /// # Errors
    /// Those of the machine's own verbs.
    pub fn apply(&self, repl: &mut RawRepl, now: Instant) -> Result<(), CommandError> {
        match self {
            Self::Enter => repl.enter(now),
            Self::Exec { source, timeout } => repl.exec(now, source, *timeout),
            Self::Interrupt => repl.interrupt(now),
            Self::SoftReset => repl.soft_reset(now),
            Self::Leave => repl.leave(),
            Self::Send(bytes) => repl.send(bytes),
        }
    }
}

/// `exec print(1)`, or `exec-within 500 print(1)` with a time in milliseconds.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enter => f.write_str("enter"),
            Self::Exec {
                source,
                timeout: None,
            } => write!(f, "exec {}", escape(source)),
            Self::Exec {
                source,
                timeout: Some(timeout),
            } => write!(f, "exec-within {} {}", timeout.as_millis(), escape(source)),
            Self::Interrupt => f.write_str("interrupt"),
            Self::SoftReset => f.write_str("soft-reset"),
            Self::Leave => f.write_str("leave"),
            Self::Send(bytes) => write!(f, "send {}", escape(bytes)),
        }
    }
}

/// `Stdout 1\r\n`, `Finished Raised ZeroDivisionError: divide by zero`, `Lost Closed`.
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

/// The exception's whole text, escaped, after how the program ended.
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

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::raw_repl::{LostReason, Traceback};

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

    #[test]
    fn a_command_shows_its_source_and_its_time() {
        let command = Command::Exec {
            source: b"print(1)\n".to_vec(),
            timeout: Some(Duration::from_millis(500)),
        };
        assert_eq!(command.to_string(), "exec-within 500 print(1)\\n");
    }
}
