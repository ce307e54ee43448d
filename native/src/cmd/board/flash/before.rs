//! Firmware that the last flashed board had before, for restoring it.

use std::path::PathBuf;

use flylead::{disk, state};
use serde::{Deserialize, Serialize};

use super::{Exit, Failure};
use crate::cmd::files::fs::here;

/// Firmware in its makers' list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    /// Name of the board in the list.
    pub(super) board: String,
    pub(super) version: String,
}

impl Before {
    /// Determines the firmware of a board from its `sys.version`, such as `3.4.0; MicroPython v1.28.0 on 2026-04-06`.
    pub(super) fn of(build: &str, version: &str) -> Option<Self> {
        let (_, version) = version.split_once("MicroPython v")?;
        let version = version.split_whitespace().next()?;
        (!build.is_empty()).then(|| Self {
            board: build.to_owned(),
            version: version.to_owned(),
        })
    }

    /// Saves the firmware's name until another board is flashed. Without a folder for it, the firmware has to be
    /// restored by hand.
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
            let message = "no earlier firmware is known: it is recorded when a board that runs MicroPython gets new firmware. \
                           `flylead flash --list NAME` has the versions, and --version writes one";
            Failure::new(Exit::Usage, message)
        })
    }
}

fn path() -> Option<PathBuf> {
    Some(state::folder()?.join("flylead/flash-before.json"))
}

/// Limit of the file, in bytes.
const LIMIT: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_firmware_is_known_by_its_build_and_its_version() {
        let before = |build: &str, version: &str| {
            Before::of(build, version).map(|it| format!("{} {}", it.board, it.version))
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
