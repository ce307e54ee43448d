//! Decides whether a program has ended when other output is interleaved with its end.
//!
//! A thread of the board prints at any time, so `04 04 tick >` may be the end of a program or a part of its output. The
//! board is queried: at its prompt, it answers Ctrl-A with the raw banner (MicroPython v1.29 `shared/runtime/pyexec.c`,
//! `pyexec_raw_repl`). A program that is still running finds that byte on its stdin instead.

use alloc::vec::Vec;
use core::time::Duration;

use crate::{
    Instant,
    raw_repl::{
        context::Context,
        control::{EMPTY_LINE, END, QUESTION},
        entering::banner::{FriendlyBanner, RawBanner},
    },
};

/// Length limit of a thread's output between both fields and the prompt.
const LATE_LIMIT: usize = 128;
/// Limit of bytes that are held back while it is unknown whether they are output.
const HELD_LIMIT: usize = 64 * 1024;
/// Time before the first query, as most programs soon print the real end, and between queries.
const ASK_AFTER: Duration = Duration::from_millis(100);
/// Limit of queries: the output of a thread may spoil an answer.
const QUESTIONS: u8 = 3;

/// Silence before a board is queried about a restart: a program may print its banner and continue. A program of this
/// crate reads data, which the query would damage, and is never silent for long.
const RESTART_SILENCE: Duration = Duration::from_millis(250);
const OWN_SILENCE: Duration = Duration::from_secs(1);

/// A question that the board's prompt answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// The program may have ended.
    HasEnded,
    /// The board may have restarted.
    HasRestarted,
}

/// Data after both fields of a reply.
#[derive(Debug)]
pub(super) struct Doubt {
    pub(super) traceback: Vec<u8>,
    after: Vec<u8>,
    /// Offset of the possible prompt.
    prompt: Option<usize>,
    raw: RawBanner,
    friendly: FriendlyBanner,
}

/// Meaning of the bytes so far.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Unsure,
    Ended,
    /// The bytes were output.
    RunsOn,
}

impl Doubt {
    /// Creates a doubt after a traceback's field.
    pub(super) fn new(traceback: Vec<u8>) -> Self {
        Self {
            traceback,
            after: Vec::new(),
            prompt: None,
            raw: RawBanner::default(),
            friendly: FriendlyBanner::default(),
        }
    }

    pub(super) fn push(&mut self, byte: u8) -> Verdict {
        self.after.push(byte);
        if self.friendly.push(byte) {
            return Verdict::RunsOn;
        }
        if self.prompt.is_some() {
            self.push_after_prompt(byte)
        } else {
            self.push_late(byte)
        }
    }

    fn push_late(&mut self, byte: u8) -> Verdict {
        let is_text = matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
        if !is_text || self.after.len() > LATE_LIMIT {
            return Verdict::RunsOn;
        }
        if byte == b'>' {
            self.prompt = Some(self.after.len() - 1);
        }
        Verdict::Unsure
    }

    fn push_after_prompt(&mut self, byte: u8) -> Verdict {
        if self.raw.push(byte) {
            return Verdict::Ended;
        }
        if byte == END || self.after.len() > HELD_LIMIT {
            return Verdict::RunsOn;
        }
        Verdict::Unsure
    }

    /// Returns true if the board can answer the question.
    pub(super) const fn can_be_asked(&self) -> bool {
        self.prompt.is_some()
    }

    /// Returns the data after both fields.
    pub(super) fn after(&self) -> &[u8] {
        &self.after
    }

    #[cfg(test)]
    pub(super) const fn held(&self) -> usize {
        self.after.len()
    }

    /// Returns the traceback's field, and all data after it.
    pub(super) fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.traceback, self.after)
    }

    /// Returns the output of others once the answer has arrived, without the prompt and the answer.
    pub(super) fn others(&self) -> Vec<u8> {
        let (late, rest) = self.after.split_at(self.prompt.unwrap_or_default());
        [late, RawBanner::strip(rest.get(1..).unwrap_or_default())].concat()
    }
}

/// Queries the board at the right time.
#[derive(Debug)]
pub(super) struct Asking {
    question: Question,
    /// Time that the board must be silent before the first question.
    silence: Duration,
    left: u8,
    at: Instant,
}

impl Asking {
    /// Creates queries about a program, which may be one of this crate.
    pub(super) fn new(now: Instant, question: Question, is_own: bool) -> Self {
        let silence = match question {
            Question::HasEnded => ASK_AFTER,
            Question::HasRestarted if is_own => OWN_SILENCE,
            Question::HasRestarted => RESTART_SILENCE,
        };
        Self {
            question,
            silence,
            left: QUESTIONS,
            at: now + silence,
        }
    }

    pub(super) const fn question(&self) -> Question {
        self.question
    }

    /// Postpones the next query after output of the board.
    pub(super) fn put_off(&mut self, now: Instant) {
        if self.question == Question::HasRestarted && self.left == QUESTIONS {
            self.at = now + self.silence;
        }
    }

    pub(super) const fn deadline(&self) -> Instant {
        self.at
    }

    /// Sends a query at its deadline; returns false after enough queries. Typed input may be on the prompt's line.
    pub(super) fn wake(&mut self, now: Instant, typed: bool, context: &mut Context) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.at = now + context.config.probe_timeout;
        if typed && self.question == Question::HasRestarted {
            context.transmit([EMPTY_LINE]);
        }
        context.transmit(QUESTION);
        true
    }
}
