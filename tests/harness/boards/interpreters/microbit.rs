//! MicroPython 1.9.2, the BBC micro:bit's own firmware, on an emulated Cortex-M0.

use std::path::Path;

use tempfile::TempDir;

use super::unix::await_prompt;
use crate::boards::{
    line::{relay::Relay, tty::Tty},
    process::{leash::Leash, processor::Processor, setup::need},
};

/// An old MicroPython: no raw-paste mode, 16 kB of memory, real interrupts and real soft resets.
#[derive(Debug)]
pub struct Microbit {
    line: Relay,
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
        let pipe = home.path().join("serial");
        let line = Relay::to_serial(&pipe);
        let serial = format!("pipe:{}", pipe.display());
        let arguments = [
            "-M",
            "microbit",
            "-name",
            "microbit,debug-threads=on",
            "-device",
            &loader,
            "-display",
            "none",
            "-monitor",
            "none",
            "-serial",
            &serial,
        ];
        let process = Leash::start("qemu-system-arm", &arguments, &log);
        let mut prompt = Tty::open(line.path()).expect("the line's pty can be opened");
        await_prompt(&mut prompt, &log);
        let emulator = process.descendant("qemu-system-arm");
        if let Some(processor) = emulator.and_then(Processor::of) {
            line.keep_pace(processor);
        }
        Self {
            line,
            _process: process,
            _home: home,
        }
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.line.path()
    }
}
