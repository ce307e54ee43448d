//! Reasons why an export yields no file, with remedies.

use alloc::string::String;
use core::{fmt, time::Duration};

use super::{RunId, reply::checksum::Checksum};

/// Reason why an export failed. None of its data may be taken for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The device reported an error.
    DeviceError {
        /// Line that reports it.
        text: String,
    },
    /// A line is an invalid header.
    BadHeader {
        /// The line.
        line: String,
    },
    /// No header arrived.
    NoHeader {
        /// Time waited.
        after: Duration,
        /// The device's line most similar to a header, or its last one.
        said: Option<String>,
    },
    /// The device announced or sent more than the limit.
    TooLarge {
        /// Announced size, or number of bytes sent so far.
        size: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The device fell silent inside the body, or bytes were lost in transit.
    ShortTransfer {
        /// Number of body bytes received.
        received: u64,
        /// Size that the header announced.
        announced: Option<u64>,
    },
    /// The export took longer than its size allows.
    TimedOut {
        /// Time waited.
        after: Duration,
    },
    /// The device restarted.
    DeviceReset,
    /// The last line of a sized body has a different number of columns than the first lines, and the device did not
    /// answer after it.
    OddLastLine {
        /// The line.
        line: String,
    },
    /// An earlier request for another run was never answered, and this may be its answer.
    LateAnswer {
        /// The other run.
        run_id: RunId,
    },
    /// A line between `BEGIN` and `END` belongs to the device itself: an `ERROR`, another `BEGIN`, a line of its
    /// logger.
    StrayLine {
        /// The line.
        line: String,
    },
    /// Unexpected data follows a sized body: bytes were lost or added in transit, or the size is wrong.
    TrailingData,
    /// `BEGIN` and `END` were sent inside a sized body without being counted.
    ModeConflict,
    /// Rows, or another `END`, follow `END`: the log may contain such a row.
    AmbiguousEnd,
    /// No `END` follows after the announced number of lines.
    MissingEnd,
    /// The device's checksum does not match the received bytes.
    ChecksumMismatch {
        /// Checksum sent by the device.
        announced: Checksum,
        /// Checksum of the received bytes.
        counted: Checksum,
    },
    /// A checksum is malformed.
    BrokenChecksum {
        /// The device's line.
        line: String,
    },
    /// The caller requires a checksum, and the device sent none.
    MissingChecksum {
        /// Time waited after the body; less than [`Config::checksum_wait`](super::Config::checksum_wait) if the link
        /// closed.
        after: Duration,
    },
    /// The log was sent twice, and the two differ. For applications that request it twice; the machine does not.
    Differs,
    /// The link closed.
    PortLost,
    /// The application cancelled the export.
    Cancelled,
}

/// Remedy for a [`Failure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Request the export again.
    RetryExport,
    /// The experiment is still running: send `STOP`, then request the export again.
    SendStop,
    /// Plug the device in and open the port again.
    Reconnect,
    /// Change the device to send `SIZE=`, or `BEGIN LINES=`.
    UseSizeMode,
    /// Raise the limit, if this size is plausible.
    RaiseLimit,
    /// Check the device's message; a repeated request changes nothing.
    CheckDevice,
}

impl Failure {
    /// Returns the name that programs compare.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::DeviceError { .. } => "device_error",
            Self::BadHeader { .. } => "bad_header",
            Self::NoHeader { .. } => "no_header",
            Self::TooLarge { .. } => "too_large",
            Self::ShortTransfer { .. } => "short_transfer",
            Self::TimedOut { .. } => "timed_out",
            Self::DeviceReset => "device_reset",
            Self::OddLastLine { .. } => "odd_last_line",
            Self::LateAnswer { .. } => "late_answer",
            Self::StrayLine { .. } => "stray_line",
            Self::TrailingData => "trailing_data",
            Self::ModeConflict => "mode_conflict",
            Self::AmbiguousEnd => "ambiguous_end",
            Self::MissingEnd => "missing_end",
            Self::ChecksumMismatch { .. } => "checksum_mismatch",
            Self::BrokenChecksum { .. } => "broken_checksum",
            Self::MissingChecksum { .. } => "missing_checksum",
            Self::Differs => "differs",
            Self::PortLost => "port_lost",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns true if a retry may help without any other action: the fault was in transit, not in the device.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self.hint(), Hint::RetryExport)
    }

    /// Returns the remedy.
    #[must_use]
    pub fn hint(&self) -> Hint {
        match self {
            Self::DeviceError { text } if is_recording(text) => Hint::SendStop,
            Self::DeviceError { .. } | Self::MissingChecksum { .. } | Self::Cancelled => {
                Hint::CheckDevice
            }
            Self::TooLarge { .. } => Hint::RaiseLimit,
            Self::ModeConflict | Self::AmbiguousEnd => Hint::UseSizeMode,
            Self::PortLost => Hint::Reconnect,
            Self::BadHeader { .. }
            | Self::NoHeader { .. }
            | Self::ShortTransfer { .. }
            | Self::TimedOut { .. }
            | Self::DeviceReset
            | Self::OddLastLine { .. }
            | Self::StrayLine { .. }
            | Self::LateAnswer { .. }
            | Self::TrailingData
            | Self::MissingEnd
            | Self::ChecksumMismatch { .. }
            | Self::BrokenChecksum { .. }
            | Self::Differs => Hint::RetryExport,
        }
    }
}

impl Hint {
    /// Returns the name that programs compare.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RetryExport => "retry_export",
            Self::SendStop => "send_stop",
            Self::Reconnect => "reconnect",
            Self::UseSizeMode => "use_size_mode",
            Self::RaiseLimit => "raise_limit",
            Self::CheckDevice => "check_device",
        }
    }
}

/// Returns true for `ERROR: Cannot export while experiment running`, the answer of the document's firmware.
fn is_recording(answer: &str) -> bool {
    answer.to_ascii_lowercase().contains("running")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeviceError { text } => write!(f, "the device answered: {text}"),
            Self::BadHeader { line } => write!(f, "the device's header is not SIZE= followed by a number: {line}"),
            Self::NoHeader { after, said } => {
                write!(f, "no SIZE= or BEGIN came within {:.1} s", after.as_secs_f32())?;
                match said {
                    Some(line) => write!(f, "; the device sent: {line}"),
                    None => f.write_str("; the device sent nothing"),
                }
            }
            Self::TooLarge { size, limit } => {
                write!(f, "the export has {size} bytes, more than the {limit} allowed")
            }
            Self::ShortTransfer { received, announced: Some(announced) } if received < announced => {
                write!(f, "received {received} of {announced} bytes")
            }
            Self::ShortTransfer { received, announced: Some(_) } => {
                write!(f, "bytes were lost in transit: the last of the {received} bytes received do not belong to the log")
            }
            Self::ShortTransfer { received, announced: None } => {
                write!(f, "received {received} bytes but no END")
            }
            Self::TimedOut { after } => write!(f, "the export took longer than {} s", after.as_secs_f32()),
            Self::DeviceReset => f.write_str("the device restarted"),
            Self::OddLastLine { line } => write!(
                f,
                "the last line of the log has different columns than its first lines, as when a device restarts and keeps printing: {line}"
            ),
            Self::LateAnswer { run_id } => write!(
                f,
                "this may be the answer to the earlier request for {run_id}, which has had no answer yet"
            ),
            Self::StrayLine { line } => write!(
                f,
                "a line between BEGIN and END does not belong to the log; rows may be missing or duplicated around it: {line}"
            ),
            Self::TrailingData => f.write_str(
                "more data follows the announced bytes: some were lost or added in transit, or the size is wrong",
            ),
            Self::ModeConflict => f.write_str("the device sent BEGIN and END inside SIZE= bytes; it must use only one of the two"),
            Self::AmbiguousEnd => f.write_str("more data follows END: perhaps the log itself has a row END"),
            Self::MissingEnd => f.write_str("END is missing after the announced number of lines"),
            Self::ChecksumMismatch { announced, counted } => {
                write!(f, "the device sent {announced}, but the received bytes have {counted}")
            }
            Self::BrokenChecksum { line } => write!(
                f,
                "the device's checksum is invalid; CRC32= takes 8 hexadecimal digits, SHA256= takes 64: {line}"
            ),
            Self::MissingChecksum { after } => {
                let after = after.as_secs_f32();
                write!(f, "no checksum came within {after:.1} s after the log, but one is required")
            }
            Self::Differs => f.write_str("the device sent the log twice, and the two differ"),
            Self::PortLost => f.write_str("the port closed during the export"),
            Self::Cancelled => f.write_str("the export was cancelled"),
        }
    }
}

impl core::error::Error for Failure {}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RetryExport => "request the export again",
            Self::SendStop => "send STOP, then request the export again",
            Self::Reconnect => "plug the device in and open the port again",
            Self::UseSizeMode => "make the device send SIZE= before the log",
            Self::RaiseLimit => "raise the limit if this size is plausible",
            Self::CheckDevice => "check the device's output",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f22_an_experiment_that_still_runs_is_to_be_stopped_first() {
        let error = |text: &str| Failure::DeviceError { text: text.into() };
        assert_eq!(
            error("ERROR: Cannot export while experiment running").hint(),
            Hint::SendStop
        );
        assert_eq!(error("ERROR: Log file not found").hint(), Hint::CheckDevice);
    }

    #[test]
    fn f20_only_a_fault_on_the_way_is_worth_asking_again() {
        assert!(Failure::TrailingData.is_retryable());
        assert!(Failure::DeviceReset.is_retryable());
        for failure in [
            Failure::DeviceError {
                text: "ERROR: no card".into(),
            },
            Failure::AmbiguousEnd,
            Failure::Cancelled,
        ] {
            assert!(!failure.is_retryable(), "{failure:?}");
        }
    }
}
