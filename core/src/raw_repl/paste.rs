//! Raw-paste mode: finding out whether a board has it, and sending a program no faster than the board reads it.

use alloc::vec::Vec;
use core::{mem, time::Duration};

use super::banner::RawBanner;

pub(super) const PROBE: &[u8] = b"\x05A\x01";
const CREDIT: u8 = 0x01;
const INTERRUPT: u8 = 0x03;
const END_OF_DATA: u8 = 0x04;

/// Shorter programs tell more about delays than about the line's rate.
const TELLING_LENGTH: usize = 512;

/// An answer longer than this is no answer.
const ANSWER_LIMIT: usize = 256;

/// Reads the answer to [`PROBE`].
#[derive(Debug, Default)]
pub(super) struct Probe {
    answer: Vec<u8>,
    banner: RawBanner,
}

/// What the board says about raw-paste mode.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is in raw-paste mode, and takes `window` bytes before the next credit.
    Window(u16),
    /// It knows the question and says no; its prompt has come.
    Refused,
    /// It started raw mode afresh: it is old, or it was not in raw mode before.
    Banner,
    /// It says something else.
    Nonsense,
}

impl Probe {
    pub(super) fn receive(&mut self, byte: u8) -> Option<Answer> {
        self.answer.push(byte);
        if self.banner.push(byte) {
            return Some(Answer::Banner);
        }
        match self.answer.as_slice() {
            [.., b'R', 0x01, low, high] => Some(Answer::Window(u16::from_le_bytes([*low, *high]))),
            [.., b'R', 0x00, b'>'] => Some(Answer::Refused),
            long if long.len() >= ANSWER_LIMIT => Some(Answer::Nonsense),
            _ => None,
        }
    }
}

/// Sends one program by credit.
#[derive(Debug)]
pub(super) struct Paste {
    source: Vec<u8>,
    sent: usize,
    window: usize,
    credit: usize,
    ended: bool,
}

impl Paste {
    pub(super) fn new(source: Vec<u8>, window: u16) -> Self {
        Self {
            source,
            sent: 0,
            window: window.into(),
            credit: window.into(),
            ended: false,
        }
    }

    /// What may be sent now: as much as there is credit for, and the end of the data behind the last byte.
    pub(super) fn next_bytes(&mut self) -> Vec<u8> {
        let count = self.credit.min(self.source.len() - self.sent);
        let mut bytes = self.source[self.sent..self.sent + count].to_vec();
        self.sent += count;
        self.credit -= count;
        if self.sent == self.source.len() && !mem::replace(&mut self.ended, true) {
            bytes.push(END_OF_DATA);
        }
        bytes
    }

    /// Takes one byte; true when the board has what it wants: all of the program, or enough to refuse it.
    pub(super) fn receive(&mut self, byte: u8) -> bool {
        match byte {
            CREDIT => self.credit = self.credit.saturating_add(self.window),
            END_OF_DATA => return true,
            // Output of a timer or a thread.
            _ => {}
        }
        false
    }

    /// What the board waits for when it stopped reading before the end. A second end of data would fall on an empty
    /// line and reset the board, so it is sent once.
    pub(super) fn end(&mut self) -> Vec<u8> {
        self.sent = self.source.len();
        if mem::replace(&mut self.ended, true) {
            Vec::new()
        } else {
            [END_OF_DATA].to_vec()
        }
    }

    /// Bytes a second, if there were enough to tell.
    pub(super) fn rate(&self, elapsed: Duration) -> Option<u32> {
        let micros = elapsed.as_micros().max(1);
        let rate = self.sent as u128 * 1_000_000 / micros;
        (self.sent >= TELLING_LENGTH).then(|| u32::try_from(rate).unwrap_or(u32::MAX))
    }

    /// Whether the end of the data is sent.
    pub(super) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Ctrl-C ends the data too; nothing may follow it.
    pub(super) fn interrupt(&mut self) -> Vec<u8> {
        self.end();
        [INTERRUPT].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: &[u8]) -> Option<Answer> {
        let mut probe = Probe::default();
        bytes.iter().find_map(|&byte| probe.receive(byte))
    }

    #[test]
    fn every_answer_to_the_probe_is_told_apart() {
        assert_eq!(answer(b"R\x01\x80\x00"), Some(Answer::Window(128)));
        assert_eq!(answer(b"R\x00>"), Some(Answer::Refused));
        assert_eq!(
            answer(b"raw REPL; CTRL-B to exit\r\n>"),
            Some(Answer::Banner)
        );
        assert_eq!(answer(b"R\x01\x80"), None);
        assert_eq!(answer(&[b'?'; 300]), Some(Answer::Nonsense));
    }

    #[test]
    fn no_byte_is_sent_without_credit() {
        let mut paste = Paste::new(b"abcdefgh".to_vec(), 3);
        assert_eq!(paste.next_bytes(), b"abc");
        assert_eq!(paste.next_bytes(), b"");
        assert!(!paste.receive(CREDIT) && !paste.receive(CREDIT));
        assert_eq!(paste.next_bytes(), b"defgh\x04");
        assert_eq!(paste.next_bytes(), b"");
    }

    #[test]
    fn an_early_abort_is_answered_once() {
        let mut paste = Paste::new(b"abcdefgh".to_vec(), 3);
        paste.next_bytes();
        assert!(paste.receive(END_OF_DATA));
        assert_eq!(paste.end(), b"\x04");
        assert_eq!(paste.end(), b"");
    }

    #[test]
    fn an_abort_that_crosses_the_end_of_data_needs_no_answer() {
        let mut paste = Paste::new(b"ab".to_vec(), 3);
        assert_eq!(paste.next_bytes(), b"ab\x04");
        assert!(paste.receive(END_OF_DATA));
        assert_eq!(paste.end(), b"");
    }
}
