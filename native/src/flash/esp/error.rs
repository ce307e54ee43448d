//! Reasons why an image cannot be written to an ESP chip.

use std::{error::Error, fmt};

use crate::link::OpenError;

/// Reason why an image cannot be written to an ESP chip.
#[derive(Debug)]
#[non_exhaustive]
pub enum EspError {
    /// The port cannot be opened.
    Open(OpenError),
    /// No boot ROM answers. Nothing was written.
    Silent,
    /// The chip is another kind. Nothing was written.
    OtherChip {
        /// Name of the chip found.
        found: String,
        /// Name of the chip that the firmware is for.
        wanted: &'static str,
    },
    /// The flash is smaller than the image. Nothing was written.
    TooLarge {
        /// Number of bytes up to the end of the image.
        end: u64,
        /// Size of the flash, in bytes.
        flash: u64,
    },
    /// The chip does not report enough about itself. Nothing was written.
    Unknown(String),
    /// The chip is not the board that the saved content is from. Nothing was written.
    OtherBoard {
        /// Network address of the chip.
        found: String,
    },
    /// The content of the flash cannot be read, or not be saved. Nothing was written.
    Unsaved(String),
    /// Writing or verifying has failed.
    Stopped {
        /// Number of bytes that the chip has confirmed.
        done: u64,
        /// Size of the image, in bytes.
        total: u64,
        /// Reason.
        why: String,
    },
}

impl fmt::Display for EspError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => error.fmt(f),
            Self::Silent => f.write_str(
                "no ESP boot ROM answers at this port; nothing was written. Hold the board's button BOOT (or 0, or IO0), press \
                 RESET (or EN), let go of both, and run this once more; a board with USB of its own may have another port then",
            ),
            Self::OtherChip { found, wanted } => write!(
                f,
                "the firmware is for the {wanted}, but the chip is an {found}; nothing was written. Get the file that is made for that chip"
            ),
            Self::TooLarge { end, flash } => write!(
                f,
                "the firmware needs {end} bytes of flash, and the chip has {flash}; nothing was written. Get a file for a smaller flash"
            ),
            Self::Unknown(why) => write!(
                f,
                "the chip cannot be identified: {why}; nothing was written. Press its RESET button and run this once more"
            ),
            Self::OtherBoard { found } => write!(
                f,
                "the content was saved from another board than this one, whose address is {found}; nothing was written"
            ),
            Self::Unsaved(why) => write!(
                f,
                "the present content of the flash cannot be saved: {why}; nothing was written. --no-save writes without it, and \
                 `flylead flash --back` cannot restore it then"
            ),
            Self::Stopped { done, total, why } => write!(
                f,
                "{why}, after {done} of {total} bytes; the board has no complete firmware now. It can be flashed again: hold BOOT, press RESET, \
                 let go of both, and run this once more"
            ),
        }
    }
}

impl Error for EspError {}

/// Formats an error with its causes.
pub(super) fn in_words(error: &espflash::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words += &format!(": {error}");
        cause = error.source();
    }
    words
}
