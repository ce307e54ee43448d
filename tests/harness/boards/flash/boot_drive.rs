//! The drive of a boot loader, as a folder. It is written from the description of UF2 and shares no code with the library.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::{
    fs::{CWD, Mode, OFlags, mkfifoat},
    pipe::fcntl_setpipe_size,
};
use tempfile::TempDir;

/// A board in its boot loader.
///
/// Its drive takes blocks as the boot ROMs of Raspberry Pi do: it looks at each one by itself, ignores those for other chips without
/// a word, and is gone when it has all.
#[derive(Debug)]
pub struct BootDrive {
    path: PathBuf,
    flash: Arc<Mutex<BTreeMap<u32, Vec<u8>>>>,
    thread: Option<JoinHandle<()>>,
    _home: TempDir,
}

/// Chip of such a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootChip {
    /// A Raspberry Pi Pico's.
    Rp2040,
    /// A Raspberry Pi Pico 2's.
    Rp2350,
}

impl BootChip {
    const fn info(self) -> &'static str {
        match self {
            Self::Rp2040 => {
                "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: RPI-RP2\r\n"
            }
            Self::Rp2350 => {
                "UF2 Bootloader v1.0\r\nModel: Raspberry Pi RP2350\r\nBoard-ID: RP2350\r\n"
            }
        }
    }

    const fn families(self) -> &'static [u32] {
        match self {
            Self::Rp2040 => &[0xe48b_ff56],
            Self::Rp2350 => &[0xe48b_ff57, 0xe48b_ff58, 0xe48b_ff59, 0xe48b_ff5a],
        }
    }
}

impl BootDrive {
    /// Plugs a board in that takes everything.
    ///
    /// # Panics
    ///
    /// When there is no room for temporary files.
    #[must_use]
    pub fn plug_in(chip: BootChip) -> Self {
        let (home, path) = home();
        Self::start(chip, home, path, None)
    }

    /// Like [`plug_in`](Self::plug_in), with a drive at this path, which is not there yet.
    ///
    /// # Panics
    ///
    /// When the path cannot be made.
    #[must_use]
    pub fn plug_in_at(chip: BootChip, path: &Path) -> Self {
        let (home, _) = home();
        Self::start(chip, home, path.to_owned(), None)
    }

    /// Plugs a board in whose cable is pulled after so many bytes.
    ///
    /// # Panics
    ///
    /// When there is no room for temporary files.
    #[must_use]
    pub fn pulled_after(chip: BootChip, bytes: usize) -> Self {
        let (home, path) = home();
        Self::start(chip, home, path, Some(bytes))
    }

    fn start(chip: BootChip, home: TempDir, path: PathBuf, cut: Option<usize>) -> Self {
        // A pipe, so that each byte is the drive's as soon as it is written, and none after it has gone.
        let hidden = home.path().join("hidden");
        fs::create_dir(&hidden).expect("the folder is ours");
        mkfifoat(CWD, hidden.join(FILE), Mode::RUSR | Mode::WUSR).expect("the folder is ours");
        fs::write(hidden.join("INFO_UF2.TXT"), chip.info()).expect("the folder is ours");
        fs::rename(&hidden, &path).expect("the drive has no folder yet");
        let flash = Arc::default();
        let thread = thread::spawn({
            let (path, flash) = (path.clone(), Arc::clone(&flash));
            move || take(chip, &path, cut, &flash)
        });
        Self {
            path,
            flash,
            thread: Some(thread),
            _home: home,
        }
    }

    /// The folder of the drive.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until the drive has gone, and returns the flash from the first byte that was written to the last.
    ///
    /// # Panics
    ///
    /// When the drive stays.
    #[must_use]
    pub fn gone(mut self) -> Vec<u8> {
        let thread = self.thread.take().expect("it has not gone yet");
        thread.join().expect("the drive has no fault");
        assert!(!self.path.exists(), "the drive is still there");
        self.flash()
    }

    /// The flash from the first byte that was written to the last; what is erased is 0xff.
    #[must_use]
    pub fn flash(&self) -> Vec<u8> {
        let blocks = self.flash.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(start) = blocks.keys().next().copied() else {
            return Vec::new();
        };
        let mut flash = Vec::new();
        for (address, data) in blocks.iter() {
            let at = (address - start) as usize;
            flash.resize(at.max(flash.len()), 0xff);
            flash.truncate(at);
            flash.extend(data);
        }
        flash
    }
}

impl Drop for BootDrive {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Its thread waits for the pipe to be opened.
            let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let opened = rustix::fs::open(self.path.join(FILE), flags, Mode::empty());
            drop(opened);
            let give_up = Instant::now() + Duration::from_secs(5);
            while !thread.is_finished() && Instant::now() < give_up {
                thread::sleep(Duration::from_millis(2));
            }
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Takes blocks until it has all of them, or the cable is pulled. A drive that got nothing useful stays.
fn take(chip: BootChip, path: &Path, cut: Option<usize>, flash: &Mutex<BTreeMap<u32, Vec<u8>>>) {
    let Some((mut pipe, _short)) = open(path) else {
        return;
    };
    let mut numbers = BTreeMap::<u32, usize>::new();
    let mut taken = 0;
    loop {
        let mut block = [0; 512];
        let room = cut.map_or(block.len(), |cut| block.len().min(cut - taken));
        if room == 0 || !fill(&mut pipe, &mut block[..room]) {
            break;
        }
        taken += room;
        if cut == Some(taken) {
            pull_out(path);
            return;
        }
        let word = |at: usize| {
            u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
        };
        let is_block = [word(0), word(4), word(508)] == [0x0a32_4655, 0x9e5d_5157, 0x0ab1_6f30];
        let is_ours = word(8) & 0x2000 != 0 && chip.families().contains(&word(28));
        if !is_block || !is_ours || word(16) != 256 {
            continue;
        }
        let mut blocks = flash.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.insert(word(12), block[32..288].to_vec());
        drop(blocks);
        let family = numbers.entry(word(28)).or_default();
        *family += 1;
        if *family == word(24) as usize {
            pull_out(path);
            return;
        }
    }
    // The system reads its own copy of a drive that has ignored everything.
    drop(pipe);
}

/// Waits for a client, with a pipe that keeps one page alone: what it has not taken, the drive has not.
fn open(path: &Path) -> Option<(File, OwnedFd)> {
    let path = path.join(FILE);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let short = rustix::fs::open(&path, flags, Mode::empty()).ok()?;
    fcntl_setpipe_size(&short, 4096).ok()?;
    Some((File::open(path).ok()?, short))
}

fn fill(pipe: &mut File, block: &mut [u8]) -> bool {
    pipe.read_exact(block).is_ok()
}

fn pull_out(path: &Path) {
    fs::remove_dir_all(path).expect("the drive's folder is ours");
}

fn home() -> (TempDir, PathBuf) {
    let home = tempfile::Builder::new()
        .prefix("flylead-drive-")
        .tempdir()
        .expect("there is room for temporary files");
    let path = home.path().join("RPI-RP2");
    (home, path)
}

/// Name under which the test's client writes.
const FILE: &str = "FIRMWARE.UF2";
