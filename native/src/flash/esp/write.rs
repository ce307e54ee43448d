//! Writes an image through the protocol of the boot ROM, with the stub of `espflash`, which decompresses and verifies.

use espflash::{
    flasher::Flasher,
    target::{Chip, ProgressCallbacks},
};

use super::{EspChip, EspError, EspImage, before, connection::connect, error::in_words};
use crate::flash::SavedFlashes;

/// Start of newly written firmware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// The port has a line to the chip's reset, and used it.
    ByItself,
    /// The port has no such line: the button must be pressed.
    ByButton,
}

/// Image to write, and the treatment of the chip's current content.
#[derive(Debug, Clone)]
pub struct EspWrite<'a> {
    /// Content of the file.
    pub bytes: &'a [u8],
    /// Chip and address that the file is for.
    pub image: EspImage,
    /// True to erase the whole flash first.
    pub erases: bool,
    /// Folder for saving the overwritten content, unless that is erased flash.
    pub saves: Option<&'a SavedFlashes>,
    /// Network address of the only chip that may be written.
    pub board: Option<&'a str>,
}

/// Queries the boot ROM at a serial port for its chip, and for the chip's own network address, such as
/// `24:62:0a:0b:0c:0d`. It blocks.
///
/// # Errors
/// The port cannot be opened, no boot ROM answers, or its chip is unknown.
pub fn esp_board(port: &str) -> Result<(EspChip, String), EspError> {
    let (mut chip, _) = connect(port, false)?;
    let is_own = |it: &EspChip| Chip::try_from(it.number).ok() == Some(chip.chip());
    let found = EspChip::all().find(is_own);
    let found = found.ok_or_else(|| EspError::Unknown(format!("it is an {}", chip.chip())))?;
    let address = before::address(&mut chip);
    let address = address.map_err(|error| EspError::Unknown(in_words(&error)))?;
    Ok((found, address))
}

/// Writes an image to the chip at a serial port, verifies it by MD5, and starts it; `tell` receives the number of bytes
/// that the chip has taken. Returns the network address of the chip, too, if its content was saved. It blocks.
///
/// # Errors
/// The port cannot be opened, no boot ROM answers, the chip is another kind or has too little flash, its content cannot
/// be saved, or it stops answering.
pub fn write_esp(
    port: &str,
    write: &EspWrite<'_>,
    mut tell: impl FnMut(u64),
) -> Result<(Started, Option<String>), EspError> {
    let (mut chip, started) = connect(port, true)?;
    let prepared = prepare(&mut chip, write, &mut || tell(0));
    let saved = prepared.inspect_err(|_| {
        // The chip's own firmware resumes, if the port can restart it.
        let own = chip.chip();
        let _ = chip.connection().reset_after(true, own);
    })?;
    let total = write.bytes.len() as u64;
    let mut writing = Writing {
        blocks: 0,
        done: 0,
        total,
        tell,
    };
    let written = match write.erases {
        true => chip.erase_flash(),
        false => Ok(()),
    };
    let offset = write.image.offset;
    let written = written.and_then(|()| chip.write_bin_to_flash(offset, write.bytes, &mut writing));
    written.map_err(|error| EspError::Stopped {
        done: writing.done,
        total,
        why: in_words(&error),
    })?;
    if let (Some(board), Some(saves)) = (&saved, write.saves) {
        // The content stays restorable without it.
        let _ = saves.finish(board);
    }
    Ok((started, saved))
}

/// Checks the chip, and saves its content.
fn prepare(
    chip: &mut Flasher,
    write: &EspWrite<'_>,
    alive: &mut dyn FnMut(),
) -> Result<Option<String>, EspError> {
    let flash = check(chip, write.bytes, write.image)?;
    if let Some(wanted) = write.board {
        let found = before::address(chip).map_err(|error| EspError::Unknown(in_words(&error)))?;
        if found != wanted {
            return Err(EspError::OtherBoard { found });
        }
    }
    match write.saves {
        Some(saves) => before::save(chip, write, flash, saves, alive),
        None => Ok(None),
    }
}

/// Checks that the chip is the one that the image is for, and that its flash is large enough; returns the size of the
/// flash, if it is known.
fn check(chip: &mut Flasher, bytes: &[u8], image: EspImage) -> Result<Option<u32>, EspError> {
    let wanted = Chip::try_from(image.chip.number);
    if wanted.ok() != Some(chip.chip()) {
        return Err(EspError::OtherChip {
            found: chip.chip().to_string().to_uppercase(),
            wanted: image.chip.name,
        });
    }
    let flash = chip
        .flash_detect()
        .map_err(|error| EspError::Unknown(in_words(&error)))?;
    let end = u64::from(image.offset) + bytes.len() as u64;
    match flash.map(|flash| flash.size()) {
        Some(flash) if end > flash.into() => Err(EspError::TooLarge {
            end,
            flash: flash.into(),
        }),
        flash => Ok(flash),
    }
}

/// Progress callback that counts the blocks confirmed by the chip.
struct Writing<F> {
    blocks: u64,
    done: u64,
    total: u64,
    tell: F,
}

impl<F: FnMut(u64)> ProgressCallbacks for Writing<F> {
    fn init(&mut self, _: u32, blocks: usize) {
        self.blocks = blocks as u64;
    }

    fn update(&mut self, block: usize) {
        self.done = self.total * block as u64 / self.blocks.max(1);
        (self.tell)(self.done);
    }

    fn verifying(&mut self) {}

    fn finish(&mut self, _: bool) {}
}
