//! The boot ROM of ESP chips behind a pty, with its flash (esptool, "Serial Protocol").

mod chip;
mod flash;
mod image;
mod slip;

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::boards::stranger::Stranger;
use chip::Chip;
pub use image::{esp_image, esp_program};

/// Kind of an ESP chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EspKind {
    /// The first one, whose ROM is asked for its kind by a register.
    Esp32,
    /// Its ROM says its kind.
    Esp32C3,
    /// Newer chip with its number in the ROM, too.
    Esp32S3,
}

/// Number of bytes of the chip's flash.
pub const ESP_FLASH: usize = 4 << 20;

/// An ESP chip in download mode. It has no lines that would reset it.
#[derive(Debug)]
pub struct EspRom {
    chip: Arc<Mutex<Chip>>,
    stranger: Stranger,
}

impl EspRom {
    /// Starts a chip whose flash is empty.
    #[must_use]
    pub fn start(kind: EspKind) -> Self {
        Self::start_with(kind, vec![0xff; ESP_FLASH])
    }

    /// Starts a chip with this content of its flash.
    #[must_use]
    pub fn start_with(kind: EspKind, flash: Vec<u8>) -> Self {
        let chip = Arc::new(Mutex::new(Chip::new(kind, flash)));
        let own = Arc::clone(&chip);
        let stranger = Stranger::start(move |bytes| lock(&own).receive(bytes));
        Self { chip, stranger }
    }

    /// Makes another chip of it: these are the last four bytes of its network address.
    #[must_use]
    pub fn with_address(self, low: u32) -> Self {
        lock(&self.chip).set_address(low);
        self
    }

    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.stranger.path()
    }

    /// Returns the content of its flash.
    #[must_use]
    pub fn flash(&self) -> Vec<u8> {
        lock(&self.chip).flash().to_vec()
    }

    /// Pulls the plug: the port goes, and the content of the flash remains, with everything that a host was told is in it.
    #[must_use]
    pub fn unplug(self) -> Vec<u8> {
        lock(&self.chip).turn_off()
    }

    /// Number of bytes that were written to its flash since it was started.
    #[must_use]
    pub fn written(&self) -> usize {
        lock(&self.chip).written()
    }

    /// Number of programs that were put into its memory and started.
    #[must_use]
    pub fn stubs(&self) -> usize {
        lock(&self.chip).stubs()
    }
}

fn lock(chip: &Mutex<Chip>) -> MutexGuard<'_, Chip> {
    chip.lock().unwrap_or_else(PoisonError::into_inner)
}
