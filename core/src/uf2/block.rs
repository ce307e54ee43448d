//! One block of a file.

use super::Family;

/// Length of a block, in bytes: a sector of the drive.
pub const BLOCK_LENGTH: usize = 512;
/// Limit of a block's data, in bytes.
pub const MAX_DATA: usize = 476;

/// A UF2 block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Flags, as stored in the file.
    pub flags: u32,
    /// Address of the data in the flash.
    pub address: u32,
    /// Number of the block, from 0.
    pub number: u32,
    /// Number of blocks in the block's set.
    pub count: u32,
    /// Family of chips that the block is for, if it names one.
    pub family: Option<Family>,
    /// Data, at most [`MAX_DATA`] bytes.
    pub data: &'a [u8],
}

/// Fault of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockError {
    /// The first or last bytes do not match those of a block.
    Magic,
    /// The block announces more data than a block can hold.
    Length(u32),
    /// The block's number is not less than the number of blocks.
    Number { number: u32, count: u32 },
    /// The data would end beyond the last address.
    Address(u32),
}

impl<'a> Block<'a> {
    pub(super) fn parse(bytes: &'a [u8; BLOCK_LENGTH]) -> Result<Self, BlockError> {
        let word = |at: usize| {
            let word = bytes[at..].first_chunk().copied();
            u32::from_le_bytes(word.unwrap_or_default())
        };
        if [word(0), word(4), word(508)] != [MAGIC_0, MAGIC_1, MAGIC_END] {
            return Err(BlockError::Magic);
        }
        let (flags, address, length) = (word(8), word(12), word(16));
        let (number, count) = (word(20), word(24));
        let data = usize::try_from(length).ok().filter(|it| *it <= MAX_DATA);
        let data = data.and_then(|length| bytes.get(DATA_AT..DATA_AT + length));
        let data = data.ok_or(BlockError::Length(length))?;
        if number >= count {
            return Err(BlockError::Number { number, count });
        }
        if address.checked_add(length).is_none() {
            return Err(BlockError::Address(address));
        }
        let family = (flags & HAS_FAMILY != 0).then(|| Family(word(28)));
        Ok(Self {
            flags,
            address,
            number,
            count,
            family,
            data,
        })
    }

    /// Encodes the block; data beyond [`MAX_DATA`] is omitted.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; BLOCK_LENGTH] {
        let mut bytes = [0; BLOCK_LENGTH];
        let data = &self.data[..self.data.len().min(MAX_DATA)];
        let family = self.family.map_or(0, |family| family.0);
        let flags = match self.family {
            Some(_) => self.flags | HAS_FAMILY,
            None => self.flags & !HAS_FAMILY,
        };
        let length = data.len() as u32;
        let words = [
            MAGIC_0,
            MAGIC_1,
            flags,
            self.address,
            length,
            self.number,
            self.count,
            family,
        ];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes[DATA_AT..DATA_AT + data.len()].copy_from_slice(data);
        bytes[BLOCK_LENGTH - 4..].copy_from_slice(&MAGIC_END.to_le_bytes());
        bytes
    }

    /// Returns true if the data goes into the main flash.
    #[must_use]
    pub const fn is_for_flash(&self) -> bool {
        self.flags & (NOT_FLASH | FILE_PART) == 0
    }

    /// Returns the address after the data.
    pub(super) fn end(&self) -> u32 {
        self.address.saturating_add(self.data.len() as u32)
    }
}

const MAGIC_0: u32 = 0x0a32_4655;
const MAGIC_1: u32 = 0x9e5d_5157;
const MAGIC_END: u32 = 0x0ab1_6f30;
const NOT_FLASH: u32 = 1;
const FILE_PART: u32 = 0x1000;
const HAS_FAMILY: u32 = 0x2000;
const DATA_AT: usize = 32;
