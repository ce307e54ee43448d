//! Output on the screen and in a file.

use std::{
    fs::File,
    io::{self, Write as _},
    path::Path,
};

use crate::{Exit, Failure, terminal::print_raw};

/// The terminal, and the file that receives the same output.
pub(super) struct Screen {
    capture: Option<File>,
    /// Number of bytes received of the sequence that ends a program in raw mode: `\x04`, and after more output `\x04>`.
    ended: u8,
    is_behind_end: bool,
}

impl Screen {
    pub(super) fn new(capture: Option<&Path>) -> Result<Self, Failure> {
        let create = |path: &Path| {
            let wrong = |error| Failure::new(Exit::Usage, format!("{}: {error}", path.display()));
            File::create(path).map_err(wrong)
        };
        let capture = capture.map(create).transpose()?;
        Ok(Self {
            capture,
            ended: 0,
            is_behind_end: false,
        })
    }

    /// Shows bytes, and returns true if they end a program that was left running: the board is in raw mode then, in
    /// which it does not echo (MicroPython 1.28, shared/runtime/pyexec.c, `pyexec_raw_repl_process_char`).
    pub(super) fn show(&mut self, bytes: &[u8]) -> io::Result<bool> {
        print_raw(bytes)?;
        if let Some(capture) = &mut self.capture {
            capture.write_all(bytes)?;
        }
        let mut has_ended = false;
        for &byte in bytes {
            self.ended = match (byte, self.ended) {
                (4, before) => before.saturating_add(1),
                (b'>', 2..) if self.is_behind_end => {
                    has_ended = true;
                    0
                }
                (_, before) => before,
            };
            self.is_behind_end = byte == 4;
        }
        Ok(has_ended)
    }
}
