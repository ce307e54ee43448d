//! The makers' own firmware of the Raspberry Pi Pico, on an emulated RP2040 with flash and USB.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{
    leash::{Leash, wait_for},
    setup::{need, venv},
    tty::Tty,
};

/// A Pico: raw-paste mode, a file system in flash, 192 kB of memory.
///
/// The emulator takes some twenty seconds of processor time for one of the board's, so it shows what a board has to do, and
/// not how long a person waits.
#[derive(Debug)]
pub struct Pico {
    path: PathBuf,
    _process: Leash,
    _home: TempDir,
}

impl Pico {
    /// Starts one with an empty file system.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
    #[must_use]
    pub fn start(image: &Path) -> Self {
        let home = home();
        let files = home.path().join("files.img");
        Self::start_in(home, image, &files)
    }

    /// Starts one with the file system of an image, if that exists. When it is dropped, its power is cut: the image has the flash
    /// as it is at that instruction.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
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
        // Its end stays open: what the first client did not read is not the next one's.
        drop(Tty::open(&path).expect("the emulator's pty can be opened"));
        Self {
            path,
            _process: process,
            _home: home,
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the line with this beginning that the board's own program prints when it starts, and for its end, and returns the
    /// line. Nothing interrupts that program.
    ///
    /// # Panics
    ///
    /// When it does not come within two minutes, with what came instead.
    #[must_use]
    pub fn line_at_start(&self, beginning: &str) -> String {
        let mut tty = Tty::open(&self.path).expect("the emulator's pty can be opened");
        let mut said = String::new();
        let give_up = Instant::now() + Duration::from_secs(120);
        loop {
            if let Some(line) = whole_line(&said, beginning) {
                return line.to_owned();
            }
            assert!(Instant::now() < give_up, "no line {beginning}: {said}");
            match tty.read(Duration::from_secs(1)) {
                Some(bytes) => said += &String::from_utf8_lossy(&bytes),
                // The firmware sends what waits once something arrives.
                None => drop(tty.write(b"\r")),
            }
        }
    }
}

const PROMPT: &str = ">>> ";

/// The line with this beginning, once the prompt is behind it.
fn whole_line<'a>(said: &'a str, beginning: &str) -> Option<&'a str> {
    let (_, rest) = said.split_once(beginning)?;
    let (line, behind) = rest.split_once("\r\n")?;
    behind.contains(PROMPT).then_some(())?;
    let start = said.len() - rest.len() - beginning.len();
    said.get(start..start + beginning.len() + line.len())
}

fn home() -> TempDir {
    tempfile::Builder::new()
        .prefix("flylead-pico-")
        .tempdir()
        .expect("there is room for temporary files")
}
