//! Frames in a reply, for transfers whose bytes are not escaped: those of the [channel](crate::channel).
//!
//! Data between two frames is the output of a thread or a timer, and is skipped up to the next header. `04` there ends
//! the frames, and stdout with them: a program that raises between two frames is therefore still read as one that
//! raised.

use alloc::vec::Vec;
use core::mem;

use memchr::memchr;

use crate::{
    channel::{Frame, Kind, Look, look},
    raw_repl::control::END,
};

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
    /// A payload that does not match its checksum.
    Damaged,
}

impl DataFrame {
    fn new(frame: &Frame<'_>) -> Self {
        let kind = match frame.kind {
            Kind::Plain if frame.is_right => FrameKind::Plain,
            Kind::Packed if frame.is_right => FrameKind::Packed,
            Kind::Hash if frame.is_right => FrameKind::Hash,
            _ => FrameKind::Damaged,
        };
        let payload = frame.payload.to_vec();
        Self { kind, payload }
    }
}

/// Collects frames.
#[derive(Debug, Default)]
pub(in crate::raw_repl) struct Frames {
    /// A header, or a possible beginning of one, and the received part of its payload.
    held: Vec<u8>,
    /// Number of bytes to read before the next look: the header byte by byte, then the announced payload.
    missing: usize,
}

impl Frames {
    /// Takes bytes up to the end of the frames, if they contain it. Returns their number, and the held part of the
    /// reply after the frames, which begins with `04`.
    pub(in crate::raw_repl) fn push(
        &mut self,
        bytes: &[u8],
        whole: &mut Vec<DataFrame>,
    ) -> (usize, Option<Vec<u8>>) {
        let mut used = 0;
        while used < bytes.len() {
            let count = self.missing.max(1).min(bytes.len() - used);
            self.held.extend_from_slice(&bytes[used..used + count]);
            self.missing = self.missing.saturating_sub(count);
            used += count;
            if self.missing == 0
                && let Some(end) = self.read(whole)
            {
                return (used, Some(end));
            }
        }
        (used, None)
    }

    /// Reads the held bytes as far as their meaning is certain, or up to the end of the frames.
    fn read(&mut self, whole: &mut Vec<DataFrame>) -> Option<Vec<u8>> {
        loop {
            let used = match look(&self.held) {
                Look::Unsure(missing) => {
                    self.missing = missing;
                    return None;
                }
                Look::Text(length) => {
                    if let Some(end) = memchr(END, &self.held[..length]) {
                        self.held.drain(..end);
                        return Some(mem::take(&mut self.held));
                    }
                    length
                }
                Look::Frame(frame) => {
                    whole.push(DataFrame::new(&frame));
                    frame.length
                }
            };
            self.held.drain(..used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::encode;

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
        let mut damaged = encode(Kind::Plain, b"\x04\x04>");
        damaged[8] ^= 1;
        let bytes = [
            b"tick\r\n".to_vec(),
            encode(Kind::Plain, b"\x04\x04>"),
            b"\x18tock\x18\x0f\x18\x0fD\x01\x01\x01!".to_vec(),
            encode(Kind::Packed, b"x"),
            encode(Kind::Plain, b""),
            damaged,
            b"\x18\x0fE\x04\x04>".to_vec(),
        ]
        .concat();
        let expected = [
            frame(FrameKind::Plain, b"\x04\x04>"),
            frame(FrameKind::Packed, b"x"),
            frame(FrameKind::Plain, b""),
            frame(FrameKind::Damaged, b"\x04\x05>"),
        ];
        // The last header is never completed; a seventh byte shows that it is none.
        let bytes = [bytes, b"a".to_vec()].concat();
        for size in [bytes.len(), 7, 1] {
            let (frames, rest) = read(&bytes, size);
            assert_eq!(frames, expected, "by {size}");
            assert_eq!(rest, b"\x04\x04>a", "by {size}");
        }
    }
}
