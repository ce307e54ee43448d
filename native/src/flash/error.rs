//! Reasons why firmware cannot be written to a board.

use std::{fmt, io};

use flylead_core::uf2::Family;

use super::{BadImage, Drive};

/// Reason why a board does not take a firmware. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The firmware is for another kind of chip.
    Family {
        /// The board.
        board: String,
        /// Chip family of the firmware.
        family: Family,
        /// Chip family that the board takes.
        accepted: Family,
    },
    /// The firmware is for an ESP chip that the board does not have.
    Esp {
        /// The board.
        board: String,
        /// The firmware's chip.
        chip: &'static str,
    },
    /// The firmware is a program without a boot loader.
    ProgramAlone,
    /// The firmware names no chip, and the board ignores such files.
    Unnamed {
        /// The board.
        board: String,
    },
    /// The file is of another kind.
    Format {
        /// The board.
        board: String,
        /// Kind of file that the board takes.
        takes: &'static str,
    },
    /// The firmware is for another version of the micro:bit.
    Microbit {
        /// The board.
        board: String,
    },
    /// The firmware exceeds the board's flash.
    Beyond {
        /// The board.
        board: String,
        /// Address after the firmware's last byte.
        end: u32,
        /// Length of the flash, in bytes.
        flash: u32,
    },
    /// The board's chip is unknown.
    Unknown {
        /// The board.
        board: String,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Family {
                board,
                family,
                accepted,
            } => write!(
                f,
                "the firmware is for {family}, but {board} takes {accepted}; nothing was written. Get the file for {accepted}: the \
                 board would silently ignore this one"
            ),
            Self::Esp { board, chip } => write!(
                f,
                "the firmware is for the {chip}, not for {board}; nothing was written. Get the file for that board"
            ),
            Self::ProgramAlone => write!(
                f,
                "{}; nothing was written. `flylead flash --ota` writes it to a board that runs MicroPython",
                BadImage::ProgramAlone
            ),
            Self::Unnamed { board } => write!(
                f,
                "the firmware does not say which chip it is for, and {board} would silently ignore it; nothing was written. \
                 Get the file for this board"
            ),
            Self::Format { board, takes } => write!(
                f,
                "{board} does not take this kind of file: {takes}; nothing was written"
            ),
            Self::Microbit { board } => write!(
                f,
                "the firmware is for another micro:bit than {board}; nothing was written. Get the .hex file for that board"
            ),
            Self::Beyond { board, end, flash } => write!(
                f,
                "the firmware has data up to {end:#x}, but the flash of {board} ends at {flash:#x}; nothing was written. Get the \
                 .hex file for that board"
            ),
            Self::Unknown { board } => write!(
                f,
                "the chip of {board} is unknown, so nothing was written; copy the file to the drive yourself if it is the right one, and please report the two names of the board"
            ),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Reason why writing to a drive has failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The drive has no space for the file.
    Full {
        /// Size of the file, in bytes.
        total: u64,
    },
    /// The drive cannot be written.
    ReadOnly,
    /// The drive vanished too early.
    Vanished {
        /// Number of bytes that the drive had taken.
        done: u64,
        /// Size of the file, in bytes.
        total: u64,
    },
    /// The board's boot loader refused the file.
    Refused(String),
    /// The drive no longer answers, so the outcome is unknown.
    Unanswered,
    /// The system reported an error.
    Io(io::Error),
}

impl WriteError {
    /// Returns the error for a drive that stays, as if it had received nothing.
    pub(super) fn still_there(drive: &Drive) -> Self {
        Self::Refused(format!(
            "its drive {} is still there, as if nothing had been written; the firmware may be for another board",
            drive.path.display()
        ))
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { total } => write!(
                f,
                "the drive does not have enough space for {total} bytes; the board is still waiting for firmware. Unplug it, plug it in again in \
                 its boot loader, and run this command again: a boot loader's drive is always empty then"
            ),
            Self::ReadOnly => f.write_str(
                "the drive is read-only, and nothing was written; eject it, plug the board in again in its boot loader, and run \
                 this command again. On Linux, `flylead doctor` may know more",
            ),
            Self::Vanished { done, total } => {
                // Some of the first bytes may have arrived before one was confirmed.
                let has = if *done == 0 { "may have" } else { "has" };
                write!(
                    f,
                    "the drive vanished after {done} of {total} bytes; the board {has} no complete firmware now, and can be flashed \
                     again: try another cable, put the board into its boot loader, and run this command again"
                )
            }
            Self::Refused(why) => write!(f, "the board refused the file: {why}"),
            Self::Unanswered => f.write_str(
                "the drive received all bytes but no longer responds, so it is unknown whether the board accepted them; plug the board \
                 in again, and run this command again if it does not start the new firmware. A FAIL.TXT on a micro:bit's drive says why",
            ),
            Self::Io(error) => write!(
                f,
                "the drive cannot be written: {error}; unplug the board, plug it in again in its boot loader, and run this command again"
            ),
        }
    }
}

impl std::error::Error for WriteError {}
