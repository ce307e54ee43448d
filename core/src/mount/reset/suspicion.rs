//! A text that looks like a restart, until the board has confirmed or denied it.

use alloc::vec::Vec;
use core::time::Duration;

use super::Reset;
use crate::{
    Instant,
    raw_repl::{EMPTY_LINE, QUESTION, RawBanner},
};

/// Holds back the possible prompt of a board that has restarted, and queries the board: at its prompt, it answers
/// Ctrl-A with the banner of raw mode, in which the folder is then mounted again. A program that is still running finds
/// that byte on its stdin.
#[derive(Debug)]
pub(in crate::mount) struct Suspicion {
    reset: Reset,
    /// Prompts, and the possible beginning of the answer.
    held: Vec<u8>,
    raw: RawBanner,
    since: Instant,
    due: Instant,
    questions: u8,
}

/// Next action when the time has come.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::mount) enum Action {
    /// Send these bytes.
    Ask(Vec<u8>),
    /// The program is still running; this belongs to its output.
    Dismiss(Vec<u8>),
}

impl Suspicion {
    pub(in crate::mount) fn new(now: Instant, reset: Reset) -> Self {
        let (held, silence) = match reset {
            Reset::Raw => (Vec::from(*b">"), RAW_SILENCE),
            Reset::Normal => (Vec::new(), SILENCE),
        };
        Self {
            reset,
            held,
            raw: RawBanner::default(),
            since: now,
            due: now + silence,
            questions: 0,
        }
    }

    pub(in crate::mount) const fn reset(&self) -> Reset {
        self.reset
    }

    /// Returns true if the board may answer more than once.
    pub(in crate::mount) const fn may_answer_again(&self) -> bool {
        self.questions > 1
    }

    pub(in crate::mount) const fn deadline(&self) -> Instant {
        self.due
    }

    /// Takes output of the board, and appends the part that the client may see. Returns the number of bytes up to the
    /// end of the board's answer, if it has arrived: the interpreter has then restarted.
    pub(in crate::mount) fn push(
        &mut self,
        now: Instant,
        bytes: &[u8],
        output: &mut Vec<u8>,
    ) -> Option<usize> {
        let end = bytes.iter().position(|&byte| self.push_byte(byte, output));
        if self.questions == 0 {
            self.due = (now + SILENCE).min(self.since + LIMIT);
        }
        end.map(|end| end + 1)
    }

    fn push_byte(&mut self, byte: u8, output: &mut Vec<u8>) -> bool {
        self.held.push(byte);
        if self.raw.push(byte) {
            return true;
        }
        let kept = self.raw.begun().min(self.held.len());
        let (said, _) = self.held.split_at(self.held.len() - kept);
        if !is_prompt(said) || said.len() > PROMPT_LIMIT {
            output.extend(self.held.drain(..self.held.len() - kept));
        }
        false
    }

    /// Performs due work: queries the board twice, the second time on an empty line, as typed input may have been on
    /// it.
    pub(in crate::mount) fn wake(&mut self, now: Instant) -> Action {
        self.due = now + ANSWER_WAIT;
        self.questions += 1;
        match self.questions {
            1 => Action::Ask(QUESTION.into()),
            2 => Action::Ask([&[EMPTY_LINE], QUESTION].concat()),
            _ => Action::Dismiss(core::mem::take(&mut self.held)),
        }
    }

    /// Ends the suspicion: the board has shown that the folder is still mounted.
    pub(in crate::mount) fn dismiss(self) -> Vec<u8> {
        self.held
    }
}

/// Returns true for a text of prompts and line ends alone.
fn is_prompt(text: &[u8]) -> bool {
    let is_part = |byte: &u8| matches!(byte, b'>' | b' ' | b'\r' | b'\n');
    text.iter().all(is_part)
}

/// Silence after a banner before the board is queried: most programs that print one continue.
const SILENCE: Duration = Duration::from_millis(250);
/// Shorter silence, because hardly any program prints the line that announces a soft reset and the banner of raw mode.
const RAW_SILENCE: Duration = Duration::from_millis(20);
/// Time after which a board that is never silent is queried.
const LIMIT: Duration = Duration::from_secs(1);
/// Time to wait for the answer.
const ANSWER_WAIT: Duration = Duration::from_millis(300);
/// Length limit of prompts and line ends that are held back, in bytes.
const PROMPT_LIMIT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"\r\nraw REPL; CTRL-B to exit\r\n>";

    fn heard(bytes: &[u8], size: usize) -> (Suspicion, Vec<u8>, Option<usize>) {
        let mut suspicion = Suspicion::new(Instant::START, Reset::Normal);
        let (mut output, mut before) = (Vec::new(), 0);
        for piece in bytes.chunks(size) {
            if let Some(used) = suspicion.push(Instant::START, piece, &mut output) {
                return (suspicion, output, Some(before + used));
            }
            before += piece.len();
        }
        (suspicion, output, None)
    }

    #[test]
    fn the_answer_is_found_and_its_prompt_is_not_shown() {
        let said = [b"tick\r\n>>> ", ANSWER, b"more"].concat();
        for size in [100, 7, 1] {
            let (_, output, end) = heard(&said, size);
            assert_eq!(output, b"tick");
            assert_eq!(end, Some(said.len() - 4));
        }
    }

    #[test]
    fn a_program_that_goes_on_loses_no_byte() {
        let said = b">>> raw REPL; CTRL\r\n>>> 1\r\nraw REPL; CTRL-B to exit or not\r\n>";
        for size in [100, 7, 1] {
            let (mut suspicion, output, end) = heard(said, size);
            assert_eq!(end, None);
            let now = suspicion.deadline();
            assert_eq!(suspicion.wake(now), Action::Ask(b"\x01".to_vec()));
            assert_eq!(suspicion.wake(now), Action::Ask(b"\x15\x01".to_vec()));
            let Action::Dismiss(rest) = suspicion.wake(now) else {
                panic!("it is over")
            };
            assert_eq!([output, rest].concat(), said);
        }
    }

    #[test]
    fn a_flood_is_passed_on_and_asked_about_after_a_second() {
        let mut suspicion = Suspicion::new(Instant::START, Reset::Normal);
        let mut now = Instant::START;
        let mut output = Vec::new();
        for _ in 0..1000 {
            now += Duration::from_millis(1);
            suspicion.push(now, &[b'>'; 1000], &mut output);
            assert!(suspicion.held.len() <= PROMPT_LIMIT + 1);
        }
        assert!(output.len() > 999_000);
        assert_eq!(suspicion.deadline(), Instant::START + LIMIT);
    }
}
