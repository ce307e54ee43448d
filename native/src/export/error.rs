//! Why there is no answer, or no log.

use std::{fmt, io, path::PathBuf};

use flylead_core::export::{CommandError, Doubt, Failure};

use crate::Gone;

/// Why there is no answer, or no log.
#[derive(Debug)]
pub enum Error {
    /// The export failed, or the device refused a command.
    Failed {
        /// Why.
        failure: Failure,
        /// What [`Options::accept`](super::Options::accept) would have to name for the log to be taken; empty when
        /// nothing helps.
        doubts: Vec<Doubt>,
        /// Where what came of the log is, if anything did.
        kept: Option<PathBuf>,
    },
    /// The recording ended before it should.
    Recording {
        /// Why.
        failure: Failure,
    },
    /// The command was not one for now. Nothing was sent.
    Refused(CommandError),
    /// The link is closed.
    Gone,
    /// The device does not take what is sent to it.
    Stuck,
    /// The log could not be written.
    Disk {
        /// Where it was to be.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// The device's own refusal of a command.
    pub(super) const fn refusal(text: String) -> Self {
        Self::Failed {
            failure: Failure::DeviceError { text },
            doubts: Vec::new(),
            kept: None,
        }
    }

    /// The name that programs compare.
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

    /// What to do, for programs.
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

    /// Whether asking again may help without anybody doing anything.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Failed { failure, .. } => failure.is_retryable(),
            Self::Refused(_) | Self::Gone | Self::Stuck => true,
            Self::Recording { .. } | Self::Disk { .. } => false,
        }
    }

    /// What would have to be accepted for the log to be taken; empty when nothing helps.
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

    /// Where what came of the log is, if anything did: a part of it, or all of it when there are doubts.
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
                kept,
            } => {
                write!(f, "{failure}; {}", failure.hint())?;
                match kept {
                    Some(path) if doubts.is_empty() => {
                        write!(f, ". What came is in {}", path.display())
                    }
                    Some(path) => write!(f, ". What came is kept as suspect in {}", path.display()),
                    None => Ok(()),
                }
            }
            Self::Recording { failure } => write!(f, "the recording has ended: {failure}"),
            Self::Refused(error) => error.fmt(f),
            Self::Gone => f.write_str("the connection to the device is over"),
            Self::Stuck => f.write_str(
                "the device takes nothing that is sent to it; unplug it and plug it in again",
            ),
            Self::Disk { path, source } => {
                write!(f, "{} could not be written: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}
