//! The three commands that the PC sends: Serial Control and Export Protocol, Control Commands.

use core::{fmt, str};

use alloc::{format, vec::Vec};

use super::reply::naming::number_of;
use super::{RunId, RunIdError};

/// Command from the PC to a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `START run_id=…`: begin recording to the SD card.
    Start(RunId),
    /// `STOP`: end the recording.
    Stop,
    /// `EXPORT run_id=…`: send the log.
    Export {
        /// The run.
        run_id: RunId,
        /// Number of the request, for a device that includes numbers in its answers: ` req=7`. It is an extension by
        /// this crate.
        request: Option<u32>,
    },
}

impl Command {
    /// Reads a line from the PC, with or without its line end, as a device does.
    ///
    /// # Errors
    /// If the line is not one of the three commands, or its run id is invalid.
    pub fn parse(line: &[u8]) -> Result<Self, CommandParseError> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = str::from_utf8(line).map_err(|_| CommandParseError::Unknown)?;
        match line.split_once(" run_id=") {
            None if line == "STOP" => Ok(Self::Stop),
            Some(("START", name)) => Ok(Self::Start(RunId::new(name)?)),
            Some(("EXPORT", name)) => export(name),
            _ => Err(CommandParseError::Unknown),
        }
    }

    /// Returns the line to send, with its `\n`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        format!("{self}\n").into_bytes()
    }
}

/// Reads `run001`, or `run001 req=7`.
fn export(name: &str) -> Result<Command, CommandParseError> {
    let numbered = name
        .split_once(" req=")
        .and_then(|(name, number)| Some((name, number_of(number.as_bytes())?)));
    let (name, request) = numbered.map_or((name, None), |(name, number)| (name, Some(number)));
    let run_id = RunId::new(name)?;
    Ok(Command::Export { run_id, request })
}

/// Reason why a line is not a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandParseError {
    /// The line is not `START run_id=…`, `STOP` or `EXPORT run_id=…`.
    Unknown,
    /// The text after `=` is not a valid run id.
    RunId(RunIdError),
}

impl From<RunIdError> for CommandParseError {
    fn from(error: RunIdError) -> Self {
        Self::RunId(error)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(run_id) => write!(f, "START run_id={run_id}"),
            Self::Stop => f.write_str("STOP"),
            Self::Export { run_id, request } => {
                write!(f, "EXPORT run_id={run_id}")?;
                request.map_or(Ok(()), |request| write!(f, " req={request}"))
            }
        }
    }
}

impl fmt::Display for CommandParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str("not a command; send START run_id=…, STOP or EXPORT run_id=…")
            }
            Self::RunId(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CommandParseError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunId {
        RunId::new("20260115_2112_run001").expect("a good name")
    }

    #[test]
    fn the_three_commands_are_the_lines_of_the_document() {
        let export = |request| Command::Export {
            run_id: run(),
            request,
        };
        let lines: [(Command, &[u8]); 4] = [
            (
                Command::Start(run()),
                b"START run_id=20260115_2112_run001\n",
            ),
            (Command::Stop, b"STOP\n"),
            (export(None), b"EXPORT run_id=20260115_2112_run001\n"),
            (
                export(Some(7)),
                b"EXPORT run_id=20260115_2112_run001 req=7\n",
            ),
        ];
        for (command, line) in lines {
            assert_eq!(command.to_bytes(), line);
            assert_eq!(Command::parse(line), Ok(command));
        }
    }

    #[test]
    fn a_carriage_return_before_the_line_end_is_no_part_of_the_run_id() {
        assert_eq!(
            Command::parse(b"START run_id=a\r\n"),
            Ok(Command::Start(RunId::new("a").expect("good")))
        );
    }

    #[test]
    fn f21_an_offset_is_not_part_of_the_protocol_and_does_not_become_part_of_a_run_id() {
        assert_eq!(
            Command::parse(b"EXPORT run_id=a offset=5\n"),
            Err(CommandParseError::RunId(RunIdError::Character {
                offset: 1
            }))
        );
    }

    #[test]
    fn anything_else_is_no_command() {
        for line in [
            "",
            "start run_id=a",
            "STOP now",
            "STOP run_id=a",
            "EXPORT",
            "EXPORT run_id",
            " STOP",
        ] {
            assert_eq!(
                Command::parse(line.as_bytes()),
                Err(CommandParseError::Unknown),
                "{line:?}"
            );
        }
    }
}
