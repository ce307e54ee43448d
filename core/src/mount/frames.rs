//! Finding the board's frames in what it sends, between the output of its programs.

use alloc::vec::Vec;

use crc::{CRC_32_ISO_HDLC, Crc};
use memchr::memchr;

/// What each frame begins with: Ctrl-X, which people do not print, and Ctrl-O.
pub(super) const START: [u8; 2] = [0x18, 0x0f];
/// How many bytes a header has: the start, kind, length and sum.
const HEADER: usize = 7;
/// How many bytes the sum behind a payload has.
const SUM: usize = 4;
/// The longest payload that a board sends: a block to be written, with its path.
const LONGEST: usize = 96 * 1024;

/// The sum that both sides compare, which is `binascii.crc32` on the board.
pub(super) const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// A piece of what the board sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Output of a program, or of the prompt.
    Text(Vec<u8>),
    /// It asks for something.
    Question(Vec<u8>),
    /// It has room for so many bytes of the answer, in all.
    Credit(usize),
    /// It has read these while it waited for an answer, and they were typed for somebody else.
    Typed(Vec<u8>),
}

/// Tells frames and text apart. Any bytes, split anywhere, give the same pieces, but for where text is cut.
#[derive(Debug, Default)]
pub(super) struct Frames {
    held: Vec<u8>,
}

impl Frames {
    /// Takes in bytes, and appends the pieces that are whole.
    pub(super) fn push(&mut self, bytes: &[u8], pieces: &mut Vec<Piece>) {
        self.held.extend_from_slice(bytes);
        let (mut used, mut text) = (0, Vec::new());
        loop {
            let rest = &self.held[used..];
            match look(rest) {
                Look::Text(length) => text.extend_from_slice(&rest[..length]),
                Look::Frame(_, piece) => {
                    append_text(pieces, &mut text);
                    pieces.extend(piece);
                }
                Look::Unsure => break,
            }
            used += look_length(rest);
        }
        append_text(pieces, &mut text);
        self.held.drain(..used);
    }

    /// Whether bytes are held that may be the beginning of a frame.
    pub(super) const fn is_unsure(&self) -> bool {
        !self.held.is_empty()
    }

    /// What is held was no frame, or one whose end is lost. Text without a whole header is the program's own.
    pub(super) fn give_up(&mut self, pieces: &mut Vec<Piece>) {
        let held = core::mem::take(&mut self.held);
        if held.len() < HEADER {
            append_text(pieces, &mut held.clone());
        }
    }
}

fn append_text(pieces: &mut Vec<Piece>, text: &mut Vec<u8>) {
    if !text.is_empty() {
        pieces.push(Piece::Text(core::mem::take(text)));
    }
}

/// What bytes begin with.
enum Look {
    Text(usize),
    /// A frame of so many bytes; a damaged one is no piece.
    Frame(usize, Option<Piece>),
    Unsure,
}

fn look_length(bytes: &[u8]) -> usize {
    match look(bytes) {
        Look::Text(length) | Look::Frame(length, _) => length,
        Look::Unsure => 0,
    }
}

fn look(bytes: &[u8]) -> Look {
    let is_start = |bytes: &[u8]| bytes.iter().zip(START).all(|(&byte, start)| byte == start);
    match memchr(START[0], bytes) {
        None if bytes.is_empty() => Look::Unsure,
        None => Look::Text(bytes.len()),
        Some(0) if !is_start(bytes) => Look::Text(1),
        Some(0) => look_at_header(bytes),
        Some(length) => Look::Text(length),
    }
}

fn look_at_header(bytes: &[u8]) -> Look {
    let Some((&[_, _, kind, a, b, c, sum], rest)) = bytes.split_first_chunk::<HEADER>() else {
        return Look::Unsure;
    };
    let number = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
    if sum != kind.wrapping_add(a).wrapping_add(b).wrapping_add(c) {
        return Look::Text(1);
    }
    let read: fn(Vec<u8>) -> Piece = match kind {
        b'C' => return Look::Frame(HEADER, Some(Piece::Credit(number))),
        b'Q' => Piece::Question,
        b'B' => Piece::Typed,
        _ => return Look::Text(1),
    };
    if number > LONGEST {
        return Look::Text(1);
    }
    let Some((payload, after)) = rest.split_at_checked(number) else {
        return Look::Unsure;
    };
    let Some(sum) = after.first_chunk::<SUM>() else {
        return Look::Unsure;
    };
    let is_whole = CRC.checksum(payload) == u32::from_le_bytes(*sum);
    let piece = is_whole.then(|| read(payload.to_vec()));
    Look::Frame(HEADER + number + SUM, piece)
}

/// A frame as the board makes it.
#[cfg(test)]
pub(super) fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = u32::try_from(payload.len()).unwrap().to_le_bytes();
    let sum = kind.wrapping_add(a).wrapping_add(b).wrapping_add(c);
    let header = [START[0], START[1], kind, a, b, c, sum];
    [&header, payload, &CRC.checksum(payload).to_le_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], size: usize) -> Vec<Piece> {
        let mut frames = Frames::default();
        let mut pieces = Vec::new();
        for piece in bytes.chunks(size) {
            frames.push(piece, &mut pieces);
        }
        frames.give_up(&mut pieces);
        joined(pieces)
    }

    fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
        let mut all: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (all.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.extend(text),
                (_, piece) => all.push(piece),
            }
        }
        all
    }

    #[test]
    fn frames_are_found_between_text_however_it_is_split() {
        let question = frame(b'Q', b"\x01s\x18\x0f\x03");
        let credit = [0x18, 0x0f, b'C', 0, 8, 0, b'C' + 8];
        let bytes = [
            b"a\x18b".as_slice(),
            &question,
            &credit,
            b"c\x18\x0f\x18",
            &question,
        ]
        .concat();
        for size in [bytes.len(), 7, 1] {
            let expected = [
                Piece::Text(b"a\x18b".to_vec()),
                Piece::Question(b"\x01s\x18\x0f\x03".to_vec()),
                Piece::Credit(2048),
                Piece::Text(b"c\x18\x0f\x18".to_vec()),
            ];
            let pieces = read(&bytes, size);
            assert_eq!(pieces[..3], expected[..3], "by {size}");
        }
    }

    #[test]
    fn a_damaged_frame_is_dropped_and_what_only_looks_like_one_is_text() {
        let mut damaged = frame(b'Q', b"\x01s/a");
        damaged[9] ^= 1;
        assert_eq!(read(&damaged, 3), []);
        for text in [
            &b"\x18"[..],
            b"\x18\x0f",
            b"\x18\x0fQ\0\0\0!",
            b"\x18\x0fZ\0\0\0Z",
            b"\x18\x0fQ\xff\xff\xff\x4e",
        ] {
            assert_eq!(read(text, 1), [Piece::Text(text.to_vec())], "{text:?}");
        }
    }
}
