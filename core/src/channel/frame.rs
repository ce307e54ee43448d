//! Frames in a board's output.

use alloc::vec::Vec;

use memchr::memchr;

use super::crc32;

/// Start of each frame: Ctrl-X, which text does not contain, and Ctrl-O.
pub(crate) const START: [u8; 2] = [0x18, 0x0f];
/// Size of a header in bytes: start, kind, number and its checksum.
const HEADER: usize = 7;
/// Size of the checksum after a payload, in bytes.
const SUM: usize = 4;
/// Size limit of a payload from a board, in bytes: a block to write, with its path.
const LONGEST: usize = 96 * 1024;

/// Kind of a frame, by the byte after its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Content of a file.
    Plain,
    /// Content packed by the requested method.
    Packed,
    /// Hash of all content.
    Hash,
    /// Question of a mounted folder.
    Question,
    /// Input typed for another reader.
    Typed,
    /// Number of bytes that the board has room for, without a payload.
    Credit,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Plain,
        Self::Packed,
        Self::Hash,
        Self::Question,
        Self::Typed,
        Self::Credit,
    ];

    const fn byte(self) -> u8 {
        match self {
            Self::Plain => b'D',
            Self::Packed => b'Z',
            Self::Hash => b'E',
            Self::Question => b'Q',
            Self::Typed => b'B',
            Self::Credit => b'C',
        }
    }

    fn read(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.byte() == byte)
    }
}

/// Encodes a frame as the board does. A credit's payload is its number, lowest byte first.
///
/// # Panics
/// If the payload has more bytes than its header can count.
#[must_use]
pub fn encode(kind: Kind, payload: &[u8]) -> Vec<u8> {
    let header = |number: usize| {
        let [a, b, c, ..] = number.to_le_bytes();
        assert!(number >> 24 == 0, "a header counts three bytes");
        let numbered = [kind.byte(), a, b, c];
        let sum = numbered.iter().copied().fold(0, u8::wrapping_add);
        [&START[..], &numbered, &[sum]].concat()
    };
    if kind == Kind::Credit {
        let digits = payload.iter().rev();
        return header(digits.fold(0, |number, &byte| number << 8 | usize::from(byte)));
    }
    let sum = crc32(payload).to_le_bytes();
    [&header(payload.len()), payload, &sum].concat()
}

/// A complete frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Kind of the payload.
    pub kind: Kind,
    /// Length of the payload, or a credit.
    pub number: usize,
    /// The payload; empty for a credit.
    pub payload: &'a [u8],
    /// True if the payload matches its checksum.
    pub is_right: bool,
    /// Number of bytes in the whole frame.
    pub length: usize,
}

/// Meaning of the first bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Look<'a> {
    /// At least one byte that belongs to no frame.
    Text(usize),
    /// A complete frame.
    Frame(Frame<'a>),
    /// The beginning of a frame, which lacks at least this many bytes.
    Unsure(usize),
}

/// Looks at the beginning of a board's output. More bytes never change a frame, and only make text longer.
#[must_use]
pub fn look(bytes: &[u8]) -> Look<'_> {
    let is_start = |bytes: &[u8]| bytes.iter().zip(START).all(|(&byte, start)| byte == start);
    match memchr(START[0], bytes) {
        None if bytes.is_empty() => Look::Unsure(1),
        None => Look::Text(bytes.len()),
        Some(0) if !is_start(bytes) => Look::Text(1),
        Some(0) => look_at_header(bytes),
        Some(length) => Look::Text(length),
    }
}

fn look_at_header(bytes: &[u8]) -> Look<'_> {
    let Some((&[_, _, kind, a, b, c, sum], rest)) = bytes.split_first_chunk::<HEADER>() else {
        return Look::Unsure(1);
    };
    let number = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
    let is_right = sum == kind.wrapping_add(a).wrapping_add(b).wrapping_add(c);
    let frame = |kind, payload, length, is_right| {
        Look::Frame(Frame {
            kind,
            number,
            payload,
            is_right,
            length,
        })
    };
    match Kind::read(kind).filter(|_| is_right) {
        Some(kind @ Kind::Credit) => frame(kind, &[], HEADER, true),
        Some(kind) if number <= LONGEST => match rest.split_at_checked(number) {
            Some((payload, after)) if after.len() >= SUM => {
                let is_right = after[..SUM] == crc32(payload).to_le_bytes();
                frame(kind, payload, HEADER + number + SUM, is_right)
            }
            Some(_) | None => Look::Unsure(number + SUM - rest.len()),
        },
        Some(_) | None => Look::Text(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_frame_is_read_as_it_was_encoded() {
        for kind in Kind::ALL {
            let payload = [4, 3, 24];
            let bytes = encode(kind, &payload);
            for length in 1..bytes.len() {
                assert!(matches!(look(&bytes[..length]), Look::Unsure(1..)));
            }
            let Look::Frame(frame) = look(&bytes) else {
                panic!("{bytes:?} is a frame");
            };
            assert_eq!((frame.kind, frame.length), (kind, bytes.len()));
            match kind {
                Kind::Credit => assert_eq!(frame.number, 0x18_0304),
                _ => assert_eq!((frame.payload, frame.is_right), (&payload[..], true)),
            }
        }
    }

    #[test]
    fn a_changed_bit_never_gives_another_frame() {
        let bytes = encode(Kind::Plain, &[7; 20]);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            match look(&damaged) {
                Look::Frame(frame) => assert!(!frame.is_right, "bit {bit}"),
                Look::Text(_) | Look::Unsure(_) => {}
            }
        }
    }

    #[test]
    fn the_start_of_a_frame_is_found_behind_text() {
        let bytes = [b"ab\x18c".to_vec(), encode(Kind::Hash, b"")].concat();
        assert_eq!(look(&bytes), Look::Text(2));
        assert_eq!(look(&bytes[2..]), Look::Text(1));
        assert_eq!(look(&bytes[3..]), Look::Text(1));
        assert!(matches!(look(&bytes[4..]), Look::Frame(_)));
        let long = [&START[..], b"D\xff\xff\xff\x41"].concat();
        assert_eq!(look(&long), Look::Text(1));
        assert_eq!(look(&[0x18; 3]), Look::Text(1));
    }
}
