//! A board that leaves its port at a word of its client's, as at `machine.reset()`.

use std::time::{Duration, Instant};

/// State of a board that leaves at a client's word.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// It stays, as these last bytes of the client say.
    No(Vec<u8>),
    /// The word was there, at this time.
    Told(Instant),
    Gone,
}

/// Time after which a board that answers nothing has left, too: an emulated Pico resets before its USB port has carried the
/// echo.
const SILENCE: Duration = Duration::from_secs(3);

impl Leaving {
    pub(super) fn hear_client(&mut self, words: &[u8], bytes: &[u8]) {
        if words.is_empty() || bytes.is_empty() {
            return;
        }
        let Self::No(heard) = self else { return };
        heard.extend(bytes);
        if heard.windows(words.len()).any(|piece| piece == words) {
            *self = Self::Told(Instant::now());
        } else {
            heard.drain(..heard.len().saturating_sub(words.len()));
        }
    }

    /// A board says 04 when it has a pasted program, `OK` when it has one of raw mode, and a line's end when it has a typed one.
    pub(super) fn hear_board(&mut self, bytes: &[u8]) {
        let takes = bytes.contains(&0x04) || bytes.contains(&b'\n') || bytes.ends_with(b"OK");
        if matches!(self, Self::Told(_)) && takes {
            *self = Self::Gone;
        }
    }

    pub(super) fn is_gone(&self, now: Instant) -> bool {
        match self {
            Self::No(_) => false,
            Self::Told(at) => now >= *at + SILENCE,
            Self::Gone => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_leaves_when_it_has_the_program_with_the_word() {
        for answer in [&b"\x04"[..], b"OK", b"\r\n"] {
            let mut leaving = Leaving::No(Vec::new());
            leaving.hear_board(answer);
            leaving.hear_client(b"reset()", b"import machine\nmachine.res");
            leaving.hear_board(answer);
            leaving.hear_client(b"reset()", b"et()\x04");
            assert!(matches!(leaving, Leaving::Told(_)), "{leaving:?}");
            leaving.hear_board(b"\x01");
            let now = Instant::now();
            assert!(!leaving.is_gone(now) && leaving.is_gone(now + SILENCE));
            leaving.hear_board(answer);
            assert_eq!(leaving, Leaving::Gone);
        }
    }

    #[test]
    fn without_a_word_it_stays() {
        let mut leaving = Leaving::No(Vec::new());
        leaving.hear_client(b"", b"machine.reset()");
        leaving.hear_board(b"\x04");
        assert_eq!(leaving, Leaving::No(Vec::new()));
    }
}
