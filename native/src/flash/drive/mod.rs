//! Drives provided by boot loaders.

mod ask;
pub(crate) mod copy;
mod daplink;
mod device;
mod mounts;
pub(crate) mod wait;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
};

use super::{FIRMWARE_LIMIT, Firmware, microbit};
use crate::os::disk;
use ask::in_time;

/// A drive that takes firmware.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drive {
    /// Folder at which it is mounted.
    pub path: PathBuf,
    /// Name of the board, as reported by its boot loader.
    pub model: String,
    /// Board's identifier, such as `RPI-RP2`.
    pub board_id: String,
    /// Kind of its boot loader.
    pub kind: Kind,
    /// Disk in sysfs, if the system reports it.
    pub(super) device: Option<PathBuf>,
}

/// Kind of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A drive that takes UF2.
    Uf2,
    /// DAPLink, on a micro:bit: it takes Intel HEX.
    Daplink,
}

/// Presence of a drive that was found earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The drive is still there.
    There,
    /// The drive is gone, or another one is in its place.
    Gone,
    /// The drive does not answer within a second, and may be either.
    Silent,
}

impl Drive {
    /// Inspects a folder. `None` if it is not the drive of a boot loader, or does not answer within a second.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        let folder = path.to_owned();
        in_time(path, move || Self::read(&folder)).flatten()
    }

    /// Reads the drive's own description (<https://github.com/microsoft/uf2>, "Files exposed by bootloaders"; DAPLink,
    /// `docs/MSD_COMMANDS.md`).
    fn read(path: &Path) -> Option<Self> {
        let info = |name| disk::read_text(&path.join(name), INFO_LIMIT).ok();
        let of = |model, board_id, kind| Self {
            path: path.to_owned(),
            model,
            board_id,
            kind,
            device: device::of_folder(path),
        };
        if let Some(info) = info("INFO_UF2.TXT") {
            let value = |key| value_of(&info, key);
            let model = value("Model:").unwrap_or_else(|| "a board".to_owned());
            let board_id = value("Board-ID:").unwrap_or_default();
            return Some(of(model, board_id, Kind::Uf2));
        }
        let details = info("DETAILS.TXT").filter(|details| details.contains("DAPLink"))?;
        let id = value_of(&details, "Unique ID:").unwrap_or_default();
        let board_id = id.get(..4).unwrap_or_default().to_owned();
        let name = microbit::with_id(&board_id).map_or("a board with DAPLink", |it| it.name);
        Some(of(name.to_owned(), board_id, Kind::Daplink))
    }

    /// Finds the drives of boot loaders among the mounted ones. A drive that does not answer within a second is left
    /// out.
    #[must_use]
    pub fn find() -> Vec<Self> {
        Self::among(mounts::folders())
    }

    /// Inspects folders in parallel, so that one that hangs hides no other.
    fn among(folders: Vec<PathBuf>) -> Vec<Self> {
        let (tell, told) = mpsc::channel();
        for folder in folders.into_iter().take(FOLDERS) {
            let tell = tell.clone();
            thread::spawn(move || tell.send(Self::at(&folder)));
        }
        drop(tell);
        let mut drives: Vec<_> = told.iter().flatten().collect();
        drives.sort_by(|a, b| a.path.cmp(&b.path));
        drives
    }

    /// Checks whether the boot loader is still there, as far as can be known: a system may keep a drive mounted, and
    /// answer from its cache, after the board has gone.
    #[must_use]
    pub fn presence(&self) -> Presence {
        let disk = self.device.as_deref();
        if disk.is_some_and(|disk| !disk.exists()) {
            return Presence::Gone;
        }
        let path = self.path.clone();
        match in_time(&self.path, move || Self::read(&path)) {
            None => Presence::Silent,
            Some(Some(now)) if now.board_id == self.board_id && now.device == self.device => {
                Presence::There
            }
            Some(_) => Presence::Gone,
        }
    }

    /// Reads the firmware that the board has now, from the file `CURRENT.UF2` that some boot loaders show; `None` if there
    /// is none that the board would take again. It blocks as long as the drive does.
    #[must_use]
    pub fn current(&self) -> Option<Firmware> {
        if self.kind != Kind::Uf2 {
            return None;
        }
        let bytes = disk::read(&self.path.join("CURRENT.UF2"), FIRMWARE_LIMIT).ok()?;
        let firmware = Firmware::read("CURRENT.UF2", bytes).ok()?;
        self.check(&firmware).ok().map(|()| firmware)
    }

    /// Returns true if the boot loader has come back after it had gone: possibly as a new disk, but not as a remnant of
    /// the old one.
    pub(super) fn is_back(&self) -> bool {
        Self::at(&self.path).is_some_and(|now| {
            now.board_id == self.board_id && now.device.is_some() == self.device.is_some()
        })
    }
}

/// Formats the board and its place in a few words.
impl fmt::Display for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.board_id.is_empty() {
            true => write!(f, "{}", self.model)?,
            false => write!(f, "{} ({})", self.model, self.board_id)?,
        }
        write!(f, " at {}", self.path.display())
    }
}

fn value_of(info: &str, key: &str) -> Option<String> {
    let value = info.lines().find_map(|line| line.strip_prefix(key))?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Limit of the folders inspected in parallel.
const FOLDERS: usize = 64;
/// Size limit of a drive's description, in bytes; a real one has a few lines.
const INFO_LIMIT: u64 = 4096;

#[cfg(test)]
pub(super) mod tests {
    use std::fs;

    use super::*;

    pub(crate) fn drive(name: &str, text: &str) -> (tempfile::TempDir, Drive) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        let drive = Drive::at(folder.path()).unwrap();
        (folder, drive)
    }

    /// Description in the RP2040's boot ROM.
    pub(crate) const PICO: &str =
        "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n";

    #[test]
    fn a_folder_without_a_description_or_with_a_long_one_is_no_drive() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Drive::at(folder.path()), None);
        fs::write(folder.path().join("INFO_UF2.TXT"), PICO.repeat(99)).unwrap();
        assert_eq!(Drive::at(folder.path()), None);
    }

    /// Replaces the description by a pipe that nobody writes to, so that its reader blocks.
    #[cfg(unix)]
    pub(crate) fn hang(drive: &Drive) -> impl Drop + use<> {
        use rustix::fs::{CWD, Mode, mkfifoat};
        struct Pipe(PathBuf);
        impl Drop for Pipe {
            fn drop(&mut self) {
                drop(fs::OpenOptions::new().read(true).write(true).open(&self.0));
            }
        }
        let file = drive.path.join("INFO_UF2.TXT");
        fs::remove_file(&file).unwrap();
        mkfifoat(CWD, &file, Mode::RUSR | Mode::WUSR).unwrap();
        Pipe(file)
    }

    #[cfg(unix)]
    #[test]
    fn a_drive_that_does_not_answer_hides_no_other_and_has_not_gone() {
        let (hung_folder, hung) = drive("INFO_UF2.TXT", PICO);
        let (folder, pico) = drive("INFO_UF2.TXT", PICO);
        let _pipe = hang(&hung);
        let folders = [hung_folder.path(), folder.path()].map(Path::to_owned);
        assert_eq!(Drive::among(folders.to_vec()), [pico]);
        assert_eq!(hung.presence(), Presence::Silent);
    }

    /// The system answers from its cache: the files are there, and the disk is not.
    #[test]
    fn a_drive_whose_disk_has_gone_is_gone() {
        let (folder, mut pico) = drive("INFO_UF2.TXT", PICO);
        assert_eq!(pico.presence(), Presence::There);
        pico.device = Some(folder.path().join("sdb"));
        assert_eq!(pico.presence(), Presence::Gone);
    }
}
