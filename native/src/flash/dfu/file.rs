//! Files for the DFU mode of STM32 chips (ST UM0391, "DfuSe file format").

use std::ops::Range;

use crc::{CRC_32_JAMCRC, Crc};

/// Content of a `.dfu` file: parts of the flash, with their addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DfuFile {
    /// The parts, in the order of the file.
    pub parts: Vec<DfuPart>,
}

/// Part of the flash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DfuPart {
    /// Address of the first byte.
    pub address: u32,
    /// Place of the content in the file.
    pub place: Range<usize>,
}

impl DfuFile {
    /// Reads a file. `None` for a file of another kind; `Some(None)` for one that is truncated or changed.
    pub(in crate::flash) fn read(bytes: &[u8]) -> Option<Option<Self>> {
        bytes.starts_with(b"DfuSe").then(|| Self::read_whole(bytes))
    }

    fn read_whole(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk::<4>()?;
        // All bits of the checksum are set at its start, and not inverted at its end.
        if Crc::<u32>::new(&CRC_32_JAMCRC).checksum(body) != u32::from_le_bytes(*sum) {
            return None;
        }
        let end = bytes.len().checked_sub(SUFFIX)?;
        let mut reader = Reader {
            bytes: &bytes[..end],
            at: PREFIX,
        };
        let targets = *bytes.get(PREFIX - 1)?;
        let mut parts = Vec::new();
        for _ in 0..targets {
            if reader.take(6)? != b"Target" {
                return None;
            }
            reader.take(TARGET_NAME)?;
            let (_size, count) = (reader.number()?, reader.number()?);
            for _ in 0..count {
                let (address, length) = (reader.number()?, reader.number()? as usize);
                let start = reader.at;
                reader.take(length)?;
                address.checked_add(u32::try_from(length).ok()?)?;
                let place = start..start + length;
                parts.push(DfuPart { address, place });
            }
        }
        let is_whole = reader.at == end && !parts.is_empty();
        is_whole.then_some(Self { parts })
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        let bytes = self.take(4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }
}

/// Length of the file's prefix, whose last byte is the number of targets.
const PREFIX: usize = 11;
/// Length of a target's alternate setting and name.
const TARGET_NAME: usize = 260;
/// Length of the suffix: versions, ids, a signature, and the checksum.
const SUFFIX: usize = 16;

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Makes a file with these parts.
    pub(in crate::flash) fn dfu(parts: &[(u32, &[u8])]) -> Vec<u8> {
        let mut elements = Vec::new();
        for (address, data) in parts {
            elements.extend(address.to_le_bytes());
            elements.extend((data.len() as u32).to_le_bytes());
            elements.extend(*data);
        }
        let mut file = b"DfuSe\x01".to_vec();
        file.extend((elements.len() as u32 + 285).to_le_bytes());
        file.push(1);
        file.extend(b"Target\0\x01\0\0\0");
        file.resize(11 + 6 + 260, 0);
        file.extend((elements.len() as u32).to_le_bytes());
        file.extend((parts.len() as u32).to_le_bytes());
        file.extend(elements);
        file.extend([0xff, 0xff, 0x11, 0xdf, 0x83, 0x04, 0x1a, 0x01]);
        file.extend(b"UFD\x10");
        let sum = Crc::<u32>::new(&CRC_32_JAMCRC).checksum(&file);
        file.extend(sum.to_le_bytes());
        file
    }

    #[test]
    fn a_file_has_its_parts_with_their_addresses() {
        let file = dfu(&[(0x0800_0000, b"vectors"), (0x0802_0000, b"the program")]);
        let read = DfuFile::read(&file).unwrap().unwrap();
        let parts: Vec<_> = read
            .parts
            .iter()
            .map(|part| (part.address, &file[part.place.clone()]))
            .collect();
        let expected: [(u32, &[u8]); 2] =
            [(0x0800_0000, b"vectors"), (0x0802_0000, b"the program")];
        assert_eq!(parts, expected);
        assert_eq!(DfuFile::read(b"print(1)"), None);
    }

    #[test]
    fn a_file_that_was_cut_or_changed_is_refused() {
        let file = dfu(&[(0x0800_0000, &[7; 100])]);
        for end in 5..file.len() {
            assert_eq!(DfuFile::read(&file[..end]), Some(None), "{end}");
        }
        for at in 5..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert_eq!(DfuFile::read(&changed), Some(None), "{at}");
        }
        assert_eq!(DfuFile::read(&dfu(&[])), Some(None));
        assert_eq!(DfuFile::read(&dfu(&[(u32::MAX, b"ab")])), Some(None));
    }
}
