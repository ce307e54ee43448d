use core::fmt;

use super::Chip;

/// Image for the flash of a chip: boot loader, partitions and program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// The chip.
    pub chip: Chip,
    /// Flash address at which the file begins.
    pub offset: u32,
}

/// Program without a boot loader, as a partition holds it; updates over the air consist of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program<'a> {
    /// The chip.
    pub chip: Chip,
    /// The program, to its last byte.
    pub bytes: &'a [u8],
}

/// Reason why a file is not the image of a whole flash, or not a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The file ends too early, or bytes of it have changed.
    Damaged,
    /// The file is a program without a boot loader, for updates over the air.
    ProgramAlone,
    /// The file is for an ESP8266, or for an unknown chip.
    OtherChip,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Damaged => "the ESP image is damaged; download it again",
            Self::ProgramAlone => {
                "it contains only the application, for over-the-air updates; get the full image, whose name ends in .bin, not in .app-bin"
            }
            Self::OtherChip => {
                "it is for an ESP8266, or for another ESP that Flylead does not support yet; use esptool"
            }
        })
    }
}

impl core::error::Error for Error {}

impl Image {
    /// Reads the image of a whole flash; `None` for a file of another kind.
    ///
    /// # Errors
    /// The file is an image, but damaged, for an unknown chip, or a program alone.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Result<Self, Error>> {
        Some(read(bytes)?.map(|(image, _)| image))
    }
}

impl<'a> Program<'a> {
    /// Reads a program, or the first one in the image of a whole flash; `None` for a file of another kind.
    ///
    /// # Errors
    /// The file is an image, but damaged or for an unknown chip.
    #[must_use]
    pub fn parse(bytes: &'a [u8]) -> Option<Result<Self, Error>> {
        Some(match read(bytes)? {
            Ok((_, program)) => Ok(program),
            Err(Error::ProgramAlone) => Self::read(bytes),
            Err(error) => Err(error),
        })
    }

    /// Reads the program at the start of the bytes: walks through its segments, and verifies its checksum.
    fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let number = u16_at(bytes, 12).ok_or(Error::Damaged)?;
        let chip = Chip::numbered(number).filter(|_| !is_for_8266(bytes));
        let chip = chip.ok_or(Error::OtherChip)?;
        let end = whole_length(bytes).ok_or(Error::Damaged)?;
        let bytes = bytes.get(..end).ok_or(Error::Damaged)?;
        Ok(Self { chip, bytes })
    }
}

fn read(bytes: &[u8]) -> Option<Result<(Image, Program<'_>), Error>> {
    let (start, is_from_zero) = match *bytes.first()? {
        MAGIC => (0, false),
        // From the start of the flash, where the first chips have nothing.
        ERASED => (first_content(bytes)?, true),
        _ => return None,
    };
    Some(read_at(bytes, start, is_from_zero))
}

fn read_at(bytes: &[u8], start: usize, is_from_zero: bool) -> Result<(Image, Program<'_>), Error> {
    let Program { chip, .. } = Program::read(&bytes[start..])?;
    if is_from_zero && start != chip.boot as usize {
        return Err(Error::Damaged);
    }
    let offset = if is_from_zero { 0 } else { chip.boot };
    let program = Program::read(first_program(bytes, offset as usize)?);
    let program = program.ok().filter(|program| program.chip == chip);
    let program = program.ok_or(Error::Damaged)?;
    Ok((Image { chip, offset }, program))
}

/// Returns the position of the first image, if nothing but erased flash precedes it.
fn first_content(bytes: &[u8]) -> Option<usize> {
    let start = bytes.iter().position(|byte| *byte != ERASED)?;
    let is_boot = Chip::all().any(|chip| chip.boot as usize == start);
    (is_boot && bytes[start] == MAGIC).then_some(start)
}

/// Returns true for an image for an ESP8266, which has the address of its first segment where the others have their
/// flash pins.
fn is_for_8266(image: &[u8]) -> bool {
    let address = u32_at(image, 8).unwrap_or_default();
    matches!(address >> 16, 0x3ffe | 0x3fff | 0x4010 | 0x4020)
}

/// Finds the first program through the partition table.
fn first_program(bytes: &[u8], offset: usize) -> Result<&[u8], Error> {
    let table = TABLE.checked_sub(offset).and_then(|at| bytes.get(at..));
    let table = table.filter(|table| u16_at(table, 0) == Some(PARTITION));
    let table = table.ok_or(Error::ProgramAlone)?;
    let mut entries = table
        .chunks_exact(32)
        .take_while(|entry| u16_at(entry, 0) == Some(PARTITION));
    let program = entries.find(|entry| entry[2] == PROGRAM);
    let at = program
        .and_then(|entry| u32_at(entry, 4))
        .ok_or(Error::Damaged)?;
    let at = (at as usize).checked_sub(offset).ok_or(Error::Damaged)?;
    bytes.get(at..).ok_or(Error::Damaged)
}

/// Returns the length of an image, hash included; `None` if it is cut off, or if its checksum differs.
fn whole_length(image: &[u8]) -> Option<usize> {
    let [MAGIC, count @ 1..=MOST_SEGMENTS, ..] = *image else {
        return None;
    };
    let (mut at, mut sum) = (HEAD, CHECKSUM_SEED);
    for _ in 0..count {
        let length = u32_at(image, at.checked_add(4)?)? as usize;
        at = at.checked_add(8)?;
        let segment = image.get(at..at.checked_add(length)?)?;
        sum = segment.iter().fold(sum, |sum, byte| sum ^ byte);
        at += length;
    }
    // The checksum is the last byte of a block of 16.
    let last = at | 15;
    let has_hash = *image.get(HASH_FLAG)? == 1;
    let end = last + 1 + if has_hash { HASH } else { 0 };
    (*image.get(last)? == sum && end <= image.len()).then_some(end)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

const MAGIC: u8 = 0xe9;
const ERASED: u8 = 0xff;
/// Length of an image's header: 8 bytes, and 16 more since the ESP32.
const HEAD: usize = 24;
/// The boot ROM refuses more segments (esp-idf, `ESP_IMAGE_MAX_SEGMENTS`).
const MOST_SEGMENTS: u8 = 16;
/// Position of the flag for a hash behind the image.
const HASH_FLAG: usize = 23;
/// Length of that hash, which is SHA-256.
const HASH: usize = 32;
const CHECKSUM_SEED: u8 = 0xef;
/// Address of the partition table, unless the firmware's build configuration says otherwise; MicroPython's does not.
const TABLE: usize = 0x8000;
const PARTITION: u16 = 0x50aa;
/// Type of a partition with a program.
const PROGRAM: u8 = 0;
