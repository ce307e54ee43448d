//! Firmware that the last flashed board had before, for restoring it.

use std::{path::PathBuf, time::Duration};

use flylead_native::{
    disk,
    flash::{Drive, Firmware, Origin, SavedFlash, SavedFlashes},
    state,
};
use serde::{Deserialize, Serialize};

use super::{Common, Exit, Failure, esp, in_thread};
use crate::files::fs::here;

/// Firmware that a board had before its last flash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Before {
    /// The makers' list has it.
    Listed {
        /// Name of the board in the list.
        board: String,
        version: String,
    },
    /// It was read from an ESP chip, and is saved under the chip's network address.
    Esp,
    /// It was read from the drive of a boot loader.
    Drive {
        /// Identification that the boot loader reports.
        board: String,
    },
}

impl Before {
    /// Determines the firmware of a board from its `sys.version`, such as `3.4.0; MicroPython v1.28.0 on 2026-04-06`.
    pub(super) fn of(build: &str, version: &str) -> Option<Self> {
        let (_, version) = version.split_once("MicroPython v")?;
        let version = version.split_whitespace().next()?;
        (!build.is_empty()).then(|| Self::Listed {
            board: build.to_owned(),
            version: version.to_owned(),
        })
    }

    /// Records the firmware for `--back`, in place of that of the previous flash. Does nothing without a folder for state.
    pub(super) fn keep(&self) -> Result<(), Failure> {
        let Some(path) = path() else {
            return Ok(());
        };
        let text = serde_json::to_string(self).unwrap_or_default();
        disk::save(&path, text.as_bytes()).map_err(here(&path))
    }

    pub(super) fn load() -> Result<Self, Failure> {
        let text = path().and_then(|path| disk::read_text(&path, LIMIT).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).ok_or_else(|| {
            let message = "no earlier firmware is known: it is recorded when a board that runs MicroPython, or an ESP32, gets new \
                           firmware. `flylead flash --list NAME` lists the versions, and --version selects one";
            Failure::new(Exit::Usage, message)
        })
    }

    pub(super) fn is_listed(&self) -> bool {
        matches!(self, Self::Listed { .. })
    }

    /// Notes that a drive's update has succeeded.
    pub(super) fn finish(&self) {
        if let (Self::Drive { board }, Some(flashes)) = (self, flashes()) {
            // The content stays restorable without it.
            let _ = flashes.finish(board);
        }
    }

    /// Describes what `--back` writes.
    pub(super) fn described(&self) -> &str {
        match self {
            Self::Listed { version, .. } => version,
            Self::Esp | Self::Drive { .. } => "the previous content",
        }
    }
}

/// Returns the content that the connected ESP chip had before its last update, and the chip's network address.
pub(super) async fn of_esp(common: &Common) -> Result<(Firmware, String), Failure> {
    let (_, board) = esp::board(esp::port(common)?).await?;
    let saved = flashes().and_then(|flashes| flashes.last(&board));
    let firmware = saved.and_then(SavedFlash::into_firmware);
    let firmware = firmware.ok_or_else(|| unsaved(&format!("the ESP with the address {board}")))?;
    Ok((firmware, board))
}

/// Returns the content that a board with a drive had before its last update.
pub(super) fn of_drive(board: &str) -> Result<Firmware, Failure> {
    let saved = flashes().and_then(|flashes| flashes.last(board));
    let firmware = saved.and_then(SavedFlash::into_firmware);
    firmware.ok_or_else(|| unsaved(board))
}

/// Saves the firmware that a boot loader shows on its drive, if it does: the RP2040's and RP2350's do not.
pub(super) async fn save_current(drive: &Drive) -> Result<Option<Before>, Failure> {
    let Some(flashes) = flashes() else {
        return Ok(None);
    };
    let from = drive.clone();
    let reading = in_thread(move || Ok(from.current()));
    let read = tokio::time::timeout(READ_TIME, reading).await;
    let Some(firmware) = read.map_err(|_| silent(drive))?? else {
        return Ok(None);
    };
    let board = drive.board_id.clone();
    if flashes.unfinished(&board).is_none() {
        let (origin, bytes) = (Origin::Drive, firmware.bytes);
        let saved = flashes.save(&board, &SavedFlash { origin, bytes });
        saved.map_err(here(&flashes_folder().unwrap_or_default()))?;
    }
    Ok(Some(Before::Drive { board }))
}

fn silent(drive: &Drive) -> Failure {
    let message = format!(
        "{drive} does not answer, so its current firmware was not saved; nothing was written. Plug the board in again, or use \
         --no-save to write without saving"
    );
    Failure::new(Exit::Lost, message)
}

fn unsaved(board: &str) -> Failure {
    let message = format!("no earlier content of {board} is saved; nothing was written");
    Failure::new(Exit::Usage, message)
}

/// Returns the contents of flashes in this user's folder; `None` without one.
pub(super) fn flashes() -> Option<SavedFlashes> {
    flashes_folder().map(SavedFlashes::new)
}

fn flashes_folder() -> Option<PathBuf> {
    Some(state::folder()?.join("flylead/flashes"))
}

fn path() -> Option<PathBuf> {
    Some(state::folder()?.join("flylead/flash-before.json"))
}

/// Time limit of reading a drive's firmware: full-speed USB has a megabyte in a second or two.
const READ_TIME: Duration = Duration::from_secs(60);
/// Limit of the file, in bytes.
const LIMIT: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_firmware_is_known_by_its_build_and_its_version() {
        let before = |build: &str, version: &str| match Before::of(build, version) {
            Some(Before::Listed { board, version }) => Some(format!("{board} {version}")),
            _ => None,
        };
        let new = "3.4.0; MicroPython v1.28.0 on 2026-04-06";
        assert_eq!(before("RPI_PICO", new).as_deref(), Some("RPI_PICO 1.28.0"));
        let preview = "3.4.0; MicroPython v1.29.0-preview.12.gabc on 2026-04-06";
        assert_eq!(
            before("A", preview).as_deref(),
            Some("A 1.29.0-preview.12.gabc")
        );
        assert_eq!(before("", new), None);
        assert_eq!(before("A", "3.4.0"), None);
    }
}
