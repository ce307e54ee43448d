//! `flylead flash`: drives of boot loaders, and boards that get there by themselves.
#![cfg(target_os = "linux")]

mod boards;
#[path = "../command_boards/common.rs"]
#[allow(dead_code, reason = "the tests of other commands need more of it")]
mod common;
mod drives;
mod esps;
mod lists;
mod microbits;
mod otas;
mod picos;

use std::{
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use flylead_core::uf2::{Family, Image, build};

use crate::common::{flylead, random};

/// Firmware for a chip, as long as that of a small board.
pub(crate) fn firmware(family: Family, length: usize) -> (Vec<u8>, Vec<u8>) {
    let bytes = random(length);
    let image = Image {
        start: 0x1000_0000,
        bytes: bytes.clone(),
    };
    (build(&image, family), bytes)
}

/// `flylead flash`, with no board at a port.
pub(crate) fn flash(arguments: &[&str]) -> Command {
    flash_at(Path::new("/dev/no-such-port"), arguments)
}

pub(crate) fn flash_at(port: &Path, arguments: &[&str]) -> Command {
    let words = [&["flash"], arguments].concat();
    let mut command = flylead(port, &words);
    // The harness's own images.
    command.env_remove("FLYLEAD_FIRMWARE");
    command.env("XDG_STATE_HOME", state());
    command
}

/// A folder for the lock of one test: tests run beside each other, and a person flashes one board at a time.
pub(crate) fn state() -> PathBuf {
    let test = thread::current()
        .name()
        .unwrap_or("flash")
        .replace(':', "-");
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("flash")
        .join(test)
}

pub(crate) fn name(path: &Path) -> &str {
    path.to_str().expect("its name is text")
}
