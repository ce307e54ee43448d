//! Text that a board prints while no program of the application runs: the end of an interrupted one, the output of
//! `boot.py`.
//!
//! It belongs on the terminal. Prompts and the banner of raw mode are answers to this machine, and are omitted.

use alloc::vec::Vec;
use core::mem;

use super::banner::RAW_BANNER;
use crate::raw_repl::control::END;

/// Length limit of a line; a longer one is reported in pieces.
const LINE_LIMIT: usize = 4096;
/// Answer to the line that resets the interpreter.
const TAKEN: &[u8] = b"OK";

/// Collects lines, and omits the machine's own. Any bytes, split anywhere, give the same text.
#[derive(Debug, Default)]
pub(in crate::raw_repl) struct Between {
    line: Vec<u8>,
    /// True until the answer to a soft reset has passed.
    is_answer_due: bool,
    text: Vec<u8>,
}

impl Between {
    /// Creates a collector for text after a soft reset in raw mode.
    pub(in crate::raw_repl) fn after_reset() -> Self {
        Self {
            is_answer_due: true,
            ..Self::default()
        }
    }

    pub(in crate::raw_repl) fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.line.push(byte);
            if byte == b'\n' || self.line.len() == LINE_LIMIT {
                self.end_line();
            }
        }
    }

    /// Takes out complete lines.
    pub(in crate::raw_repl) fn take(&mut self) -> Vec<u8> {
        mem::take(&mut self.text)
    }

    /// Takes out everything at the end of the text.
    pub(in crate::raw_repl) fn take_rest(&mut self) -> Vec<u8> {
        self.end_line();
        self.take()
    }

    fn end_line(&mut self) {
        let mut line = mem::take(&mut self.line);
        if mem::take(&mut self.is_answer_due) && line.starts_with(TAKEN) {
            line.drain(..TAKEN.len());
        }
        if !is_ours(&line) {
            self.text.append(&mut line);
        }
    }
}

/// Returns true for a line of prompts, ends of replies and the banner of raw mode alone.
fn is_ours(line: &[u8]) -> bool {
    let mut rest = line;
    loop {
        rest = match rest {
            [] => return true,
            [b'\r' | b'\n' | END, after @ ..] => after,
            [b'>', b'>', b'>', b' ', after @ ..] | [b'.', b'.', b'.', b' ', after @ ..] => after,
            [b'>', after @ ..] => after,
            _ => match rest.strip_prefix(RAW_BANNER) {
                Some(after) => after,
                None => return false,
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8], size: usize, mut between: Between) -> Vec<u8> {
        let mut text = Vec::new();
        for piece in bytes.chunks(size) {
            between.push(piece);
            text.extend(between.take());
        }
        [text, between.take_rest()].concat()
    }

    #[test]
    fn text_is_told_and_prompts_and_banners_are_not() {
        for (bytes, expected) in [
            (&b"\r\n>>> \r\nraw REPL; CTRL-B to exit\r\n>"[..], &b""[..]),
            (b">raw REPL; CTRL-B to exit\r\n>", b""),
            (
                b"tick 1\r\n> mine\r\n>>> \r\nraw REPL; CTRL-B to exit\r\n>",
                b"tick 1\r\n> mine\r\n",
            ),
            (b"\x04\x04>\r\n... \r\n....\r\nlast", b"....\r\nlast"),
        ] {
            for size in [100, 7, 1] {
                assert_eq!(told(bytes, size, Between::default()), expected);
            }
        }
        let reset = b"OK\r\nMPY: soft reboot\r\nOK\r\n";
        assert_eq!(
            told(reset, 3, Between::after_reset()),
            b"MPY: soft reboot\r\nOK\r\n"
        );
    }

    #[test]
    fn a_line_without_end_fills_no_memory() {
        let mut between = Between::default();
        let mut told = 0;
        for _ in 0..1000 {
            between.push(&[b'x'; 1000]);
            told += between.take().len();
            assert!(between.line.len() <= LINE_LIMIT);
        }
        assert_eq!(told + between.take_rest().len(), 1_000_000);
    }
}
