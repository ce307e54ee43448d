//! Finds the board's frames in its output.

use alloc::vec::Vec;
use core::time::Duration;

use crate::{
    Instant,
    channel::{self, Frame, Kind, look},
};

/// Limit of a board's silence in the middle of a frame.
const SILENCE: Duration = Duration::from_millis(400);
/// Time of a frame's byte on the slowest line: a program that prints a lookalike of a frame's head
/// is slower, or prints enough to expose it.
const A_BYTE: Duration = Duration::from_micros(2500);

/// A piece of the board's output.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Output of a program, or of the prompt.
    Text(Vec<u8>),
    /// A request.
    Question(Vec<u8>),
    /// Total number of bytes of the answer that the board has room for.
    Credit(usize),
    /// Input that the board has read while it waited for an answer, although it was typed for another reader.
    Typed(Vec<u8>),
}

impl Piece {
    /// Returns the meaning of a frame; `None` for a lookalike, a damaged one, and one of a file transfer.
    fn of(frame: &Frame<'_>) -> Option<Self> {
        let payload = || frame.payload.to_vec();
        match frame.kind {
            _ if !frame.is_right => None,
            Kind::Question => Some(Self::Question(payload())),
            Kind::Typed => Some(Self::Typed(payload())),
            Kind::Credit => Some(Self::Credit(frame.number)),
            Kind::Plain | Kind::Packed | Kind::Hash => None,
        }
    }
}

/// Separates frames from text. Any bytes, split anywhere, give the same pieces, except for the places where text is
/// cut. A lookalike of a frame, or a damaged one, is text: no byte is lost.
#[derive(Debug, Default)]
pub(super) struct Frames {
    held: Vec<u8>,
    /// Arrival of the first and of the last held byte.
    since: Instant,
    last: Instant,
}

impl Frames {
    /// Takes bytes, and appends complete pieces.
    pub(super) fn push(&mut self, now: Instant, bytes: &[u8], pieces: &mut Vec<Piece>) {
        self.last = now;
        let was_held = !self.held.is_empty();
        self.held.extend_from_slice(bytes);
        if self.read(pieces) || !was_held {
            self.since = now;
        }
    }

    /// Reads the held bytes, as far as their meaning is certain; returns true if there was a piece.
    fn read(&mut self, pieces: &mut Vec<Piece>) -> bool {
        let (mut used, mut text) = (0, Vec::new());
        loop {
            let rest = &self.held[used..];
            used += match look(rest) {
                channel::Look::Frame(frame) => match Piece::of(&frame) {
                    Some(piece) => {
                        append_text(pieces, &mut text);
                        pieces.push(piece);
                        frame.length
                    }
                    None => {
                        // Content on its way to another reader is passed over: it may look like a question.
                        let length = if frame.is_right { frame.length } else { 1 };
                        text.extend_from_slice(&rest[..length]);
                        length
                    }
                },
                channel::Look::Text(length) => {
                    text.extend_from_slice(&rest[..length]);
                    length
                }
                channel::Look::Unsure(_) => break,
            };
        }
        append_text(pieces, &mut text);
        self.held.drain(..used);
        used > 0
    }

    /// Time at which held bytes are released: after a silence, or when they arrive slower than any
    /// line carries a frame.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let expected = SILENCE
            + self
                .held
                .len()
                .try_into()
                .map_or(SILENCE, |held| A_BYTE * held);
        let due = (self.last + SILENCE).min(self.since + expected);
        (!self.held.is_empty()).then_some(due)
    }

    /// Gives up on the held bytes, which were not a frame or lost its end: the first byte is text, and the rest may
    /// contain frames.
    pub(super) fn give_up(&mut self, now: Instant, pieces: &mut Vec<Piece>) {
        if !self.held.is_empty() {
            append_text(pieces, &mut self.held.drain(..1).collect());
            self.read(pieces);
            (self.since, self.last) = (now, now);
        }
    }
}

fn append_text(pieces: &mut Vec<Piece>, text: &mut Vec<u8>) {
    if !text.is_empty() {
        pieces.push(Piece::Text(core::mem::take(text)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::encode;

    fn read(bytes: &[u8], size: usize) -> Vec<Piece> {
        let mut frames = Frames::default();
        let mut pieces = Vec::new();
        for piece in bytes.chunks(size) {
            frames.push(Instant::START, piece, &mut pieces);
        }
        while frames.deadline().is_some() {
            frames.give_up(Instant::START, &mut pieces);
        }
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
        let question = encode(Kind::Question, b"\x01s\x18\x0f\x03");
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
    fn what_only_looks_like_a_frame_is_text_and_hides_none() {
        let mut damaged = encode(Kind::Question, b"\x01s/a");
        damaged[9] ^= 1;
        let question = encode(Kind::Question, b"\x02s/b");
        let head = [0x18, 0x0f, b'Q', 0x60, 0xea, 0, 0x9b];
        for text in [
            &b"\x18"[..],
            b"\x18\x0f",
            b"\x18\x0fQ\0\0\0!",
            b"\x18\x0fZ\0\0\0Z",
            b"\x18\x0fQ\xff\xff\xff\x4e",
            &damaged,
            &head,
        ] {
            assert_eq!(read(text, 1), [Piece::Text(text.to_vec())], "{text:?}");
            let bytes = [text, b"on", &question[..]].concat();
            let expected = [
                Piece::Text([text, b"on"].concat()),
                Piece::Question(b"\x02s/b".to_vec()),
            ];
            assert_eq!(read(&bytes, 5), expected, "{text:?}");
        }
    }

    /// Tests a program that prints the head of a frame of 60,000 bytes, and continues to print: each second, or without
    /// a pause.
    #[test]
    fn what_follows_a_frames_head_is_not_held_back_for_long() {
        let head = [0x18, 0x0f, b'Q', 0x60, 0xea, 0, 0x9b];
        for (bytes, pause) in [(10, 100), (1000, 1)] {
            let mut frames = Frames::default();
            let mut pieces = Vec::new();
            frames.push(Instant::START, &head, &mut pieces);
            let mut now = Instant::START;
            let mut printed = head.to_vec();
            for _ in 0..100 {
                now += Duration::from_millis(pause);
                if frames.deadline().is_some_and(|due| due <= now) {
                    frames.give_up(now, &mut pieces);
                }
                frames.push(now, &alloc::vec![b'x'; bytes], &mut pieces);
                printed.extend(alloc::vec![b'x'; bytes]);
            }
            assert!(frames.held.is_empty());
            assert_eq!(joined(pieces), [Piece::Text(printed)]);
        }
    }

    #[test]
    fn a_frame_that_a_slow_line_brings_is_waited_for() {
        let bytes = encode(Kind::Question, &[7; 5000]);
        let mut frames = Frames::default();
        let mut pieces = Vec::new();
        let mut now = Instant::START;
        for piece in bytes.chunks(96) {
            assert!(frames.deadline().is_none_or(|due| due > now));
            frames.push(now, piece, &mut pieces);
            now += Duration::from_millis(100);
        }
        assert_eq!(pieces, [Piece::Question(alloc::vec![7; 5000])]);
    }
}
