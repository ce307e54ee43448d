//! MicroPython 1.9.2, the BBC micro:bit's own firmware, on an emulated Cortex-M0.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    leash::{Leash, wait_for},
    setup::need,
    tty::Tty,
    unix::{await_prompt, failed},
};

/// An old MicroPython: no raw-paste mode, 16 kB of memory, real interrupts and real soft resets.
#[derive(Debug)]
pub struct Microbit {
    path: PathBuf,
    _hold: Tty,
    _process: Leash,
    _home: TempDir,
}

/// Debian's package `firmware-microbit-micropython`.
const FIRMWARE: &str = "/usr/share/firmware-microbit-micropython/firmware.hex";

impl Microbit {
    /// Starts one.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute.
    #[must_use]
    pub fn start() -> Self {
        let home = tempfile::Builder::new()
            .prefix("flylead-microbit-")
            .tempdir()
            .expect("there is room for temporary files");
        let log = home.path().join("log");
        let firmware = need(Path::new(FIRMWARE));
        let loader = format!("loader,file={}", firmware.display());
        let arguments = [
            "-M", "microbit", "-device", &loader, "-display", "none", "-monitor", "none",
            "-serial", "pty",
        ];
        let process = Leash::start("qemu-system-arm", &arguments, &log);
        let path = wait_for(|| announced_path(&log), || failed(&log));
        let mut hold = Tty::open(&path).expect("the emulator's pty can be opened");
        // It may have printed its banner before anybody listened; a new line asks for another prompt.
        hold.write_all(b"\r").expect("the emulator reads");
        await_prompt(&mut hold, &log);
        Self {
            path,
            _hold: hold,
            _process: process,
            _home: home,
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// `char device redirected to /dev/pts/4 (label serial0)`
fn announced_path(log: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(log).ok()?;
    let rest = text.split_once("redirected to ")?.1;
    Some(rest.split_once(' ')?.0.into())
}
