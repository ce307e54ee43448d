//! What is known of a body that came whole.

use alloc::vec::Vec;
use core::{fmt, time::Duration};

use super::Doubt;

/// What is known of a body that came whole.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// Its length, in bytes.
    pub bytes: u64,
    /// Its CRC-32.
    pub crc32: u32,
    /// Its SHA-256.
    pub sha256: [u8; 32],
    /// What says that it is whole.
    pub integrity: Integrity,
    /// What speaks against it, and was accepted by the application.
    pub accepted: Vec<Doubt>,
    /// What a person might want to know.
    pub warnings: Vec<Warning>,
    /// Time that was waited for a checksum, if none came that proves the log.
    pub checksum_wait: Option<Duration>,
}

/// What says that a body is whole, from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrity {
    /// The device's SHA-256.
    Sha256,
    /// The device's CRC-32.
    Crc32,
    /// It was sent twice with the same SHA-256. For applications that ask twice; the machine does not.
    Twice,
    /// As many bytes as announced, followed by what should follow. Blind to changed bytes, and to a device that started
    /// again and went on talking.
    LengthAndTail,
    /// As many lines as announced, then `END`. Blind to bytes lost or changed inside lines.
    LinesAndMarkers,
    /// `BEGIN` and `END` alone. Blind to anything between.
    Markers,
    /// The application's word: something speaks against it, and was accepted.
    Accepted,
}

/// What is odd about a body that came whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warning {
    /// It has no bytes.
    Empty,
    /// It begins with a line `BEGIN` and ends with a line `END`, and the device counted both in.
    Markers,
    /// A boot banner came before the header.
    ResetSeen,
}

impl Integrity {
    /// The name that programs compare.
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

    /// Whether this proves the body: only what the device counted itself does.
    #[must_use]
    pub const fn is_proof(self) -> bool {
        matches!(self, Self::Sha256 | Self::Crc32)
    }
}

/// What a person reads of it.
impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sha256 => "proven by the device's SHA-256",
            Self::Crc32 => "proven by the device's CRC-32",
            Self::Twice => "not proven: no checksum came, but the device sent the same twice",
            Self::LengthAndTail => {
                "not proven: no checksum came, but the length and what follows fit"
            }
            Self::LinesAndMarkers => "not proven: no checksum came, but the number of lines fits",
            Self::Markers => "not proven: neither a checksum nor a size came",
            Self::Accepted => "not proven: taken because you accepted it",
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
            Self::ResetSeen => "the device started anew before it sent the log",
        })
    }
}
