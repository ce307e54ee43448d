//! The line before a body, which defines where the body ends: Serial Control and Export Protocol, Export Framing.
//! `LINES=`, `RUN=`, `REQ=` and checksums are extensions by this crate; the README describes them.

use core::fmt;

use crate::export::Naming;
use crate::export::reply::checksum::Checksum;

/// Rule by which the device marks the end of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `SIZE=n`: exactly `n` arbitrary bytes follow.
    Sized {
        /// Number of bytes.
        size: u64,
    },
    /// `BEGIN`: lines follow until one is exactly `END`.
    Marked {
        /// Number of lines before `END`, from `BEGIN LINES=n`; without it a row `END` ends the
        /// body.
        lines: Option<u64>,
    },
}

/// The line before a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Framing of the body.
    pub framing: Framing,
    /// Checksum of the body, if the device knows it beforehand.
    pub checksum: Option<Checksum>,
    /// Request that this export answers, if the device names it here.
    pub naming: Option<Naming>,
}

impl Framing {
    /// Returns the size of the body in bytes, if the header gives it.
    #[must_use]
    pub const fn size(&self) -> Option<u64> {
        match self {
            Self::Sized { size } => Some(*size),
            Self::Marked { .. } => None,
        }
    }
}

/// Writes the header as a device does, without the line end.
impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.framing {
            Framing::Sized { size } => write!(f, "SIZE={size}")?,
            Framing::Marked { lines: None } => f.write_str("BEGIN")?,
            Framing::Marked { lines: Some(lines) } => write!(f, "BEGIN LINES={lines}")?,
        }
        if let Some(naming) = &self.naming {
            write!(f, " {naming}")?;
        }
        self.checksum
            .map_or(Ok(()), |checksum| write!(f, " {checksum}"))
    }
}
