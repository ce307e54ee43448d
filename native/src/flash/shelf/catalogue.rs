//! Catalogue of available firmware, made from the names in a folder or on a page.

use std::{
    cmp::{Ordering, Reverse},
    fmt, fs, io,
    path::Path,
};

use serde::{Deserialize, Serialize};

/// Available firmware.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Board's name as its maker writes it, such as `RPI_PICO`.
    pub board: String,
    /// Version, such as `1.28.0`.
    pub version: String,
    /// Name of the file.
    pub file: String,
    /// Path or URL of the file.
    pub place: String,
    /// SHA-256 in hexadecimal digits, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A list of firmware.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Catalogue {
    /// All firmware, in the order of its source.
    pub firmware: Vec<Entry>,
    /// Names of boards that have pages of their own, which list their firmware.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<String>,
}

/// Reason why a catalogue lacks the requested firmware.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotListed {
    /// No board matches this name.
    Board {
        /// Requested name.
        name: String,
        /// Names whose letters contain the requested ones, or are contained in them.
        similar: Vec<String>,
    },
    /// The board's firmware has no such version.
    Version {
        /// The board.
        board: String,
        /// Available versions, newest first.
        versions: Vec<String>,
    },
}

impl Entry {
    /// Parses the name of a file as makers write it: `RPI_PICO-20260406-v1.28.0.uf2`, and CircuitPython's
    /// `adafruit-circuitpython-raspberry_pi_pico-en_US-8.2.6.uf2`. `None` for other files.
    #[must_use]
    pub fn of_file(place: &str) -> Option<Self> {
        let file = place.rsplit(['/', '\\']).next()?;
        let file = file.split(['?', '#']).next()?;
        let (stem, end) = file.rsplit_once('.')?;
        if !matches!(end, "uf2" | "hex" | "bin" | "dfu") {
            return None;
        }
        let (board, version) = match stem.strip_prefix("adafruit-circuitpython-") {
            Some(rest) => {
                let (board, version) = rest.rsplit_once("-en_US-")?;
                (format!("circuitpython-{board}"), version)
            }
            None => of_micropython(stem)?,
        };
        let begins_well = version.starts_with(|char: char| char.is_ascii_digit());
        (begins_well && !board.is_empty()).then(|| Self {
            board,
            version: version.to_owned(),
            file: file.to_owned(),
            place: place.to_owned(),
            sha256: None,
        })
    }

    /// Ranks the file by the kinds that a board of this name takes. An ESP32 takes images through its boot ROM, and UF2
    /// only once it has another boot loader. Boards with .dfu files have .hex files for a debug probe.
    fn rank(&self) -> u8 {
        let is_esp = letters(&self.board).contains("esp32");
        match self.file.rsplit_once('.') {
            Some((_, "bin")) if is_esp => 2,
            Some((_, "dfu")) => 2,
            Some((_, "uf2" | "hex")) => 1,
            _ => 0,
        }
    }

    fn is_release(&self) -> bool {
        self.version
            .chars()
            .all(|char| char.is_ascii_digit() || char == '.')
    }
}

/// Parses board and version from `BOARD-DATE-vVERSION`.
fn of_micropython(stem: &str) -> Option<(String, &str)> {
    let (before, version) = stem.split_once("-v")?;
    let (board, date) = before.rsplit_once('-')?;
    let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    is_date.then(|| (board.to_owned(), version))
}

impl Catalogue {
    /// Lists the firmware in a folder.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let mut firmware = Vec::new();
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            firmware.extend(path.to_str().and_then(Entry::of_file));
        }
        firmware.sort_by(|a, b| a.file.cmp(&b.file));
        let pages = Vec::new();
        Ok(Self { firmware, pages })
    }

    /// Returns the names of the boards with listed firmware, each once.
    #[must_use]
    pub fn boards(&self) -> Vec<&str> {
        let mut boards: Vec<_> = self.firmware.iter().map(|it| it.board.as_str()).collect();
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    /// Returns the firmware of the boards that a name may mean, newest first.
    #[must_use]
    pub fn of_board(&self, name: &str) -> Vec<&Entry> {
        let ours = |entry: &&Entry| is_board(&entry.board, name);
        let mut entries: Vec<_> = self.firmware.iter().filter(ours).collect();
        entries.sort_by(|a, b| newest_first(a, b));
        entries
    }

    /// Returns the names that contain the letters of another one, or are contained in it.
    fn similar(&self, name: &str) -> Vec<String> {
        let pages = self.pages.iter().map(String::as_str);
        let mut boards: Vec<_> = self.boards().into_iter().chain(pages).collect();
        boards.sort_unstable();
        boards.dedup();
        let has = |one: &str, other: &str| !other.is_empty() && one.contains(other);
        let (long, brief) = (letters(name), short(name));
        boards.retain(|board| {
            let (its_long, its_brief) = (letters(board), short(board));
            has(&its_long, &long) || has(&its_brief, &brief) || has(&brief, &its_brief)
        });
        boards.into_iter().map(str::to_owned).collect()
    }

    /// Finds the firmware of a board: the requested version, or the newest that is not a preview.
    ///
    /// # Errors
    /// The board or the version does not exist.
    pub fn find(&self, name: &str, version: Option<&str>) -> Result<&Entry, NotListed> {
        let entries = self.of_board(name);
        let Some(first) = entries.first() else {
            let similar = self.similar(name);
            let name = name.to_owned();
            return Err(NotListed::Board { name, similar });
        };
        let found = match version {
            Some(version) => {
                let version = version.trim_start_matches('v');
                entries.iter().find(|it| it.version == version)
            }
            None => entries.iter().find(|it| it.is_release()),
        };
        let board = first.board.clone();
        found.copied().ok_or_else(|| NotListed::Version {
            board,
            versions: entries.iter().map(|it| it.version.clone()).collect(),
        })
    }
}

/// Returns true if a person may mean this board: `pico` for `RPI_PICO`, `esp32s3` for `ESP32_GENERIC_S3`.
pub(super) fn is_board(board: &str, name: &str) -> bool {
    let brief = short(name);
    letters(board) == letters(name) || (!brief.is_empty() && short(board) == brief)
}

fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|char| char.to_ascii_lowercase()).collect()
}

/// Shortens a board's name by the words that distinguish nothing; empty if no others are left.
fn short(name: &str) -> String {
    let words = name.split(['_', '-', ' ']).filter(|word| {
        !["rpi", "rp2", "generic", "raspberry", "pi"].contains(&word.to_lowercase().as_str())
    });
    letters(&words.collect::<String>())
}

/// Orders the newest first, and among the files of a version the kind that the board takes.
fn newest_first(a: &Entry, b: &Entry) -> Ordering {
    let key = |entry: &Entry| {
        let parts = entry.version.split(['.', '-']);
        let numbers: Vec<u32> = parts.map_while(|part| part.parse().ok()).collect();
        (numbers, entry.is_release(), entry.rank())
    };
    Reverse(key(a)).cmp(&Reverse(key(b)))
}

impl fmt::Display for NotListed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board { name, similar } if similar.is_empty() => write!(
                f,
                "no firmware is listed for a board named {name}; `flylead flash --list` lists the names"
            ),
            Self::Board { name, similar } => write!(
                f,
                "no firmware is listed for a board named {name}; did you mean: {}",
                similar.join(", ")
            ),
            Self::Version { board, versions } => write!(
                f,
                "this version is not listed for {board}; available versions: {}",
                versions.join(", ")
            ),
        }
    }
}

impl std::error::Error for NotListed {}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        let page = r#"<a href="/resources/firmware/RPI_PICO-20241129-v1.24.1.uf2">x</a>
            <a href='/resources/firmware/RPI_PICO-20260406-v1.28.0.uf2'>x</a>
            <a href="/resources/firmware/RPI_PICO-20261001-v1.29.0-preview.12.gabc.uf2">x</a>
            <a href="/resources/firmware/RPI_PICO-20220618-v1.9.1.uf2">x</a>
            <a href="RPI_PICO_W-20260406-v1.28.0.uf2">x</a> <a href="index.html">x</a>"#;
        Catalogue::of_page("https://makers.example/download/RPI_PICO/", page)
    }

    #[test]
    fn firmware_is_listed_by_the_links_of_a_page() {
        let all = catalogue().firmware;
        assert_eq!(all.len(), 5);
        assert_eq!(
            all[0].place,
            "https://makers.example/resources/firmware/RPI_PICO-20241129-v1.24.1.uf2"
        );
        assert_eq!(
            all[4].place,
            "https://makers.example/download/RPI_PICO/RPI_PICO_W-20260406-v1.28.0.uf2"
        );
    }

    #[test]
    fn the_newest_version_is_no_preview_unless_it_is_named() {
        let all = catalogue();
        let found = |version| all.find("pico", version).map(|it| it.version.as_str());
        assert_eq!(found(None), Ok("1.28.0"));
        assert_eq!(found(Some("v1.24.1")), Ok("1.24.1"));
        assert_eq!(
            found(Some("1.29.0-preview.12.gabc")),
            Ok("1.29.0-preview.12.gabc")
        );
        let why = found(Some("7")).unwrap_err().to_string();
        assert!(why.contains("1.28.0, 1.24.1, 1.9.1"), "{why}");
    }

    #[test]
    fn a_board_is_found_by_the_name_that_people_use() {
        for (board, name) in [
            ("RPI_PICO", "pico"),
            ("RPI_PICO", "rpi_pico"),
            ("RPI_PICO2_W", "pico2w"),
            ("ESP32_GENERIC_S3", "esp32s3"),
            ("ESP32_GENERIC_S3", "ESP32-S3"),
            ("rp2-pico", "Raspberry Pi Pico"),
        ] {
            assert!(is_board(board, name), "{board} {name}");
        }
        assert!(!is_board("RPI_PICO_W", "pico"));
        let old = "rp2-pico-20220618-v1.19.1.uf2 RPI_PICO-20241129-v1.24.1.uf2";
        let firmware = old.split(' ').filter_map(Entry::of_file).collect();
        let all = Catalogue {
            firmware,
            ..Catalogue::default()
        };
        let found = |version| all.find("pico", version).unwrap().board.as_str();
        assert_eq!(
            [found(None), found(Some("1.19.1"))],
            ["RPI_PICO", "rp2-pico"]
        );
        let why = catalogue().find("pic", None).unwrap_err().to_string();
        assert!(why.contains("did you mean: RPI_PICO, RPI_PICO_W"), "{why}");
    }

    #[test]
    fn a_name_that_distinguishes_nothing_is_no_board() {
        assert!(is_board("GENERIC", "generic"));
        assert!(!is_board("GENERIC", "rpi") && !is_board("RPI_PICO", ""));
        let why = catalogue().find("rpi", None).unwrap_err().to_string();
        assert!(why.contains("did you mean: RPI_PICO, RPI_PICO_W"), "{why}");
    }

    #[test]
    fn the_kind_of_file_that_a_board_takes_is_preferred() {
        let names = "ESP32_GENERIC_S3-20260406-v1.28.0.uf2 ESP32_GENERIC_S3-20260406-v1.28.0.bin \
            ESP32_GENERIC_S3-20241129-v1.24.1.bin RPI_PICO-20260406-v1.28.0.bin RPI_PICO-20260406-v1.28.0.uf2 \
            PYBV11-20260406-v1.28.0.hex PYBV11-20260406-v1.28.0.dfu";
        let all = Catalogue {
            firmware: names.split(' ').filter_map(Entry::of_file).collect(),
            ..Catalogue::default()
        };
        for (name, file) in [
            ("esp32s3", "ESP32_GENERIC_S3-20260406-v1.28.0.bin"),
            ("pico", "RPI_PICO-20260406-v1.28.0.uf2"),
            ("pybv11", "PYBV11-20260406-v1.28.0.dfu"),
        ] {
            for version in [None, Some("1.28.0")] {
                assert_eq!(all.find(name, version).unwrap().file, file);
            }
        }
    }

    #[test]
    fn other_files_are_not_listed() {
        for file in [
            "README.md",
            "x.uf2",
            "RPI_PICO-v1.uf2",
            "RPI_PICO-20260406-v1.28.0.zip",
        ] {
            assert_eq!(Entry::of_file(file), None, "{file}");
        }
        let it = Entry::of_file("adafruit-circuitpython-raspberry_pi_pico-en_US-8.2.6.uf2");
        let it = it.unwrap();
        assert_eq!(
            (it.board.as_str(), it.version.as_str()),
            ("circuitpython-raspberry_pi_pico", "8.2.6")
        );
    }
}
