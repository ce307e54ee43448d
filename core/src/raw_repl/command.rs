//! Commands of the application, and reasons to refuse them.

use alloc::vec::Vec;
use core::{fmt, time::Duration};

use crate::trace::escape;

/// A command of the application as a value, so that a driver can record it before giving it.
///
/// Its display form is a line of a trace: `exec print(1)`, or `exec-within 500 print(1)` with a time in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// [`RawRepl::enter`](super::RawRepl::enter)
    Enter,
    /// [`RawRepl::exec`](super::RawRepl::exec)
    Exec {
        /// The program.
        source: Vec<u8>,
        /// Time limit, after which the program is interrupted; `None` for no limit.
        timeout: Option<Duration>,
    },
    /// [`RawRepl::interrupt`](super::RawRepl::interrupt)
    Interrupt,
    /// [`RawRepl::soft_reset`](super::RawRepl::soft_reset)
    SoftReset,
    /// [`RawRepl::leave`](super::RawRepl::leave)
    Leave,
    /// [`RawRepl::send`](super::RawRepl::send)
    Send(Vec<u8>),
}

/// Reason why a command of the application was refused. Nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandError {
    /// Another command is in progress; only one can run at a time.
    Busy,
    /// The connection is lost.
    Lost,
    /// No program is running that could read this input.
    NotRunning,
    /// The source contains a byte that the protocol treats as a command; write it as an escape like `\x04`.
    ControlByte {
        /// Offset in the source, from 0.
        offset: usize,
    },
}

/// Checks that raw mode can carry a program: bytes 1 to 4 are reserved, and 5 requests raw-paste mode at the beginning
/// of a line (MicroPython v1.29 `shared/runtime/pyexec.c`, `pyexec_raw_repl`).
pub(crate) fn check_source(source: &[u8]) -> Result<(), CommandError> {
    let is_control = |(offset, &byte): (usize, &u8)| {
        matches!(byte, 0x01..=0x04) || (offset == 0 && byte == 0x05)
    };
    match source.iter().enumerate().position(is_control) {
        Some(offset) => Err(CommandError::ControlByte { offset }),
        None => Ok(()),
    }
}

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

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("another command is still running on the board"),
            Self::Lost => f.write_str("the connection to the board has closed"),
            Self::NotRunning => f.write_str("no program is running to read this"),
            Self::ControlByte { offset } => write!(
                f,
                "the source has a control byte at offset {offset}; write it as an escape such as \\x04"
            ),
        }
    }
}

impl core::error::Error for CommandError {}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_command_shows_its_source_and_its_time() {
        let command = Command::Exec {
            source: b"print(1)\n".to_vec(),
            timeout: Some(Duration::from_millis(500)),
        };
        assert_eq!(command.to_string(), "exec-within 500 print(1)\\n");
    }
}
