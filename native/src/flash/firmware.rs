//! Firmware files, and the chips they are for.

use std::fmt;

use flylead_core::{
    esp::Program,
    to_hexadecimal,
    uf2::{self, Family, File},
};
use sha2::{Digest as _, Sha256};

use super::{BadImage, DfuFile, EspChip, EspImage, Hex};

/// Size limit of a firmware file, in bytes; MicroPython's largest have 3 MB, and UF2 is twice as long as its image.
pub const FIRMWARE_LIMIT: u64 = 64 << 20;

/// Complete firmware file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Firmware {
    /// File name, without its folder.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Kind of file.
    pub format: Format,
}

/// Kind of a firmware file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// UF2, for these kinds of chips; an old one names none.
    Uf2 {
        /// The kinds of chips.
        families: Vec<Family>,
    },
    /// Intel HEX.
    Hex(Hex),
    /// Image for the flash of an ESP chip.
    Esp(EspImage),
    /// Parts of the flash of an STM32.
    Dfu(DfuFile),
    /// Program without a boot loader for an ESP chip, for an update over the air.
    EspProgram(EspChip),
}

/// Reason why a file is not firmware, or cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotFirmware {
    /// The file is UF2, but incomplete.
    Uf2(uf2::Error),
    /// The file is UF2, and only some of its blocks name a chip.
    Mixed,
    /// The file is Intel HEX, but damaged.
    Hex {
        /// Number of the damaged line, from 1.
        line: usize,
    },
    /// The file is for an ESP chip, but not an image of its whole flash.
    Esp(BadImage),
    /// The file is a web page.
    WebPage,
    /// The file is for the DFU mode of an STM32, but damaged.
    Dfu,
    /// The file is not firmware of a known kind.
    Unknown,
}

impl Firmware {
    /// Identifies a firmware file by its content, whatever its name.
    ///
    /// # Errors
    /// The file is not firmware that Flylead writes, or it is damaged.
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<Self, NotFirmware> {
        let format = Format::of(&bytes)?;
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        Ok(Self {
            name,
            bytes,
            format,
        })
    }

    /// Returns the file's SHA-256, in hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> String {
        to_hexadecimal(&Sha256::digest(&self.bytes))
    }
}

impl Format {
    fn of(bytes: &[u8]) -> Result<Self, NotFirmware> {
        match File::parse(bytes) {
            Ok(file) => {
                let families = file.families();
                for family in &families {
                    file.image(*family).map_err(NotFirmware::Uf2)?;
                }
                if families.len() > 1 && families.contains(&None) {
                    return Err(NotFirmware::Mixed);
                }
                let families = families.into_iter().flatten().collect();
                return Ok(Self::Uf2 { families });
            }
            Err(uf2::Error::NotUf2) => {}
            Err(error) => return Err(NotFirmware::Uf2(error)),
        }
        if let Some(image) = EspImage::parse(bytes) {
            return match image {
                Ok(image) => Ok(Self::Esp(image)),
                Err(BadImage::ProgramAlone) => match Program::parse(bytes) {
                    Some(Ok(program)) => Ok(Self::EspProgram(program.chip)),
                    _ => Err(NotFirmware::Esp(BadImage::Damaged)),
                },
                Err(why) => Err(NotFirmware::Esp(why)),
            };
        }
        if let Some(file) = DfuFile::read(bytes) {
            return file.map(Self::Dfu).ok_or(NotFirmware::Dfu);
        }
        match bytes {
            [b':', ..] => match Hex::parse(bytes) {
                Ok(hex) => Ok(Self::Hex(hex)),
                Err(line) => Err(NotFirmware::Hex { line }),
            },
            _ if is_web_page(bytes) => Err(NotFirmware::WebPage),
            _ => Err(NotFirmware::Unknown),
        }
    }

    /// Describes the chips; `None` if the file does not name them.
    #[must_use]
    pub fn chips(&self) -> Option<String> {
        let families = match self {
            Self::Uf2 { families } => families,
            Self::Esp(image) => return Some(image.chip.name.to_owned()),
            Self::EspProgram(chip) => return Some(chip.name.to_owned()),
            Self::Dfu(_) => return Some("STM32".to_owned()),
            Self::Hex(_) => return None,
        };
        let chips = families
            .iter()
            .filter(|family| **family != Family::RP2XXX_ABSOLUTE);
        let chips: Vec<_> = chips.map(ToString::to_string).collect();
        (!chips.is_empty()).then(|| chips.join(", "))
    }
}

fn is_web_page(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.starts_with(b"<") && !bytes.contains(&0)
}

impl fmt::Display for NotFirmware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uf2(error) => write!(f, "{error}; download it again"),
            Self::Mixed => f.write_str(
                "some blocks of the UF2 file say which chip they are for, and others do not, so a board would take only a part of \
                 it; get the file for your board",
            ),
            Self::Hex { line } => write!(
                f,
                "line {line} of the .hex file is damaged; download it again"
            ),
            Self::Esp(why) => why.fmt(f),
            Self::WebPage => f.write_str(
                "it is a web page, not firmware; download the file itself, on GitHub with the button \"Download raw file\"",
            ),
            Self::Dfu => f.write_str(
                "the file for the DFU mode of an STM32 is damaged; download it again",
            ),
            Self::Unknown => f.write_str(
                "it is not firmware that Flylead can write; use .uf2 for boot loader drives, .bin for ESP32 chips, .dfu for STM32 \
                 chips, .hex for the micro:bit",
            ),
        }
    }
}

impl std::error::Error for NotFirmware {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_firmware_is_told_with_its_next_step() {
        for (bytes, why) in [
            (&b"<!DOCTYPE html><html>"[..], "web page"),
            (b"DfuSe\x01", "is damaged"),
            (b"print(1)\n", ".uf2"),
            (b"", ".uf2"),
            (b":00000001FE\n", "line 1"),
            (b"UF2\n", ".uf2"),
        ] {
            let error = Firmware::read("a", bytes.to_vec()).unwrap_err().to_string();
            assert!(error.contains(why), "{why}: {error}");
        }
    }
}
