//! A running program's reply: `stdout 04 traceback 04 >`.
//!
//! The format is that of MicroPython v1.29 `shared/runtime/pyexec.c`, `parse_compile_execute`, with
//! `EXEC_FLAG_PRINT_EOF`, and the prompt of `pyexec_raw_repl`. A `SystemExit` is followed by a soft reset instead of
//! the prompt; its message, if any, takes the place of the traceback.
//!
//! Output is not escaped, so a program that prints `04`, or raises an exception with one in its message, writes into the
//! frame. The frame is read from its end: only `04 traceback 04 >` closes it; an apparent closing that continues
//! differently was output, or a part of the message after the first line of a traceback; if a thread may have printed
//! into the closing, the board is queried ([`Doubt`]). An apparent closing that does not continue is reported
//! as output after a while ([`Reply::disclose`]): the program may wait for a response to it.

use alloc::vec::Vec;
use core::{mem, time::Duration};

use super::{
    doubt::{Doubt, Question, Verdict},
    frames::{DataFrame, Frames},
};
use crate::raw_repl::{
    Traceback,
    control::END,
    entering::{
        banner::{FriendlyBanner, Reboot, RebootMatch},
        restart::{Heard, Restart},
    },
};

/// First line printed by MicroPython v1.29 `py/obj.c`, `mp_obj_print_exception`.
const TRACEBACK: &[u8] = b"Traceback (most recent call last):";
/// Time of silence in the middle of a closing after which its bytes are reported as output.
const SILENCE: Duration = Duration::from_millis(500);
/// Longer silence for cases that would report a traceback twice.
const LONG_SILENCE: Duration = Duration::from_secs(5);

/// Reads one reply.
#[derive(Debug)]
pub(super) struct Reply {
    field: Field,
    frames: Vec<DataFrame>,
    friendly: FriendlyBanner,
    restart: Restart,
    traceback_limit: usize,
    /// True if each `04` is the board's own. Output of a thread between the fields and before the prompt then does not
    /// hide them.
    strict: bool,
    /// True if a query about the end of the program was not answered.
    sure: bool,
    /// Number of held bytes already reported as output.
    told: usize,
}

#[derive(Debug)]
enum Field {
    Frames(Frames),
    Stdout,
    Traceback { text: Vec<u8> },
    Prompt { traceback: Vec<u8>, reboot: Reboot },
    Doubt(Doubt),
}

/// End of a reply.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::raw_repl) enum End {
    /// The board waits for the next program. The traceback's field is empty if nothing was raised.
    Prompt { traceback: Vec<u8> },
    /// The program left with `SystemExit`, and the board is soft-resetting.
    SoftReset,
    /// The board restarted completely, and has answered that it is at its prompt.
    BoardReset,
}

impl Reply {
    /// Creates a reply whose traceback may have `traceback_limit` bytes; a longer one counts as output.
    pub(super) fn new(traceback_limit: usize) -> Self {
        Self {
            field: Field::Stdout,
            frames: Vec::new(),
            friendly: FriendlyBanner::default(),
            restart: Restart::No,
            traceback_limit,
            strict: false,
            sure: false,
            told: 0,
        }
    }

    /// Creates a reply of a program that never prints `04`.
    pub(super) fn strict(traceback_limit: usize) -> Self {
        Self {
            strict: true,
            ..Self::new(traceback_limit)
        }
    }

    /// Creates a reply that begins with frames.
    pub(super) fn framed(traceback_limit: usize) -> Self {
        Self {
            field: Field::Frames(Frames::default()),
            ..Self::strict(traceback_limit)
        }
    }

    /// Returns true if each `04` is the board's own.
    pub(super) const fn is_strict(&self) -> bool {
        self.strict
    }

    /// Takes out the frames read so far, which precede any output.
    pub(super) fn take_frames(&mut self) -> Vec<DataFrame> {
        mem::take(&mut self.frames)
    }

    /// Takes bytes, and appends the program's output to `stdout`. At the reply's end, returns the way it ended, and the
    /// number of bytes that belong to it.
    pub(super) fn push(&mut self, bytes: &[u8], stdout: &mut Vec<u8>) -> Option<(End, usize)> {
        if !matches!(self.restart, Restart::Asked(_)) {
            return self.read(bytes, stdout);
        }
        for (&byte, used) in bytes.iter().zip(1..) {
            let heard = match &mut self.restart {
                Restart::Asked(answer) => answer.push(byte),
                Restart::No | Restart::Suspected => Heard::Output([byte].into()),
            };
            // A byte that may begin an answer never ends a reply: the end is the last byte that is read here.
            let end = match heard {
                Heard::Unsure => None,
                Heard::Output(output) => self.read(&output, stdout).map(|(end, _)| end),
                Heard::Answer => {
                    self.restart = Restart::No;
                    let _ = self.decide(stdout);
                    self.disclose(stdout);
                    Some(End::BoardReset)
                }
            };
            if let Some(end) = end {
                return Some((end, used));
            }
        }
        None
    }

    fn read(&mut self, bytes: &[u8], stdout: &mut Vec<u8>) -> Option<(End, usize)> {
        let mut used = 0;
        while used < bytes.len() {
            let (count, end) = self.step(&bytes[used..], stdout);
            used += count;
            if let Some(end) = end {
                return Some((end, used));
            }
        }
        // A board that was silent within a field has not sent a traceback there.
        if self.told > 0 && matches!(self.field, Field::Traceback { .. }) {
            self.disclose(stdout);
        }
        None
    }

    /// Reports the held bytes as output, as the board has been silent in the middle of a closing. They may still be the
    /// end of the program.
    pub(super) fn disclose(&mut self, stdout: &mut Vec<u8>) {
        let held = self.held().concat();
        stdout.extend_from_slice(held.get(self.told..).unwrap_or_default());
        self.told = self.told.max(held.len());
    }

    /// Time of silence before [`disclose`](Self::disclose), if bytes are held back whose meaning nothing else decides.
    pub(super) fn patience(&self) -> Option<Duration> {
        let held: usize = self.held().iter().map(|part| part.len()).sum();
        if self.strict || held <= self.told {
            return None;
        }
        let takes_long = match &self.field {
            // A board may pause before it resets.
            Field::Prompt { reboot, .. } => reboot.is_untouched(),
            Field::Traceback { text } => is_traceback(text),
            Field::Frames(_) | Field::Stdout | Field::Doubt(_) => false,
        };
        Some(if takes_long { LONG_SILENCE } else { SILENCE })
    }

    /// Returns the bytes held back, unless the board can be asked about them.
    fn held(&self) -> [&[u8]; 4] {
        let end = &[END][..];
        match &self.field {
            Field::Traceback { text } => [end, text, &[], &[]],
            Field::Prompt { traceback, reboot } => [end, traceback, end, reboot.seen()],
            Field::Doubt(doubt) if !doubt.can_be_asked() => {
                [end, &doubt.traceback, end, doubt.after()]
            }
            Field::Frames(_) | Field::Stdout | Field::Doubt(_) => [&[]; 4],
        }
    }

    /// Adds the held bytes to the output, except for those already reported.
    fn release(&mut self, held: &[&[u8]], stdout: &mut Vec<u8>) {
        let held = held.concat();
        let told = self.told.min(held.len());
        self.told -= told;
        stdout.extend_from_slice(&held[told..]);
    }

    fn step(&mut self, bytes: &[u8], stdout: &mut Vec<u8>) -> (usize, Option<End>) {
        match &mut self.field {
            Field::Frames(_) => self.read_frames(bytes, stdout),
            Field::Stdout => self.read_stdout(bytes, stdout),
            Field::Traceback { .. } => self.read_traceback(bytes, stdout),
            Field::Prompt { .. } => (1, self.read_prompt(bytes[0], stdout)),
            Field::Doubt(_) => (1, self.read_doubt(bytes[0], stdout)),
        }
    }

    fn read_frames(&mut self, bytes: &[u8], stdout: &mut Vec<u8>) -> (usize, Option<End>) {
        let Field::Frames(frames) = &mut self.field else {
            return (0, None);
        };
        let (used, unread) = frames.push(bytes, &mut self.frames);
        let Some(unread) = unread else {
            return (used, None);
        };
        self.field = Field::Stdout;
        let end = self.push(&unread, stdout);
        (used, end.map(|(end, _)| end))
    }

    fn read_stdout(&mut self, bytes: &[u8], stdout: &mut Vec<u8>) -> (usize, Option<End>) {
        let length = memchr::memchr(END, bytes);
        let output = &bytes[..length.unwrap_or(bytes.len())];
        self.look_for_restart(output);
        stdout.extend_from_slice(output);
        if length.is_none() {
            return (bytes.len(), None);
        }
        self.field = Field::Traceback { text: Vec::new() };
        (output.len() + 1, None)
    }

    fn read_traceback(&mut self, bytes: &[u8], stdout: &mut Vec<u8>) -> (usize, Option<End>) {
        let Field::Traceback { text } = &mut self.field else {
            return (0, None);
        };
        // At most one byte over the limit is read, so that the split of the input has no effect.
        let room = self.traceback_limit + 1 - text.len();
        let bytes = &bytes[..bytes.len().min(room)];
        let length = memchr::memchr(END, bytes);
        let piece = &bytes[..length.unwrap_or(bytes.len())];
        text.extend_from_slice(piece);
        let is_too_long = text.len() > self.traceback_limit;
        if self.friendly.find_end(piece).is_some() {
            self.restart.suspect();
        }
        // A board that was silent within a field has not sent a traceback there. Reported immediately, so that the
        // split of the input has no effect.
        if self.told > 0 {
            self.disclose(stdout);
        }
        if length.is_some() {
            self.field = Field::Prompt {
                traceback: self.take_text(),
                reboot: Reboot::default(),
            };
            return (piece.len() + 1, None);
        }
        if is_too_long {
            let text = self.take_text();
            self.field = match memchr::memrchr(END, &text) {
                // The rest may be a traceback of its own.
                Some(at) => Field::Traceback {
                    text: self.split(text, at, stdout),
                },
                None => {
                    self.release(&[&[END], &text], stdout);
                    Field::Stdout
                }
            };
        }
        (piece.len(), None)
    }

    /// Takes out the text of the traceback's field.
    fn take_text(&mut self) -> Vec<u8> {
        match &mut self.field {
            Field::Traceback { text } => mem::take(text),
            _ => Vec::new(),
        }
    }

    /// Reads the data after both fields: `>`, or a reset; anything else belongs to a thread, or shows that the first
    /// `04` was the program's own.
    fn read_prompt(&mut self, byte: u8, stdout: &mut Vec<u8>) -> Option<End> {
        let Field::Prompt { traceback, reboot } = &mut self.field else {
            return None;
        };
        if byte == b'>' && (self.strict || reboot.is_untouched()) {
            let field = mem::take(traceback);
            return Some(self.close(field, stdout));
        }
        if self.strict {
            return None;
        }
        match reboot.push(byte) {
            RebootMatch::Yes => {
                // The message of `sys.exit(message)`, which the program in effect wrote to stderr.
                let message = mem::take(traceback);
                self.told = self.told.saturating_sub(1);
                self.release(&[&message], stdout);
                Some(End::SoftReset)
            }
            RebootMatch::Unsure => None,
            RebootMatch::No => {
                let (traceback, unread) = (mem::take(traceback), reboot.take_seen());
                if self.sure {
                    return self.run_on(traceback, &unread, stdout);
                }
                self.field = Field::Doubt(Doubt::new(traceback));
                self.push(&unread, stdout).map(|(end, _)| end)
            }
        }
    }

    fn read_doubt(&mut self, byte: u8, stdout: &mut Vec<u8>) -> Option<End> {
        let Field::Doubt(doubt) = &mut self.field else {
            return None;
        };
        match doubt.push(byte) {
            Verdict::Unsure => None,
            Verdict::Ended => {
                let others = doubt.others();
                let field = mem::take(&mut doubt.traceback);
                let end = self.close(field, stdout);
                self.release(&[&others], stdout);
                Some(end)
            }
            Verdict::RunsOn => self.take_for_output(stdout),
        }
    }

    /// Suspects a restart if the output contains a banner.
    fn look_for_restart(&mut self, mut output: &[u8]) {
        while let Some(end) = self.friendly.find_end(output) {
            self.restart.suspect();
            output = &output[end..];
        }
    }

    /// Returns a query that the board can answer about the program, if there is one. Its banner is the answer.
    pub(super) const fn question(&self) -> Option<Question> {
        match &self.field {
            Field::Doubt(doubt) if doubt.can_be_asked() => Some(Question::HasEnded),
            _ if self.restart.is_suspected() => Some(Question::HasRestarted),
            _ => None,
        }
    }

    /// Records that the board was queried.
    pub(super) fn ask(&mut self) {
        self.restart.ask();
    }

    /// Handles a query without an answer: the program is still running.
    pub(super) fn decide(&mut self, stdout: &mut Vec<u8>) -> Option<End> {
        let held = self.restart.dismiss();
        let end = self.read(&held, stdout).map(|(end, _)| end);
        self.sure |= matches!(self.field, Field::Doubt(_));
        end.or_else(|| self.take_for_output(stdout))
    }

    fn take_for_output(&mut self, stdout: &mut Vec<u8>) -> Option<End> {
        if !matches!(self.field, Field::Doubt(_)) {
            return None;
        }
        let Field::Doubt(doubt) = mem::replace(&mut self.field, Field::Stdout) else {
            return None;
        };
        // At most the last of these bytes is a `04`, so that no other doubt begins in them.
        let (traceback, unread) = doubt.into_parts();
        self.run_on(traceback, &unread, stdout)
    }

    /// Continues to read after an apparent end of the program's output. After the first line of a traceback, that `04`
    /// may be in the exception's message.
    fn run_on(&mut self, mut text: Vec<u8>, unread: &[u8], stdout: &mut Vec<u8>) -> Option<End> {
        if text.starts_with(TRACEBACK) && text.len() < self.traceback_limit {
            text.push(END);
        } else {
            self.release(&[&[END], &text], stdout);
            text.clear();
        }
        self.field = Field::Traceback { text };
        self.push(unread, stdout).map(|(end, _)| end)
    }

    /// Returns the end of a reply with this text between its closing bytes, and reports the part of it that is output:
    /// a traceback that the program printed itself, or the output of a thread in place of one.
    fn close(&mut self, mut field: Vec<u8>, stdout: &mut Vec<u8>) -> End {
        if let Some(at) = memchr::memrchr(END, &field)
            && (field.ends_with(&[END]) || field[at + 1..].starts_with(TRACEBACK))
        {
            field = self.split(field, at, stdout);
        }
        if self.strict || field.is_empty() || Traceback::parse(&field).is_raise() {
            self.told = self.told.saturating_sub(field.len() + 2);
        } else {
            self.told = self.told.saturating_sub(1);
            self.release(&[&field], stdout);
            self.told = self.told.saturating_sub(1);
            field.clear();
        }
        End::Prompt { traceback: field }
    }

    /// Reports the part of a field before its `04` at `at` as output, and returns the rest, which is a field of its own.
    fn split(&mut self, mut field: Vec<u8>, at: usize, stdout: &mut Vec<u8>) -> Vec<u8> {
        self.release(&[&[END], &field[..at]], stdout);
        field.drain(..=at);
        field
    }
}

/// Returns true if a field looks like a traceback so far.
fn is_traceback(text: &[u8]) -> bool {
    let known = text.len().min(TRACEBACK.len());
    text[..known] == TRACEBACK[..known]
}

#[cfg(test)]
mod tests;
