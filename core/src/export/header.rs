//! The line before a body, and how it says where the body ends: Serial Control and Export Protocol, Export Framing.
//! `LINES=` and checksums are this crate's extensions; a receiver that does not know them reads them as noise or has
//! stopped reading by then.

use core::fmt;

use super::checksum::Checksum;

/// How a device says where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `SIZE=n`: exactly `n` bytes follow, whatever they are.
    Sized {
        /// How many bytes.
        size: u64,
    },
    /// `BEGIN`: lines follow until one is exactly `END`.
    Marked {
        /// How many lines come before `END`, from `BEGIN LINES=n`; without it a row `END` ends the body.
        lines: Option<u64>,
    },
}

/// The line before a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// How the body ends.
    pub framing: Framing,
    /// The body's checksum, when the device knows it beforehand.
    pub checksum: Option<Checksum>,
}

impl Framing {
    /// How many bytes the body has, if the header says so.
    #[must_use]
    pub const fn size(&self) -> Option<u64> {
        match self {
            Self::Sized { size } => Some(*size),
            Self::Marked { .. } => None,
        }
    }
}

/// As a device writes it, without the line end.
impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.framing {
            Framing::Sized { size } => write!(f, "SIZE={size}")?,
            Framing::Marked { lines: None } => f.write_str("BEGIN")?,
            Framing::Marked { lines: Some(lines) } => write!(f, "BEGIN LINES={lines}")?,
        }
        self.checksum
            .map_or(Ok(()), |checksum| write!(f, " {checksum}"))
    }
}
