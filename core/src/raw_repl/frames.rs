//! Counted binary frames in a reply, for transfers whose bytes are not escaped.
//!
//! `D` or `Z`, two bytes of length (little-endian), then as many bytes. Any other byte ends the frames, and with it
//! begins an ordinary reply: so a program that raises between two frames is still read as one that raised.

use alloc::vec::Vec;
use core::mem;

/// A piece of binary output, as a transfer's program frames it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFrame {
    /// Whether the payload is packed, by the means that the program was asked for.
    pub packed: bool,
    /// The bytes.
    pub payload: Vec<u8>,
}

const RAW: u8 = b'D';
const PACKED: u8 = b'Z';
const HEADER_LENGTH: usize = 3;

/// Collects frames.
#[derive(Debug, Default)]
pub(super) struct Frames {
    held: Vec<u8>,
}

/// What some bytes were.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Partial,
    Whole(DataFrame),
    /// Not a frame: none of the bytes are taken.
    End,
}

impl Frames {
    /// Takes in the bytes of at most one frame, and tells how many it took.
    pub(super) fn push(&mut self, bytes: &[u8]) -> (usize, Piece) {
        if self.held.is_empty() && !matches!(bytes.first(), Some(&(RAW | PACKED))) {
            return (0, Piece::End);
        }
        let mut used = 0;
        while used < bytes.len() && self.missing() > 0 {
            let count = (bytes.len() - used).min(self.missing());
            self.held.extend_from_slice(&bytes[used..used + count]);
            used += count;
        }
        let piece = if self.missing() == 0 {
            Piece::Whole(self.take_frame())
        } else {
            Piece::Partial
        };
        (used, piece)
    }

    /// How many bytes to read before looking again: the header first, then what it announces.
    fn missing(&self) -> usize {
        match self.held.as_slice() {
            [_, low, high, ..] => {
                HEADER_LENGTH + usize::from(u16::from_le_bytes([*low, *high])) - self.held.len()
            }
            short => HEADER_LENGTH - short.len(),
        }
    }

    fn take_frame(&mut self) -> DataFrame {
        let mut held = mem::take(&mut self.held);
        let packed = held[0] == PACKED;
        held.drain(..HEADER_LENGTH);
        DataFrame {
            packed,
            payload: held,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], size: usize) -> (Vec<DataFrame>, usize) {
        let mut frames = Frames::default();
        let mut whole = Vec::new();
        let mut total = 0;
        for piece in bytes.chunks(size) {
            let mut offset = 0;
            while offset < piece.len() {
                match frames.push(&piece[offset..]) {
                    (used, Piece::Partial) => offset += used,
                    (used, Piece::Whole(frame)) => {
                        offset += used;
                        whole.push(frame);
                    }
                    (_, Piece::End) => return (whole, total + offset),
                }
            }
            total += piece.len();
        }
        (whole, total)
    }

    #[test]
    fn frames_carry_the_protocols_own_bytes() {
        let bytes = b"D\x03\x00\x04\x04>Z\x01\x00xD\x00\x00=\x04";
        for size in [bytes.len(), 7, 1] {
            let (frames, used) = read(bytes, size);
            let expected = [(false, &b"\x04\x04>"[..]), (true, b"x"), (false, b"")].map(
                |(packed, payload)| DataFrame {
                    packed,
                    payload: payload.to_vec(),
                },
            );
            assert_eq!(
                (&frames[..], used),
                (&expected[..], bytes.len() - 2),
                "by {size}"
            );
        }
    }
}
