//! A whole file: its blocks, and the image they form.

use alloc::{vec, vec::Vec};
use core::fmt;

use super::{
    Family,
    block::{BLOCK_LENGTH, Block, BlockError},
};

/// Limit of the distance from an image's first to its last byte, in bytes; larger than any board's flash.
pub const SPAN_LIMIT: u32 = 64 << 20;
/// Limit of families in a file: files of vendors name at most three, and each family costs a pass over all blocks.
pub const FAMILIES_LIMIT: usize = 16;

/// A complete UF2 file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File<'a> {
    blocks: Vec<Block<'a>>,
}

/// Bytes in a board's flash, without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Address of the first byte.
    pub start: u32,
    /// Content; gaps between blocks are 0xff, like erased flash.
    pub bytes: Vec<u8>,
}

/// Fault of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The file does not begin like a UF2 file.
    NotUf2,
    /// The file ends in the middle of a block.
    Cut {
        /// Length of the file, in bytes.
        length: usize,
    },
    /// A block is damaged, or is not a block.
    Damaged {
        /// Index of the block in the file, from 0.
        block: usize,
    },
    /// Blocks are missing.
    Missing {
        /// Family of the blocks.
        family: Option<Family>,
        /// Number of different blocks in the file.
        present: u32,
        /// Number of blocks announced.
        announced: u32,
    },
    /// Two blocks have different data for the same address.
    Overlap {
        /// Address of the later block.
        address: u32,
    },
    /// Blocks with the same number differ.
    Contradiction {
        /// Number of the blocks.
        number: u32,
    },
    /// The first and the last address are further apart than [`SPAN_LIMIT`].
    TooFar,
    /// The blocks name more families than [`FAMILIES_LIMIT`].
    TooMany,
}

impl<'a> File<'a> {
    /// Reads a file and checks that it is complete.
    ///
    /// # Errors
    /// The file is not UF2, is damaged, lacks blocks, or has blocks that contradict each other.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let (chunks, rest) = bytes.as_chunks::<BLOCK_LENGTH>();
        let mut blocks = Vec::with_capacity(chunks.len());
        for (number, chunk) in chunks.iter().enumerate() {
            match Block::parse(chunk) {
                Ok(block) => blocks.push(block),
                Err(BlockError::Magic) if number == 0 => return Err(Error::NotUf2),
                Err(_) => return Err(Error::Damaged { block: number }),
            }
        }
        match (blocks.is_empty(), rest.is_empty()) {
            (true, _) => return Err(Error::NotUf2),
            (false, false) => {
                return Err(Error::Cut {
                    length: bytes.len(),
                });
            }
            (false, true) => {}
        }
        let file = Self { blocks };
        let families = file.families();
        if families.len() > FAMILIES_LIMIT {
            return Err(Error::TooMany);
        }
        for family in families {
            file.check_whole(family)?;
        }
        Ok(file)
    }

    /// Returns the blocks, in the order of the file.
    #[must_use]
    pub fn blocks(&self) -> &[Block<'a>] {
        &self.blocks
    }

    /// Returns the families of the blocks, each once; `None` for blocks that name none.
    #[must_use]
    pub fn families(&self) -> Vec<Option<Family>> {
        let mut families = Vec::new();
        // One more than the limit is enough to refuse the file.
        for block in &self.blocks {
            if families.len() <= FAMILIES_LIMIT && !families.contains(&block.family) {
                families.push(block.family);
            }
        }
        families
    }

    /// Returns the image of a family in the main flash; `None` if none of its blocks go there.
    ///
    /// # Errors
    /// Blocks contradict each other, or are too far apart.
    pub fn image(&self, family: Option<Family>) -> Result<Option<Image>, Error> {
        let mut blocks: Vec<_> = self.of(family).filter(|it| it.is_for_flash()).collect();
        blocks.sort_by_key(|block| block.address);
        let (Some(first), Some(end)) = (blocks.first(), blocks.iter().map(|it| it.end()).max())
        else {
            return Ok(None);
        };
        let start = first.address;
        if end - start > SPAN_LIMIT {
            return Err(Error::TooFar);
        }
        let mut bytes = vec![ERASED; (end - start) as usize];
        let mut before: Option<&Block<'_>> = None;
        for block in blocks {
            let address = block.address;
            match before {
                Some(before) if before.address == address && before.data == block.data => continue,
                Some(before) if before.end() > address => return Err(Error::Overlap { address }),
                _ => {}
            }
            let at = (address - start) as usize;
            bytes[at..at + block.data.len()].copy_from_slice(block.data);
            before = Some(block);
        }
        Ok(Some(Image { start, bytes }))
    }

    fn of(&self, family: Option<Family>) -> impl Iterator<Item = &Block<'a>> {
        self.blocks.iter().filter(move |it| it.family == family)
    }

    /// Checks that all announced blocks of a family are present, each with only one content.
    fn check_whole(&self, family: Option<Family>) -> Result<(), Error> {
        if family == Some(Family::RP2XXX_ABSOLUTE) {
            return Ok(());
        }
        let announced = self.of(family).map(|block| block.count).max().unwrap_or(0);
        let mut blocks: Vec<_> = self.of(family).collect();
        blocks.sort_by_key(|block| block.number);
        blocks.dedup();
        let mut pairs = blocks.windows(2);
        if let Some([one, _]) = pairs.find(|pair| pair[0].number == pair[1].number) {
            return Err(Error::Contradiction { number: one.number });
        }
        let present = blocks.len() as u32;
        match present == announced {
            true => Ok(()),
            false => Err(Error::Missing {
                family,
                present,
                announced,
            }),
        }
    }
}

/// Builds a file from an image, in blocks of 256 bytes, which every boot loader accepts; the last one is padded like
/// erased flash.
#[must_use]
pub fn build(image: &Image, family: Family) -> Vec<u8> {
    let count = image.bytes.len().div_ceil(PAGE) as u32;
    let mut file = Vec::with_capacity(count as usize * BLOCK_LENGTH);
    let pages = image.bytes.chunks(PAGE);
    for (number, page) in (0..count).zip(pages) {
        let mut data = [ERASED; PAGE];
        data[..page.len()].copy_from_slice(page);
        let block = Block {
            flags: 0,
            address: image.start.wrapping_add(number * PAGE as u32),
            number,
            count,
            family: Some(family),
            data: &data,
        };
        file.extend(block.to_bytes());
    }
    file
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUf2 => f.write_str("the file is not UF2"),
            Self::Cut { length } => {
                write!(
                    f,
                    "the UF2 file ends in the middle of a block, after {length} bytes"
                )
            }
            Self::Damaged { block } => write!(f, "block {block} of the UF2 file is damaged"),
            Self::Missing {
                present, announced, ..
            } => write!(f, "the UF2 file has {present} of {announced} blocks"),
            Self::Overlap { address } => {
                write!(
                    f,
                    "two blocks of the UF2 file differ at address {address:#x}"
                )
            }
            Self::Contradiction { number } => {
                write!(
                    f,
                    "the UF2 file has two different blocks with the number {number}"
                )
            }
            Self::TooFar => f.write_str("the UF2 file spans more than 64 MiB"),
            Self::TooMany => write!(
                f,
                "the UF2 file is for more than {FAMILIES_LIMIT} kinds of chips"
            ),
        }
    }
}

impl core::error::Error for Error {}

const PAGE: usize = 256;
const ERASED: u8 = 0xff;
