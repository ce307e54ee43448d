//! Saves the content of a chip's flash before it is overwritten.

use std::{fs, ops::Range};

use espflash::{Error, flasher::Flasher};
use md5::{Digest as _, Md5};

use super::{EspError, error::in_words, write::EspWrite};
use crate::flash::{Origin, SavedFlash, SavedFlashes};

/// Returns the chip's own network address, such as `24:62:0a:0b:0c:0d`.
pub(super) fn address(chip: &mut Flasher) -> Result<String, Error> {
    let kind = chip.chip();
    kind.mac_address(chip.connection())
}

/// Saves the content that will be overwritten, and returns the chip's address; `None` if the content is erased flash.
/// `alive` is called from time to time.
///
/// # Errors
/// The flash cannot be read, or the content cannot be stored.
pub(super) fn save(
    chip: &mut Flasher,
    write: &EspWrite<'_>,
    flash: Option<u32>,
    saves: &SavedFlashes,
    alive: &mut dyn FnMut(),
) -> Result<Option<String>, EspError> {
    let unread = |error: Error| EspError::Unsaved(in_words(&error));
    let board = address(chip).map_err(unread)?;
    let mut part = replaced(write, flash)?;
    let unfinished = saves.unfinished(&board);
    let unfinished = unfinished.and_then(|it| Some((start(&it)?, it.bytes)));
    if let Some((start, bytes)) = &unfinished {
        let end = start + bytes.len() as u32;
        if *start <= part.start && part.end <= end {
            return Ok(Some(board));
        }
        part = part.start.min(*start)..part.end.max(end);
    }
    if unfinished.is_none() && is_erased(chip, &part).map_err(unread)? {
        return Ok(None);
    }
    let mut bytes = read(chip, &part, alive).map_err(unread)?;
    // An update that was cut has replaced some of it, and what it replaced is known.
    if let Some((start, old)) = unfinished {
        let at = (start - part.start) as usize;
        bytes[at..at + old.len()].copy_from_slice(&old);
    }
    let origin = Origin::Esp {
        chip: write.image.chip.number,
        offset: part.start,
    };
    let saved = saves.save(&board, &SavedFlash { origin, bytes });
    saved.map_err(|error| EspError::Unsaved(error.to_string()))?;
    Ok(Some(board))
}

fn start(saved: &SavedFlash) -> Option<u32> {
    match saved.origin {
        Origin::Esp { offset, .. } => Some(offset),
        _ => None,
    }
}

/// Returns the part of the flash that will change: whole sectors.
fn replaced(write: &EspWrite<'_>, flash: Option<u32>) -> Result<Range<u32>, EspError> {
    if write.erases {
        let unknown = || EspError::Unsaved("the size of the flash is unknown".to_owned());
        return Ok(0..flash.ok_or_else(unknown)?);
    }
    let start = write.image.offset;
    let end = start + write.bytes.len() as u32;
    Ok(start / SECTOR * SECTOR..end.next_multiple_of(SECTOR))
}

/// Compares a part of the flash with erased flash, by a hash that the chip calculates.
fn is_erased(chip: &mut Flasher, part: &Range<u32>) -> Result<bool, Error> {
    let own = chip.checksum_md5(part.start, part.end - part.start)?;
    let mut erased = Md5::new();
    for _ in 0..(part.end - part.start) / SECTOR {
        erased.update([0xff; SECTOR as usize]);
    }
    Ok(own.to_be_bytes() == erased.finalize()[..])
}

/// Reads a part of the flash; each piece comes with its MD5.
fn read(chip: &mut Flasher, part: &Range<u32>, alive: &mut dyn FnMut()) -> Result<Vec<u8>, Error> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("piece");
    let mut bytes = Vec::with_capacity(part.len());
    for at in part.clone().step_by(PIECE as usize) {
        let size = PIECE.min(part.end - at);
        chip.read_flash(at, size, SECTOR, IN_FLIGHT, file.clone())?;
        bytes.extend(fs::read(&file)?);
        alive();
    }
    Ok(bytes)
}

/// Unit of erasing.
const SECTOR: u32 = 4096;
/// Size of a piece, after which progress is reported.
const PIECE: u32 = 256 << 10;
/// Number of bytes that the chip sends without an answer; as in esptool, which thereby requests one block at a time.
const IN_FLIGHT: u32 = 64;
