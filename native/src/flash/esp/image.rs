//! Images of a whole ESP flash, as distributed by MicroPython and CircuitPython (esptool, "Firmware Image Format").

use std::fmt;

/// Kind of an ESP32 chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EspChip {
    /// Number in the header of an image, which the chip's boot ROM reports, too.
    pub number: u16,
    /// Name, such as `ESP32-S3`.
    pub name: &'static str,
    /// Flash address at which its boot ROM looks for the boot loader.
    pub boot: u32,
}

/// Chips by their numbers (esp-idf, `esp_chip_id_t`), with the addresses of their boot loaders.
const CHIPS: [EspChip; 8] = [
    chip(0, "ESP32", 0x1000),
    chip(2, "ESP32-S2", 0x1000),
    chip(5, "ESP32-C3", 0),
    chip(9, "ESP32-S3", 0),
    chip(12, "ESP32-C2", 0),
    chip(13, "ESP32-C6", 0),
    chip(18, "ESP32-P4", 0x2000),
    chip(23, "ESP32-C5", 0x2000),
];

const fn chip(number: u16, name: &'static str, boot: u32) -> EspChip {
    EspChip { number, name, boot }
}

impl EspChip {
    /// Finds a chip by the name that MicroPython gives it, such as `ESP32S3` or `ESP32-D0WDQ6`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = |name: &str| name.replace('-', "").to_ascii_uppercase();
        let name = plain(name);
        let named = CHIPS.into_iter().find(|chip| plain(chip.name) == name);
        // Names of the first chip continue with its package. Those of the others do not begin so.
        let first = || {
            let is_first = name.starts_with("ESP32D") || name.starts_with("ESP32U");
            is_first.then_some(CHIPS[0])
        };
        named.or_else(first)
    }

    /// Returns all known chips.
    pub fn all() -> impl Iterator<Item = Self> {
        CHIPS.into_iter()
    }

    /// Returns the name under which MicroPython lists firmware for any board with this chip, such as
    /// `ESP32_GENERIC_S3`.
    #[must_use]
    pub fn generic_board(self) -> String {
        format!(
            "ESP32_GENERIC{}",
            self.name.trim_start_matches("ESP32").replace('-', "_")
        )
    }

    /// Returns true if a chip with this name, as MicroPython gives it, may take an image for this one: an unknown chip
    /// will be queried.
    pub(in crate::flash) fn may_be(self, name: &str) -> bool {
        name.starts_with("ESP") && Self::named(name).is_none_or(|named| named == self)
    }
}

/// Image for the flash of an ESP chip: boot loader, partitions and program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EspImage {
    /// The chip.
    pub chip: EspChip,
    /// Flash address at which the file begins.
    pub offset: u32,
}

/// Reason why a file is not the image of a whole flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadImage {
    /// The file ends too early, or bytes of it have changed.
    Damaged,
    /// The file is a program without a boot loader, for updates over the air.
    ProgramAlone,
    /// The file is for an ESP8266, or for an unknown chip.
    OtherChip,
}

impl fmt::Display for BadImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Damaged => "the image for an ESP is damaged; download it again",
            Self::ProgramAlone => {
                "it is only the application, for over-the-air updates; get the whole image, which ends in .bin and not in .app-bin"
            }
            Self::OtherChip => {
                "it is for an ESP8266, or for an ESP that Flylead does not write yet; use esptool"
            }
        })
    }
}

impl EspImage {
    /// Reads an image; `None` for a file of another kind.
    ///
    /// # Errors
    /// The file is an image, but not one of a whole flash.
    pub fn read(bytes: &[u8]) -> Option<Result<Self, BadImage>> {
        let (start, is_from_zero) = match bytes.first()? {
            &MAGIC => (0, false),
            // From the start of the flash, where the first chips have nothing.
            0xff => (first_content(bytes)?, true),
            _ => return None,
        };
        Some(Self::read_at(bytes, start, is_from_zero))
    }

    fn read_at(bytes: &[u8], start: usize, is_from_zero: bool) -> Result<Self, BadImage> {
        let image = &bytes[start..];
        let number = u16_at(image, 12).ok_or(BadImage::Damaged)?;
        let chip = EspChip::all().find(|chip| chip.number == number);
        let chip = chip
            .filter(|_| !is_for_8266(image))
            .ok_or(BadImage::OtherChip)?;
        if !is_whole(image) {
            return Err(BadImage::Damaged);
        }
        let offset = if is_from_zero { 0 } else { chip.boot };
        if is_from_zero && start != chip.boot as usize {
            return Err(BadImage::Damaged);
        }
        let program = program(bytes, offset as usize)?;
        if !is_whole(program) {
            return Err(BadImage::Damaged);
        }
        Ok(Self { chip, offset })
    }
}

/// Returns the position of the first image, if nothing but erased flash precedes it.
fn first_content(bytes: &[u8]) -> Option<usize> {
    let start = bytes.iter().position(|byte| *byte != 0xff)?;
    let is_boot = CHIPS.iter().any(|chip| chip.boot as usize == start);
    (is_boot && bytes[start] == MAGIC).then_some(start)
}

/// Returns true for an image for an ESP8266, which has the address of its first segment where the others have their
/// flash pins.
fn is_for_8266(image: &[u8]) -> bool {
    let address = u32_at(image, 8).unwrap_or_default();
    matches!(address >> 16, 0x3ffe | 0x3fff | 0x4010 | 0x4020)
}

/// Finds the program through the partition table.
fn program(bytes: &[u8], offset: usize) -> Result<&[u8], BadImage> {
    let table = TABLE.checked_sub(offset).and_then(|at| bytes.get(at..));
    let table = table.filter(|table| u16_at(table, 0) == Some(PARTITION));
    let table = table.ok_or(BadImage::ProgramAlone)?;
    let entries = table
        .chunks_exact(32)
        .take_while(|entry| u16_at(entry, 0) == Some(PARTITION));
    let program = entries.into_iter().find(|entry| entry[2] == PROGRAM);
    let at = program
        .and_then(|entry| u32_at(entry, 4))
        .ok_or(BadImage::Damaged)?;
    let at = (at as usize).checked_sub(offset).ok_or(BadImage::Damaged)?;
    bytes.get(at..).ok_or(BadImage::Damaged)
}

/// Walks through the segments of an image, and verifies its checksum.
fn is_whole(image: &[u8]) -> bool {
    let walk = || {
        let [MAGIC, count, ..] = *image else {
            return None;
        };
        let (mut at, mut sum) = (HEAD, 0xef);
        for _ in 0..count {
            let length = u32_at(image, at.checked_add(4)?)? as usize;
            at = at.checked_add(8)?;
            let segment = image.get(at..at.checked_add(length)?)?;
            sum = segment.iter().fold(sum, |sum, byte| sum ^ byte);
            at += length;
        }
        // The checksum is the last byte of a block of 16.
        Some(*image.get(at | 15)? == sum)
    };
    walk().unwrap_or(false)
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
/// Length of an image's header: 8 bytes, and 16 more since the ESP32.
const HEAD: usize = 24;
/// Address of the partition table, unless the firmware's build configuration says otherwise; MicroPython's does not.
const TABLE: usize = 0x8000;
const PARTITION: u16 = 0x50aa;
/// Type of a partition with a program.
const PROGRAM: u8 = 0;

#[cfg(test)]
mod tests {
    use flylead_tests::boards::{esp_image as whole, esp_program as image};

    use super::*;

    #[test]
    fn an_image_says_its_chip_and_where_it_goes() {
        for (number, name, offset) in [
            (0, "ESP32", 0x1000),
            (9, "ESP32-S3", 0),
            (18, "ESP32-P4", 0x2000),
        ] {
            let bytes = whole(number, &[7; 3000]);
            let image = EspImage::read(&bytes).unwrap().unwrap();
            assert_eq!((image.chip.name, image.offset), (name, offset));
        }
        let mut from_zero = vec![0xff; 0x1000];
        from_zero.extend(whole(0, b"program"));
        let image = EspImage::read(&from_zero).unwrap().unwrap();
        assert_eq!((image.chip.name, image.offset), ("ESP32", 0));
        assert_eq!(EspImage::read(b"print(1)"), None);
        assert_eq!(EspImage::read(&[0xff; 5000]), None);
    }

    #[test]
    fn an_image_that_was_cut_or_changed_is_refused() {
        let bytes = whole(9, &[7; 3000]);
        for end in [1, 13, 30, 0x8000, 0x8004, 0x1_0000, bytes.len() - 1] {
            let read = EspImage::read(&bytes[..end]).unwrap();
            assert!(read.is_err(), "{end}");
        }
        for at in [40, 0x1_0100] {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            assert_eq!(EspImage::read(&bytes), Some(Err(BadImage::Damaged)), "{at}");
        }
    }

    #[test]
    fn a_program_alone_and_other_chips_are_told() {
        let alone = image(9, &[7; 0x9000]);
        assert_eq!(EspImage::read(&alone), Some(Err(BadImage::ProgramAlone)));
        let mut unknown = whole(9, b"program");
        unknown[12] = 99;
        assert_eq!(EspImage::read(&unknown), Some(Err(BadImage::OtherChip)));
        let mut old = image(0, b"program");
        old[8..12].copy_from_slice(&0x4010_0000_u32.to_le_bytes());
        assert_eq!(EspImage::read(&old), Some(Err(BadImage::OtherChip)));
    }

    #[test]
    fn chips_are_known_by_the_names_that_micropython_gives_them() {
        for (name, number) in [
            ("ESP32", Some(0)),
            ("ESP32S3", Some(9)),
            ("ESP32-C6", Some(13)),
            ("ESP32-D0WDQ6", Some(0)),
            ("ESP32-PICO", None),
            ("ESP8266", None),
            ("RP2040", None),
        ] {
            assert_eq!(
                EspChip::named(name).map(|chip| chip.number),
                number,
                "{name}"
            );
        }
    }
}
