//! Facts about a body that was received completely.

use alloc::vec::Vec;
use core::{fmt, str::FromStr, time::Duration};

use super::Doubt;

/// Facts about a body that was received completely.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// Length, in bytes.
    pub bytes: u64,
    /// CRC-32.
    pub crc32: u32,
    /// SHA-256.
    pub sha256: [u8; 32],
    /// Evidence that the body is complete.
    pub integrity: Integrity,
    /// Doubts that the application accepted.
    pub accepted: Vec<Doubt>,
    /// Remarks for the person.
    pub warnings: Vec<Warning>,
    /// Time waited for a checksum, if none arrived that proves the log.
    pub checksum_wait: Option<Duration>,
}

/// Evidence that a body is complete, from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrity {
    /// The device's SHA-256.
    Sha256,
    /// The device's CRC-32.
    Crc32,
    /// The body was sent twice with the same SHA-256. For applications that request it twice; the machine does not.
    Twice,
    /// The announced number of bytes, followed by a valid tail. Blind to changed bytes, and to a device that restarted
    /// and continued to print.
    LengthAndTail,
    /// The announced number of lines, then `END`. Blind to bytes lost or changed inside lines.
    LinesAndMarkers,
    /// `BEGIN` and `END` alone. Blind to anything between.
    Markers,
    /// The application's decision: there was a reason for doubt, which was accepted.
    Accepted,
}

/// Oddity of a body that was received completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warning {
    /// The body is empty.
    Empty,
    /// The body begins with a line `BEGIN` and ends with a line `END`, and the device counted both.
    Markers,
    /// A boot banner came before the header.
    ResetSeen,
}

impl Integrity {
    /// Returns the name that programs compare.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Crc32 => "crc32",
            Self::Twice => "twice",
            Self::LengthAndTail => "length+tail",
            Self::LinesAndMarkers => "lines+markers",
            Self::Markers => "markers",
            Self::Accepted => "accepted",
        }
    }

    /// Returns true if this proves the body: only a checksum computed by the device does.
    #[must_use]
    pub const fn is_proof(self) -> bool {
        matches!(self, Self::Sha256 | Self::Crc32)
    }
}

/// Error: the word does not name an [`Integrity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownIntegrity;

impl fmt::Display for UnknownIntegrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown integrity")
    }
}

impl core::error::Error for UnknownIntegrity {}

impl FromStr for Integrity {
    type Err = UnknownIntegrity;

    fn from_str(name: &str) -> Result<Self, UnknownIntegrity> {
        let all = [
            Self::Sha256,
            Self::Crc32,
            Self::Twice,
            Self::LengthAndTail,
            Self::LinesAndMarkers,
            Self::Markers,
            Self::Accepted,
        ];
        let named = |integrity: &Self| integrity.as_str() == name;
        all.into_iter().find(named).ok_or(UnknownIntegrity)
    }
}

/// Describes the evidence to a person.
impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sha256 => "proven by the device's SHA-256",
            Self::Crc32 => "proven by the device's CRC-32",
            Self::Twice => "not proven: no checksum came, but the device sent the same log twice",
            Self::LengthAndTail => {
                "not proven: no checksum came, but the length matches and nothing follows"
            }
            Self::LinesAndMarkers => {
                "not proven: no checksum came, but the number of lines matches"
            }
            Self::Markers => "not proven: no checksum and no size came",
            Self::Accepted => "not proven: saved because you accepted it",
        })
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {}", self.bytes, self.integrity.as_str())?;
        for doubt in &self.accepted {
            write!(f, "; accepted {doubt}")?;
        }
        self.warnings
            .iter()
            .try_for_each(|warning| write!(f, "; {warning}"))
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the log is empty",
            Self::Markers => "the log begins with a line BEGIN and ends with a line END",
            Self::ResetSeen => "the device restarted before it sent the log",
        })
    }
}
