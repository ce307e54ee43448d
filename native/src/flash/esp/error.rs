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
    /// The content of the flash cannot be read or saved. Nothing was written.
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
                "no ESP boot ROM answers at this port; nothing was written. Hold the board's BOOT button (or 0, or IO0), press \
                 RESET (or EN), release both, and run this command again; a board with native USB may then have another port",
            ),
            Self::OtherChip { found, wanted } => write!(
                f,
                "the firmware is for the {wanted}, but the chip is an {found}; nothing was written. Get the file for the {found}"
            ),
            Self::TooLarge { end, flash } => write!(
                f,
                "the firmware needs {end} bytes of flash, but the chip has only {flash}; nothing was written. Get a file for this flash size"
            ),
            Self::Unknown(why) => write!(
                f,
                "the chip cannot be identified: {why}; nothing was written. Press its RESET button and run this command again"
            ),
            Self::OtherBoard { found } => write!(
                f,
                "the saved content is not from this board, whose address is {found}; nothing was written"
            ),
            Self::Unsaved(why) => write!(
                f,
                "the current content of the flash cannot be saved: {why}; nothing was written. --no-save writes without saving; \
                 `flylead flash --back` cannot restore the content then"
            ),
            Self::Stopped { done, total, why } => write!(
                f,
                "{why}, after {done} of {total} bytes; the board has no complete firmware now. To flash it again, hold BOOT, press \
                 RESET, release both, and run this command again"
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
