//! Images of ROMFS, the file system from which MicroPython reads and imports without copying to memory.
//!
//! An image is made of records (MicroPython v1.29, `extmod/vfs_rom.c`): a kind, a length and a payload. The first two
//! are big-endian numbers of 7 bits per byte; each byte but the last has its highest bit set.
//!
//! | kind | payload |
//! |---|---|
//! | image, `d2 cd 31` | its records; the header is padded to an even length, so that code in it is aligned |
//! | 4, a folder | length of its name, the name, its records |
//! | 5, a file | length of its name, the name, a record of kind 2 with its content |
//!
//! ```
//! use flylead_native::romfs::{Entry, image, size};
//!
//! let image = image(&[("main.py".into(), Entry::File(b"print(1)\n".to_vec()))]);
//! assert_eq!(size(&image), Some(image.len() as u64));
//! ```

/// Entry of a folder in an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file's content.
    File(Vec<u8>),
    /// A folder's entries, by name, in the order of the image.
    Folder(Vec<(String, Self)>),
}

/// Builds the image of a folder with these entries.
#[must_use]
pub fn image(entries: &[(String, Entry)]) -> Vec<u8> {
    let records = records(entries);
    let mut length = number(records.len());
    if (HEADER.len() + length.len() + records.len()) % 2 == 1 {
        // A leading digit 0 changes no number.
        length.insert(0, MORE);
    }
    [&HEADER, length.as_slice(), &records].concat()
}

/// Returns the size that an image declares at its beginning; `None` if it is not an image.
#[must_use]
pub fn size(beginning: &[u8]) -> Option<u64> {
    let digits = beginning.strip_prefix(&HEADER)?;
    let last = digits.iter().position(|digit| digit & MORE == 0)?;
    let value = digits[..=last].iter().try_fold(0_u64, |value, digit| {
        let value = value.checked_mul(1 << BITS)?;
        Some(value | u64::from(digit & !MORE))
    })?;
    value.checked_add((HEADER.len() + last + 1) as u64)
}

fn records(entries: &[(String, Entry)]) -> Vec<u8> {
    entries
        .iter()
        .flat_map(|(name, entry)| record(name, entry))
        .collect()
}

fn record(name: &str, entry: &Entry) -> Vec<u8> {
    let (kind, content) = match entry {
        Entry::File(content) => (FILE, pack(VERBATIM, content)),
        Entry::Folder(entries) => (FOLDER, records(entries)),
    };
    pack(
        kind,
        &[&*number(name.len()), name.as_bytes(), &content].concat(),
    )
}

fn pack(kind: usize, payload: &[u8]) -> Vec<u8> {
    [&*number(kind), &number(payload.len()), payload].concat()
}

fn number(mut value: usize) -> Vec<u8> {
    let mut digits = vec![low_digit(value)];
    value >>= BITS;
    while value != 0 {
        digits.insert(0, MORE | low_digit(value));
        value >>= BITS;
    }
    digits
}

const fn low_digit(value: usize) -> u8 {
    (value & 0x7f) as u8
}

/// Kind of an image, 0x14a6b1 as a number, with which no other file begins.
const HEADER: [u8; 3] = [0xd2, 0xcd, 0x31];
const VERBATIM: usize = 2;
const FOLDER: usize = 4;
const FILE: usize = 5;
/// Bit that marks a digit followed by another one.
const MORE: u8 = 0x80;
/// Number of bits per digit.
const BITS: u32 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_its_size_and_an_even_header() {
        for length in [0, 1, 2, 100, 120, 121, 130, 16_000, 20_001] {
            let image = image(&[("a.bin".into(), Entry::File(vec![7; length]))]);
            assert_eq!(size(&image), Some(image.len() as u64), "{length}");
            assert_eq!(
                size(&image[..12.min(image.len())]),
                Some(image.len() as u64)
            );
            assert_eq!(image.len() % 2, 0, "{length}");
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let inner = vec![("b.py".to_owned(), Entry::File(b"1".to_vec()))];
        let entries = [("lib".to_owned(), Entry::Folder(inner))];
        let file = b"\x05\x08\x04b.py\x02\x011";
        let folder = [b"\x04\x0e\x03lib".as_slice(), file].concat();
        let expected = [&HEADER, [folder.len() as u8].as_slice(), &folder].concat();
        assert_eq!(image(&entries), expected);
    }

    #[test]
    fn what_is_no_image_has_no_size() {
        for bytes in [
            b"".as_slice(),
            b"\xd2\xcd",
            b"\xd2\xcd\x31",
            b"\xd2\xcd\x31\xff\xff",
            b"PK\x03\x04",
        ] {
            assert_eq!(size(bytes), None, "{bytes:?}");
        }
        let endless = [&HEADER, [0xff; 12].as_slice(), &[1]].concat();
        assert_eq!(size(&endless), None);
    }
}
