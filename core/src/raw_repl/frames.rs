//! Counted binary frames in a reply, for transfers whose bytes are not escaped.
//!
//! ```text
//! 02 · kind (1 byte) · length (2, lowest byte first) · sum of the three before (1) · payload
//! ```
//!
//! Data between two frames is the output of a thread or a timer, and is skipped up to the next header. `04` there ends
//! the frames, and stdout with them: a program that raises between two frames is therefore still read as one that
//! raised.

use alloc::vec::Vec;
use core::mem;

use super::control::END;

/// The first byte of a header.
const START: u8 = 0x02;
/// Size of a header in bytes.
const HEADER: usize = 5;

/// A piece of binary output, as a transfer's program frames it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFrame {
    /// Kind of payload.
    pub kind: FrameKind,
    /// The bytes.
    pub payload: Vec<u8>,
}

/// Kind of a frame's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// Plain content.
    Plain,
    /// Content packed by the requested method.
    Packed,
    /// The hash of all content.
    Hash,
}

impl FrameKind {
    const fn read(byte: u8) -> Option<Self> {
        match byte {
            b'D' => Some(Self::Plain),
            b'Z' => Some(Self::Packed),
            b'E' => Some(Self::Hash),
            _ => None,
        }
    }
}

/// Collects frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// A header, or a possible beginning of one, and the received part of its payload.
    held: Vec<u8>,
}

impl Frames {
    /// Takes bytes up to the end of the frames, if they contain it. Returns their number, and the held part of the
    /// reply after the frames, which begins with `04`.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        whole: &mut Vec<DataFrame>,
    ) -> (usize, Option<Vec<u8>>) {
        let mut used = 0;
        while used < bytes.len() {
            let count = self.missing().min(bytes.len() - used);
            self.held.extend_from_slice(&bytes[used..used + count]);
            used += count;
            if self.missing() == 0 {
                whole.extend(self.take_frame());
            } else if self.held.len() <= HEADER {
                self.skip_noise();
            }
            if self.held.first() == Some(&END) {
                return (used, Some(mem::take(&mut self.held)));
            }
        }
        (used, None)
    }

    /// Number of bytes to read before the next check: the header byte by byte, then the announced
    /// payload.
    fn missing(&self) -> usize {
        match self.header() {
            Some((_, length)) => HEADER + length - self.held.len(),
            None => 1,
        }
    }

    /// Returns the kind and the length that a complete header announces.
    fn header(&self) -> Option<(FrameKind, usize)> {
        let [START, kind, low, high, sum, ..] = *self.held else {
            return None;
        };
        let is_right = sum == kind.wrapping_add(low).wrapping_add(high);
        let kind = FrameKind::read(kind).filter(|_| is_right)?;
        Some((kind, u16::from_le_bytes([low, high]).into()))
    }

    /// Drops bytes that cannot begin a header, up to the end of the frames.
    fn skip_noise(&mut self) {
        let is_possible = |held: &[u8]| {
            held.first() == Some(&START)
                && held.len() < HEADER
                && held
                    .get(1)
                    .is_none_or(|kind| FrameKind::read(*kind).is_some())
        };
        while !self.held.is_empty()
            && self.header().is_none()
            && !is_possible(&self.held)
            && self.held[0] != END
        {
            self.held.remove(0);
        }
    }

    fn take_frame(&mut self) -> Option<DataFrame> {
        let (kind, _) = self.header()?;
        let payload = mem::take(&mut self.held).split_off(HEADER);
        Some(DataFrame { kind, payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], size: usize) -> (Vec<DataFrame>, Vec<u8>) {
        let mut frames = Frames::default();
        let mut whole = Vec::new();
        let mut offset = 0;
        for piece in bytes.chunks(size) {
            let (used, end) = frames.push(piece, &mut whole);
            offset += used;
            if let Some(end) = end {
                return (whole, [&end, &bytes[offset..]].concat());
            }
        }
        (whole, Vec::new())
    }

    fn frame(kind: FrameKind, payload: &[u8]) -> DataFrame {
        let payload = payload.to_vec();
        DataFrame { kind, payload }
    }

    #[test]
    fn frames_carry_the_protocols_own_bytes_and_noise_between_them_is_passed_over() {
        let bytes = b"tick\r\n\x02D\x03\x00\x47\x04\x04>\x02tock\x02\x02Z\x01\x00\x5bx\x02D\x00\x00\x44\x02E\x00\x00\x44\x02E\x04\x04>";
        let expected = [
            frame(FrameKind::Plain, b"\x04\x04>"),
            frame(FrameKind::Packed, b"x"),
            frame(FrameKind::Plain, b""),
        ];
        for size in [bytes.len(), 7, 1] {
            let (frames, rest) = read(bytes, size);
            assert_eq!(frames, expected, "by {size}");
            assert_eq!(rest, b"\x04\x04>", "by {size}");
        }
    }
}
