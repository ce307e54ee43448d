//! Queries a board about a restart after suspicious output.
//!
//! A program may print the same text as a board that starts: for example, a stored log of its boot, or the output of a
//! second board. The banner is therefore output like any other. If the board is silent after it, the board is queried:
//! at its prompt, it answers Ctrl-A with the raw banner (MicroPython v1.29 `shared/runtime/pyexec.c`,
//! `pyexec_friendly_repl`). A program that is still running finds that byte on its stdin.

use alloc::vec::Vec;
use core::mem;

use super::banner::RawBanner;

/// Limit of an answer with its line ends, in bytes.
const ANSWER_LIMIT: usize = 64;

/// State of the query.
#[derive(Debug, Default)]
pub(in crate::raw_repl) enum Restart {
    /// No sign of a restart.
    #[default]
    No,
    /// The banner has arrived.
    Suspected,
    /// The board was queried.
    Asked(Answer),
}

/// The received part of the board's answer.
#[derive(Debug, Default)]
pub(in crate::raw_repl) struct Answer {
    raw: RawBanner,
    held: Vec<u8>,
}

/// Meaning of the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::raw_repl) enum Heard {
    /// The bytes may begin the answer.
    Unsure,
    /// The bytes are the program's output.
    Output(Vec<u8>),
    /// The board is at its prompt.
    Answer,
}

impl Restart {
    pub(in crate::raw_repl) fn suspect(&mut self) {
        if matches!(self, Self::No) {
            *self = Self::Suspected;
        }
    }

    pub(in crate::raw_repl) fn ask(&mut self) {
        if matches!(self, Self::Suspected) {
            *self = Self::Asked(Answer::default());
        }
    }

    pub(in crate::raw_repl) const fn is_suspected(&self) -> bool {
        !matches!(self, Self::No)
    }

    pub(in crate::raw_repl) const fn is_asked(&self) -> bool {
        matches!(self, Self::Asked(_))
    }

    /// Takes a byte, and appends bytes that cannot belong to the answer; returns true once the answer is complete.
    pub(in crate::raw_repl) fn hear(&mut self, byte: u8, output: &mut Vec<u8>) -> bool {
        let Self::Asked(answer) = self else {
            output.push(byte);
            return false;
        };
        match answer.push(byte) {
            Heard::Unsure => {}
            Heard::Output(bytes) => output.extend(bytes),
            Heard::Answer => return true,
        }
        false
    }

    /// Ends the suspicion, and returns the held output.
    pub(in crate::raw_repl) fn dismiss(&mut self) -> Vec<u8> {
        match mem::take(self) {
            Self::Asked(answer) => answer.held,
            Self::No | Self::Suspected => Vec::new(),
        }
    }
}

impl Answer {
    pub(in crate::raw_repl) fn push(&mut self, byte: u8) -> Heard {
        self.held.push(byte);
        if self.raw.push(byte) {
            return Heard::Answer;
        }
        if self.held.len() > ANSWER_LIMIT {
            self.raw = RawBanner::default();
        }
        let kept = self.raw.begun().min(self.held.len());
        let output = self.held.len() - kept;
        match output {
            0 => Heard::Unsure,
            _ => Heard::Output(self.held.drain(..output).collect()),
        }
    }
}
