//! Saved contents of boards' flashes, for restoring them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use flylead_core::{esp, to_hexadecimal};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{EspImage, FIRMWARE_LIMIT, Firmware, Format};
use crate::disk;

/// Folder with the content that each board's flash had before its last update. A content may have passwords of networks,
/// so only this user can read it.
#[derive(Debug, Clone)]
pub struct SavedFlashes {
    folder: PathBuf,
}

/// Content of a board's flash, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFlash {
    /// Source of the content.
    pub origin: Origin,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Source of a saved content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "origin", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// The flash of an ESP chip.
    Esp {
        /// Number of the chip.
        chip: u16,
        /// Flash address of the first byte.
        offset: u32,
    },
    /// The file `CURRENT.UF2` on the drive of a boot loader.
    Drive,
}

/// Entry of a board.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    origin: Origin,
    sha256: String,
    /// False until the update has succeeded: an update that is repeated after an interruption finds a half-written
    /// flash, which is not worth saving.
    is_written: bool,
}

impl SavedFlashes {
    /// Uses a folder, which is created at the first save.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Saves the content of a board's flash before an update.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn save(&self, board: &str, saved: &SavedFlash) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let sha256 = to_hexadecimal(&Sha256::digest(&saved.bytes));
        let entry = Entry {
            origin: saved.origin,
            sha256,
            is_written: false,
        };
        disk::replace_private(&self.content(board, &entry), &saved.bytes)?;
        self.put(board, &entry)?;
        self.tidy();
        Ok(())
    }

    /// Notes that the update of a board has succeeded.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn finish(&self, board: &str) -> io::Result<()> {
        match self.entry(board) {
            Some(entry) => self.put(
                board,
                &Entry {
                    is_written: true,
                    ..entry
                },
            ),
            None => Ok(()),
        }
    }

    /// Returns the content saved before an update that has not succeeded, or not ended.
    #[must_use]
    pub fn unfinished(&self, board: &str) -> Option<SavedFlash> {
        let entry = self.entry(board).filter(|entry| !entry.is_written)?;
        self.of(board, &entry)
    }

    /// Returns the content that a board's flash had before its last update.
    #[must_use]
    pub fn last(&self, board: &str) -> Option<SavedFlash> {
        self.of(board, &self.entry(board)?)
    }

    fn entry(&self, board: &str) -> Option<Entry> {
        let text = disk::read_text(&self.path(board), ENTRY_LIMIT).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn of(&self, board: &str, entry: &Entry) -> Option<SavedFlash> {
        let bytes = disk::read(&self.content(board, entry), FIRMWARE_LIMIT).ok()?;
        let is_whole = to_hexadecimal(&Sha256::digest(&bytes)) == entry.sha256;
        is_whole.then_some(SavedFlash {
            origin: entry.origin,
            bytes,
        })
    }

    fn put(&self, board: &str, entry: &Entry) -> io::Result<()> {
        let text = serde_json::to_string(entry)?;
        disk::replace_private(&self.path(board), text.as_bytes())
    }

    fn path(&self, board: &str) -> PathBuf {
        self.folder.join(format!("{}.json", file_name(board)))
    }

    fn content(&self, board: &str, entry: &Entry) -> PathBuf {
        let name = format!("{}-{}.bin", file_name(board), &entry.sha256[..16]);
        self.folder.join(name)
    }

    /// Removes contents that no entry names, and the entries of the boards updated longest ago.
    fn tidy(&self) {
        let mut entries = with_end(&self.folder, "json");
        entries.sort_by_key(|path| {
            let changed = path.metadata().and_then(|it| it.modified());
            std::cmp::Reverse(changed.ok())
        });
        for path in entries.split_off(entries.len().min(BOARDS_LIMIT)) {
            let _ = fs::remove_file(path);
        }
        let named: Vec<_> = entries
            .iter()
            .filter_map(|path| {
                let board = path.file_stem()?.to_str()?;
                Some(self.content(board, &self.entry(board)?))
            })
            .collect();
        for path in with_end(&self.folder, "bin") {
            if !named.contains(&path) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

impl SavedFlash {
    /// Returns the content as firmware for the board that it came from.
    #[must_use]
    pub fn into_firmware(self) -> Option<Firmware> {
        let (chip, offset) = match self.origin {
            Origin::Drive => return Firmware::read("CURRENT.UF2", self.bytes).ok(),
            Origin::Esp { chip, offset } => (esp::Chip::numbered(chip)?, offset),
        };
        Some(Firmware {
            name: "the firmware from before the last update".to_owned(),
            bytes: self.bytes,
            format: Format::Esp(EspImage { chip, offset }),
        })
    }
}

fn with_end(folder: &Path, end: &str) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = found.filter_map(|it| Some(it.ok()?.path()));
    paths
        .filter(|path| path.extension().is_some_and(|it| it == end))
        .collect()
}

/// Returns the name of a board's files: a board may call itself anything.
fn file_name(board: &str) -> String {
    let plain = |char: char| match char.is_ascii_alphanumeric() {
        true => char,
        false => '_',
    };
    board.chars().take(NAME_LIMIT).map(plain).collect()
}

/// Number of boards whose contents are kept; each may have 16 MB.
const BOARDS_LIMIT: usize = 16;
const NAME_LIMIT: usize = 60;
/// Limit of an entry, in bytes.
const ENTRY_LIMIT: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn flash(byte: u8) -> SavedFlash {
        SavedFlash {
            origin: Origin::Esp { chip: 9, offset: 0 },
            bytes: vec![byte; 100],
        }
    }

    #[test]
    fn each_board_has_its_own_last_content() {
        let home = tempfile::tempdir().unwrap();
        let saved = SavedFlashes::new(home.path().join("flashes"));
        assert_eq!(saved.last("24:62"), None);
        for (board, byte) in [("24:62", 1), ("24:63", 2), ("24:62", 3)] {
            saved.save(board, &flash(byte)).unwrap();
        }
        assert_eq!(saved.last("24:62"), Some(flash(3)));
        assert_eq!(saved.last("24:63"), Some(flash(2)));
        // Two entries and two contents.
        assert_eq!(
            fs::read_dir(home.path().join("flashes")).unwrap().count(),
            4
        );
    }

    #[test]
    fn an_update_is_unfinished_until_it_has_succeeded() {
        let home = tempfile::tempdir().unwrap();
        let saved = SavedFlashes::new(home.path().to_owned());
        saved.save("a", &flash(1)).unwrap();
        assert_eq!(saved.unfinished("a"), Some(flash(1)));
        saved.finish("a").unwrap();
        assert_eq!(
            (saved.unfinished("a"), saved.last("a")),
            (None, Some(flash(1)))
        );
        saved.finish("b").unwrap();
        assert_eq!(saved.last("b"), None);
    }

    #[test]
    fn the_oldest_boards_make_room_and_changed_contents_are_not_used() {
        let home = tempfile::tempdir().unwrap();
        let saved = SavedFlashes::new(home.path().to_owned());
        for number in 0..BOARDS_LIMIT + 3 {
            saved.save(&format!("b{number}"), &flash(1)).unwrap();
        }
        let count = fs::read_dir(home.path()).unwrap().count();
        assert_eq!(count, 2 * BOARDS_LIMIT);
        for path in with_end(home.path(), "bin") {
            fs::write(path, "other").unwrap();
        }
        let last = format!("b{}", BOARDS_LIMIT + 2);
        assert_eq!(saved.last(&last), None);
    }
}
