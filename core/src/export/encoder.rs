//! The device's side: encodes a body in a frame.

use alloc::{format, vec::Vec};
use core::fmt;

use memchr::memmem;

use super::Naming;
use super::reply::checksum::{ChecksumKind, Digest};
use super::reply::header::{Framing, Header};

/// Writes an export as a device does: header, body, end, and an optional checksum.
///
/// ```
/// use flylead_core::export::{ChecksumKind, Encoder, Framing};
///
/// let mut sent = Vec::new();
/// let mut export = Encoder::new(Framing::Sized { size: 8 }, Some(ChecksumKind::Crc32));
/// export.begin(&mut sent);
/// export.body(b"t,v\n0,1\n", &mut sent)?;
/// export.finish(&mut sent)?;
/// assert_eq!(sent, b"SIZE=8\nt,v\n0,1\n\nCRC32=351a4c1f\n");
/// # Ok::<(), flylead_core::export::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Encoder {
    framing: Framing,
    checksum: Option<ChecksumKind>,
    naming: Option<Naming>,
    digest: Digest,
    lines: u64,
    /// The last bytes of a marked body, among which an end line could begin.
    recent: Vec<u8>,
}

impl Encoder {
    /// Creates a frame of this kind, with or without a checksum after the body.
    #[must_use]
    pub fn new(framing: Framing, checksum: Option<ChecksumKind>) -> Self {
        Self {
            framing,
            checksum,
            naming: None,
            digest: Digest::default(),
            lines: 0,
            recent: Vec::from(b"\n"),
        }
    }

    /// Names the answered request in the header.
    #[must_use]
    pub fn answering(mut self, naming: Naming) -> Self {
        self.naming = Some(naming);
        self
    }

    /// Writes the header.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        let header = Header {
            framing: self.framing,
            checksum: None,
            naming: self.naming.take(),
        };
        out.extend_from_slice(format!("{header}\n").as_bytes());
    }

    /// Writes the next bytes of the body.
    ///
    /// # Errors
    /// If they do not fit the frame. None of them are written, and the export cannot be completed any more.
    pub fn body(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self.framing {
            Framing::Sized { size } if self.digest.bytes() + bytes.len() as u64 > size => {
                return Err(EncodeError::TooMuch { size });
            }
            Framing::Marked { lines } => self.remember(bytes, lines.is_some())?,
            Framing::Sized { .. } => {}
        }
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.digest.add(bytes);
        out.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes the end and the checksum.
    ///
    /// # Errors
    /// If the body does not match the header's announcement.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self.framing {
            Framing::Sized { size } if self.digest.bytes() < size => {
                return Err(EncodeError::TooLittle);
            }
            Framing::Marked { .. } if !self.ends_a_line() => return Err(EncodeError::OpenLine),
            Framing::Marked { lines: Some(lines) } if lines != self.lines => {
                return Err(EncodeError::LineCount);
            }
            Framing::Marked { .. } => out.extend_from_slice(b"END\n"),
            Framing::Sized { .. } => {}
        }
        if let Some(kind) = self.checksum {
            out.extend_from_slice(format!("\n{}\n", self.digest.checksum(kind)).as_bytes());
        }
        Ok(())
    }

    fn ends_a_line(&self) -> bool {
        self.recent.ends_with(b"\n")
    }

    fn remember(&mut self, bytes: &[u8], is_counted: bool) -> Result<(), EncodeError> {
        self.recent.extend_from_slice(bytes);
        let holds = |line: &[u8]| memmem::find(&self.recent, line).is_some();
        if !is_counted && (holds(b"\nEND\n") || holds(b"\nEND\r\n")) {
            return Err(EncodeError::EndInData);
        }
        let keep = self.recent.len().min(b"\nEND\r\n".len());
        self.recent.drain(..self.recent.len() - keep);
        Ok(())
    }
}

/// Reason why a body does not fit its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeError {
    /// More bytes than the header announces.
    TooMuch {
        /// Announced size.
        size: u64,
    },
    /// Fewer bytes than the header announces.
    TooLittle,
    /// A marked body's last line has no line end, so `END` would not stand on its own.
    OpenLine,
    /// More or fewer lines than the header announces.
    LineCount,
    /// A line of the body is `END`; announce a size or a number of lines.
    EndInData,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMuch { size } => {
                write!(f, "the body is longer than the {size} bytes announced")
            }
            Self::TooLittle => f.write_str("the body is shorter than announced"),
            Self::OpenLine => {
                f.write_str("the last line of the body has no line end, which BEGIN and END need")
            }
            Self::LineCount => {
                f.write_str("the body has a different number of lines than announced")
            }
            Self::EndInData => {
                f.write_str("a line of the body is END; announce SIZE= or BEGIN LINES= instead")
            }
        }
    }
}

impl core::error::Error for EncodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(framing: Framing, bodies: &[&[u8]]) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(framing, None);
        encoder.begin(&mut out);
        for bytes in bodies {
            encoder.body(bytes, &mut out)?;
        }
        encoder.finish(&mut out)?;
        Ok(out)
    }

    #[test]
    fn each_framing_is_written_as_the_document_shows_it() {
        let rows: &[&[u8]] = &[b"a,1\n", b"b,2\n"];
        assert_eq!(
            encode(Framing::Sized { size: 8 }, rows),
            Ok(b"SIZE=8\na,1\nb,2\n".to_vec())
        );
        assert_eq!(
            encode(Framing::Marked { lines: None }, rows),
            Ok(b"BEGIN\na,1\nb,2\nEND\n".to_vec())
        );
        assert_eq!(
            encode(Framing::Marked { lines: Some(2) }, rows),
            Ok(b"BEGIN LINES=2\na,1\nb,2\nEND\n".to_vec())
        );
    }

    #[test]
    fn a_body_that_the_header_lies_about_is_refused() {
        assert_eq!(
            encode(Framing::Sized { size: 3 }, &[b"ab", b"cd"]),
            Err(EncodeError::TooMuch { size: 3 })
        );
        assert_eq!(
            encode(Framing::Sized { size: 3 }, &[b"ab"]),
            Err(EncodeError::TooLittle)
        );
        assert_eq!(
            encode(Framing::Marked { lines: Some(1) }, &[b"a\nb\n"]),
            Err(EncodeError::LineCount)
        );
        assert_eq!(
            encode(Framing::Marked { lines: None }, &[b"a"]),
            Err(EncodeError::OpenLine)
        );
        assert_eq!(
            encode(Framing::Marked { lines: Some(0) }, &[b"a"]),
            Err(EncodeError::OpenLine)
        );
    }

    #[test]
    fn a_marked_body_cannot_hold_its_own_end_however_it_is_cut() {
        let marked = Framing::Marked { lines: None };
        for rows in [
            &[&b"a\nEND\nb\n"[..]][..],
            &[b"a\nEN", b"D\r", b"\nb\n"],
            &[b"END\n"],
        ] {
            assert_eq!(encode(marked, rows), Err(EncodeError::EndInData));
        }
        assert!(encode(marked, &[b"a\nEND,1\nbEND\n"]).is_ok());
    }
}
