//! Errors of requests and exports.

use std::{fmt, io, path::PathBuf};

use flylead_core::export::{CommandError, Doubt, Failure, Quote};

use crate::Gone;

/// Error of a request or an export.
#[derive(Debug)]
pub enum Error {
    /// The export failed, or the device refused a command.
    Failed {
        /// Reason for the failure.
        failure: Failure,
        /// Doubts that [`Options::accept`](super::Options::accept) would have to name for the log
        /// to be accepted; empty if nothing helps.
        doubts: Vec<Doubt>,
        /// The device's line behind each doubt, if there is one. Untrusted.
        quotes: Vec<Quote>,
        /// Path of the received part of the log, if there is one.
        kept: Option<PathBuf>,
    },
    /// The recording ended before it should.
    Recording {
        /// Reason for the failure.
        failure: Failure,
    },
    /// The command is not valid in this state. Nothing was sent.
    Refused(CommandError),
    /// The link is closed.
    Gone,
    /// The device does not accept the data that is sent to it.
    Stuck,
    /// The log could not be written.
    Disk {
        /// Intended path.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

impl Error {
    /// Returns the error for a command that the device itself refused.
    pub(super) const fn refusal(text: String) -> Self {
        Self::Failed {
            failure: Failure::DeviceError { text },
            doubts: Vec::new(),
            quotes: Vec::new(),
            kept: None,
        }
    }

    /// Returns the stable name of the error, for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed { failure, .. } | Self::Recording { failure } => failure.code(),
            Self::Refused(_) => "busy",
            Self::Disk { .. } => "disk",
            Self::Gone => "port_lost",
            Self::Stuck => "write_timeout",
        }
    }

    /// Returns the remedy, for programs.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Failed { failure, .. } => failure.hint().as_str(),
            Self::Recording { .. } => "check_device",
            Self::Refused(_) => "retry_export",
            Self::Disk { .. } => "check_disk",
            Self::Gone | Self::Stuck => "reconnect",
        }
    }

    /// Returns true if a retry may help without any other action.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Failed { failure, .. } => failure.is_retryable(),
            Self::Refused(_) | Self::Gone | Self::Stuck => true,
            Self::Recording { .. } | Self::Disk { .. } => false,
        }
    }

    /// Returns the doubts to accept for the log to be accepted; empty if nothing helps.
    #[must_use]
    pub fn doubts(&self) -> &[Doubt] {
        match self {
            Self::Failed { doubts, .. } => doubts,
            Self::Recording { .. }
            | Self::Refused(_)
            | Self::Gone
            | Self::Stuck
            | Self::Disk { .. } => &[],
        }
    }

    /// Returns the device's lines behind the doubts. Untrusted.
    #[must_use]
    pub fn quotes(&self) -> &[Quote] {
        match self {
            Self::Failed { quotes, .. } => quotes,
            Self::Recording { .. }
            | Self::Refused(_)
            | Self::Gone
            | Self::Stuck
            | Self::Disk { .. } => &[],
        }
    }

    /// Returns the path of the received data, if there is any: a part of the log, or all of it if there are doubts.
    #[must_use]
    pub fn kept(&self) -> Option<&PathBuf> {
        match self {
            Self::Failed { kept, .. } => kept.as_ref(),
            Self::Recording { .. }
            | Self::Refused(_)
            | Self::Gone
            | Self::Stuck
            | Self::Disk { .. } => None,
        }
    }
}

impl From<Gone> for Error {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl From<CommandError> for Error {
    fn from(error: CommandError) -> Self {
        Self::Refused(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed {
                failure,
                doubts,
                quotes,
                kept,
            } => {
                let said = failure.to_string();
                f.write_str(&said)?;
                for quote in quotes.iter().filter(|quote| !said.contains(&quote.line)) {
                    write!(
                        f,
                        ". {}: the device sent the line {:?}",
                        quote.doubt, quote.line
                    )?;
                }
                write!(f, "; {}", failure.hint())?;
                match kept {
                    Some(path) if doubts.is_empty() => {
                        write!(f, ". The received data is in {}", path.display())
                    }
                    Some(path) => write!(f, ". The suspect data is in {}", path.display()),
                    None => Ok(()),
                }
            }
            Self::Recording { failure } => write!(f, "the recording has ended: {failure}"),
            Self::Refused(error) => error.fmt(f),
            Self::Gone => f.write_str("the connection to the device has closed"),
            Self::Stuck => {
                f.write_str("the device does not accept data; unplug it and plug it in again")
            }
            Self::Disk { path, source } => {
                write!(f, "{} could not be written: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}
