//! The makers' own firmware of the Raspberry Pi Pico, on an emulated RP2040 with flash and USB.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::boards::{
    line::tty::Tty,
    process::{
        leash::{Leash, wait_for},
        setup::{need, venv},
    },
};

/// A Pico: raw-paste mode, a file system in flash, 192 kB of memory.
///
/// The emulator takes some twenty seconds of processor time for one of the board's, so it shows what a board has to do, and
/// not how long a person waits.
#[derive(Debug)]
pub struct Pico {
    path: PathBuf,
    /// Text of its start, up to the first prompt.
    said: String,
    _process: Leash,
    _home: TempDir,
}

impl Pico {
    /// Starts one with an empty file system, and waits for its prompt.
    ///
    /// # Panics
    ///
    /// When it does not come to its prompt within two minutes.
    #[must_use]
    pub fn start(image: &Path) -> Self {
        let home = home();
        let files = home.path().join("files.img");
        Self::start_in(home, image, &files)
    }

    /// Starts one with the file system of an image, if that exists. When it is dropped, its power is cut: the image has the flash
    /// as it is at that instruction. Nothing interrupts the board's own program, which has to end.
    ///
    /// # Panics
    ///
    /// When it does not come to its prompt within two minutes.
    #[must_use]
    pub fn start_with(image: &Path, files: &Path) -> Self {
        Self::start_in(home(), image, files)
    }

    fn start_in(home: TempDir, image: &Path, files: &Path) -> Self {
        let log = home.path().join("log");
        let emulator = need(&venv().join("bin/rp2040py"));
        let [emulator, image, files] =
            [&emulator, image, files].map(|path| path.display().to_string());
        let arguments = [
            "micropython",
            "--image",
            &image,
            "--pty",
            "--littlefs",
            &files,
            "--dump-fs",
            &files,
        ];
        let process = Leash::start(&emulator, &arguments, &log);
        let path = wait_for(
            || {
                let said = fs::read_to_string(&log).ok()?;
                let (_, rest) = said.split_once("PTY REPL listening on ")?;
                let (path, _) = rest.split_once(' ')?;
                Some(PathBuf::from(path))
            },
            || fs::read_to_string(&log).unwrap_or_default(),
        );
        let mut tty = Tty::open(&path).expect("the emulator's pty can be opened");
        let said = read_to_prompt(&mut tty);
        Self {
            path,
            said,
            _process: process,
            _home: home,
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the line with this beginning that the board's own program printed when it started.
    ///
    /// # Panics
    ///
    /// When there is none, with what it printed instead.
    #[must_use]
    pub fn line_at_start(&self, beginning: &str) -> &str {
        let line = self.said.lines().find(|line| line.starts_with(beginning));
        line.unwrap_or_else(|| panic!("no line {beginning}: {}", self.said))
    }
}

const PROMPT: &str = ">>> ";

/// Reads the board's output up to its prompt.
///
/// The emulator types Enter once the board's USB is up. Whoever writes earlier finds that Enter within what it wrote, and the prompt
/// that answers it is one that nobody asked for.
fn read_to_prompt(tty: &mut Tty) -> String {
    let mut said = String::new();
    let give_up = Instant::now() + Duration::from_secs(120);
    while !said.ends_with(PROMPT) {
        assert!(Instant::now() < give_up, "no prompt: {said}");
        let bytes = tty.read(Duration::from_secs(1)).unwrap_or_default();
        said += &String::from_utf8_lossy(&bytes);
    }
    said
}

fn home() -> TempDir {
    tempfile::Builder::new()
        .prefix("flylead-pico-")
        .tempdir()
        .expect("there is room for temporary files")
}
