//! Unpacks the output of the packer on the board: runs of literal bytes, each followed by a
//! repetition of earlier ones.
//!
//! ```text
//! ll·rr  [l…]  bytes  back back  [r…]     ll, rr: 4 bits each, 15 for "more follows", a byte at a time while it is 255
//! ```
//!
//! The arrangement is LZ4's, and a repetition is four bytes longer than its number. The last run needs none.

use alloc::vec::Vec;

/// The shortest repetition, in bytes.
const SHORTEST: usize = 4;
/// A four-bit length that continues in the following bytes.
const MORE: usize = 15;

/// Returns the unpacked bytes; `None` if the input is not a packer's output, or unpacks to more than `limit` bytes.
pub(super) fn unpack(mut packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(&lengths) = packed.split_off_first() {
        let run = length(usize::from(lengths >> 4), &mut packed)?;
        bytes.extend_from_slice(packed.split_off(..run)?);
        if !packed.is_empty() {
            let back = packed.split_off(..2)?;
            let back = usize::from(u16::from_le_bytes([back[0], back[1]]));
            let count = SHORTEST + length(usize::from(lengths & 15), &mut packed)?;
            repeat(&mut bytes, back, count.min(limit + 1))?;
        }
        if bytes.len() > limit {
            return None;
        }
    }
    Some(bytes)
}

fn length(short: usize, packed: &mut &[u8]) -> Option<usize> {
    let mut length = short;
    let mut last = if short == MORE { u8::MAX } else { 0 };
    while last == u8::MAX {
        last = *packed.split_off_first()?;
        length += usize::from(last);
    }
    Some(length)
}

/// Repeats earlier bytes; the source may overlap the result.
fn repeat(bytes: &mut Vec<u8>, back: usize, count: usize) -> Option<()> {
    let start = bytes.len().checked_sub(back).filter(|_| back > 0)?;
    for at in start..start + count {
        bytes.push(bytes[at]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_repetitions_of_any_length_are_unpacked() {
        assert_eq!(unpack(b"", 9).as_deref(), Some(&b""[..]));
        assert_eq!(unpack(b"\x30abc", 9).as_deref(), Some(&b"abc"[..]));
        let packed = b"\x31abc\x03\0\x10d";
        assert_eq!(unpack(packed, 9).as_deref(), Some(&b"abcabcabd"[..]));
        let long = unpack(b"\x1fx\x01\0\xff\x05", 1000).unwrap();
        assert_eq!(long, [b'x'; 1 + 4 + 15 + 255 + 5]);
        let run = [&b"\xf0\x01"[..], b"0123456789abcdef"].concat();
        assert_eq!(unpack(&run, 16).as_deref(), Some(&run[2..]));
    }

    #[test]
    fn what_no_packer_makes_is_refused() {
        for (packed, limit) in [
            (&b"\x30ab"[..], 9),
            (b"\x10a\x02\0", 9),
            (b"\x10a\0\0", 9),
            (b"\x10a\x01", 9),
            (b"\xf0\xff", 9),
            (b"\x1fa\x01\0\xff\xff\xff\0", 100),
            (b"\x30abc", 2),
        ] {
            assert_eq!(unpack(packed, limit), None, "{packed:?}");
        }
    }
}
