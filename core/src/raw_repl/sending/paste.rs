//! Raw-paste mode: queries its availability, and sends a program no faster than the board reads it.
//!
//! The bytes are those of MicroPython v1.29 `shared/runtime/pyexec.c`, `do_reader_stdin` and `mp_reader_new_stdin`.

use alloc::vec::Vec;
use core::{mem, time::Duration};

use super::{Wake, reception::Reception};
use crate::{
    Instant,
    raw_repl::{
        context::Context,
        control::{END, ENTER, INTERRUPT},
        entering::{
            banner::{FriendlyBanner, RawBanner},
            restart::Restart,
        },
    },
};

/// Requests raw-paste mode; these must be the only bytes on the line.
pub(in crate::raw_repl) const PROBE: &[u8] = b"\x05A\x01";
/// The board has read a window.
const CREDIT: u8 = 0x01;

/// Time in which a board that has sent its banner must continue to read, before it is queried: a thread may have
/// printed the banner.
const RESTART_WAIT: Duration = Duration::from_secs(1);
/// Minimum number of output bytes before the answer to the probe to store; older ones are passed on.
const OTHERS_LIMIT: usize = 4096;

/// Length in bytes below which the duration of a program reflects delays rather than its bytes.
const TELLING_LENGTH: usize = 512;

/// Finds the answer to [`PROBE`] in the board's output, which may contain text of a timer or a thread.
#[derive(Debug, Default)]
pub(in crate::raw_repl) struct Probe {
    /// The last four bytes.
    last: [u8; 4],
    banner: RawBanner,
    asked_again: bool,
    /// Bytes that are not an answer; the last of them may begin one.
    others: Vec<u8>,
    /// Earlier bytes.
    surplus: Vec<u8>,
}

/// Answer of the board about raw-paste mode.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::raw_repl) enum Answer {
    /// The board is in raw-paste mode, and accepts `window` bytes before the next credit.
    Window(u16),
    /// The board lacks raw-paste mode, and waits for a program in raw mode.
    Refused,
    /// The board restarted raw mode, perhaps because it was not in raw mode before: now it is.
    AskAgain,
    /// The board sent something else, so its state is unknown.
    Nonsense,
}

impl Probe {
    /// Creates the probe to send after [`Answer::AskAgain`].
    pub(in crate::raw_repl) fn again() -> Self {
        Self {
            asked_again: true,
            ..Self::default()
        }
    }

    /// Takes bytes up to the end of the answer, if they contain it. Returns the answer, and its number of bytes.
    pub(in crate::raw_repl) fn receive(&mut self, bytes: &[u8]) -> Option<(Answer, usize)> {
        let mut answers = bytes.iter().map(|&byte| self.push(byte)).zip(1..);
        answers.find_map(|(answer, used)| Some((answer?, used)))
    }

    /// Takes out the output of a timer or a thread before the answer.
    pub(in crate::raw_repl) fn take_others(&mut self) -> Vec<u8> {
        self.surplus.append(&mut self.others);
        self.take_surplus()
    }

    /// Takes out the part that cannot be an answer any more.
    pub(in crate::raw_repl) fn take_surplus(&mut self) -> Vec<u8> {
        mem::take(&mut self.surplus)
    }

    fn push(&mut self, byte: u8) -> Option<Answer> {
        if self.others.len() == 2 * OTHERS_LIMIT {
            self.surplus.extend(self.others.drain(..OTHERS_LIMIT));
        }
        self.others.push(byte);
        let answer = self.look(byte)?;
        let text = match answer {
            Answer::Window(_) | Answer::Nonsense => self.others.strip_suffix(&self.last[..]),
            Answer::Refused if self.last[1] == b'R' => self.others.strip_suffix(&self.last[1..]),
            Answer::Refused | Answer::AskAgain => Some(RawBanner::strip(&self.others)),
        };
        let text = text.unwrap_or(&self.others).len();
        self.others.truncate(text);
        Some(answer)
    }

    fn look(&mut self, byte: u8) -> Option<Answer> {
        self.last.rotate_left(1);
        self.last[3] = byte;
        if self.banner.push(byte) {
            return Some(match self.asked_again {
                true => Answer::Refused,
                false => Answer::AskAgain,
            });
        }
        match self.last {
            [b'R', 0x01, 0, 0] => Some(Answer::Nonsense),
            [b'R', 0x01, low, high] => Some(Answer::Window(u16::from_le_bytes([low, high]))),
            [_, b'R', 0x00, b'>'] => Some(Answer::Refused),
            _ => None,
        }
    }
}

/// Sends one program by credit.
#[derive(Debug)]
pub(in crate::raw_repl) struct Paste {
    source: Vec<u8>,
    sent: usize,
    window: usize,
    credit: usize,
    ended: bool,
    since: Instant,
    /// Time at which the board has been silent for too long.
    deadline: Instant,
    friendly: FriendlyBanner,
    restart: Restart,
    /// Time at which a board that has sent its banner is queried, unless it grants credit before.
    ask_at: Option<Instant>,
    /// Output of a timer or a thread.
    others: Vec<u8>,
}

impl Paste {
    /// Sends two windows; the second one's credit comes with the answer to the probe.
    pub(in crate::raw_repl) fn begin(
        now: Instant,
        source: Vec<u8>,
        window: u16,
        context: &mut Context,
    ) -> Self {
        let mut paste = Self {
            source,
            sent: 0,
            window: window.into(),
            credit: window.into(),
            ended: false,
            since: now,
            deadline: now + context.config.reply_timeout,
            friendly: FriendlyBanner::default(),
            restart: Restart::No,
            ask_at: None,
            others: Vec::new(),
        };
        paste.send(context);
        paste
    }

    /// Sends as much as the credit allows, and the end of data after the last byte.
    fn send(&mut self, context: &mut Context) {
        let count = self.credit.min(self.source.len() - self.sent);
        let mut bytes = self.source[self.sent..self.sent + count].to_vec();
        self.sent += count;
        self.credit -= count;
        if self.sent == self.source.len() && !mem::replace(&mut self.ended, true) {
            bytes.push(END);
        }
        context.transmit(bytes);
    }

    /// Takes bytes up to a decisive one. Returns their number, and their meaning. Bytes other than credit are the
    /// output of a timer or a thread.
    pub(in crate::raw_repl) fn receive(
        &mut self,
        now: Instant,
        bytes: &[u8],
        context: &mut Context,
    ) -> (usize, Reception) {
        for (&byte, used) in bytes.iter().zip(1..) {
            match byte {
                CREDIT => {
                    self.trust();
                    self.deadline = now + context.config.reply_timeout;
                    self.credit = self.credit.saturating_add(self.window);
                    self.send(context);
                }
                END => {
                    self.end(now, context);
                    self.others.append(&mut self.restart.dismiss());
                    return (used, Reception::Taken);
                }
                _ => {
                    if self.friendly.push(byte) && !self.restart.is_asked() {
                        self.restart.suspect();
                        self.ask_at = Some(now + RESTART_WAIT);
                    }
                    if self.restart.hear(byte, &mut self.others) {
                        return (used, Reception::Restarted);
                    }
                }
            }
        }
        (bytes.len(), Reception::Wait)
    }

    /// Records that the board is still reading the program.
    fn trust(&mut self) {
        if !self.restart.is_asked() {
            (self.restart, self.ask_at) = (Restart::No, None);
        }
    }

    /// Takes out the output of a timer or a thread since the last call.
    pub(in crate::raw_repl) fn take_others(&mut self) -> Vec<u8> {
        mem::take(&mut self.others)
    }

    pub(in crate::raw_repl) fn deadline(&self) -> Instant {
        self.ask_at.unwrap_or(self.deadline).min(self.deadline)
    }

    /// Performs due work: queries the board once about a restart. The query ends a program that it may still be
    /// reading.
    pub(in crate::raw_repl) fn wake(&mut self, now: Instant, context: &mut Context) -> Wake {
        if self.ask_at.take().is_none() {
            return Wake::TimedOut;
        }
        self.restart.ask();
        (self.sent, self.ended) = (self.source.len(), true);
        self.deadline = now + context.config.reply_timeout;
        context.transmit(ENTER);
        Wake::GoesOn
    }

    /// Handles a board that has the whole program, or enough to refuse it. If it stopped reading early, it still waits
    /// for one end of data; a second one would arrive on an empty line and reset it (MicroPython v1.29
    /// `shared/runtime/pyexec.c`, `mp_reader_stdin_close`).
    fn end(&mut self, now: Instant, context: &mut Context) {
        if self.restart.is_asked() {
            return;
        }
        if mem::replace(&mut self.ended, true) {
            context.paste_rate = context.paste_rate.max(self.rate(now));
        } else {
            context.transmit([END]);
        }
    }

    /// Returns the rate at which the board accepted bytes per second, if there were enough to measure.
    fn rate(&self, now: Instant) -> Option<u32> {
        let micros = (now - self.since).as_micros().max(1);
        let rate = self.source.len() as u128 * 1_000_000 / micros;
        let is_telling = self.source.len() >= TELLING_LENGTH;
        is_telling.then(|| u32::try_from(rate).unwrap_or(u32::MAX))
    }

    /// Stops sending: Ctrl-C ends the data too, and nothing may follow it. Returns false if the end was already sent,
    /// and Ctrl-C would be lost.
    pub(in crate::raw_repl) fn interrupt(&mut self, context: &mut Context) -> bool {
        if self.ended {
            return false;
        }
        (self.sent, self.ended) = (self.source.len(), true);
        context.transmit(INTERRUPT);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Output, raw_repl::Config};

    fn answer(bytes: &[u8]) -> Option<Answer> {
        let (answer, used) = Probe::default().receive(bytes)?;
        assert!(used <= bytes.len());
        Some(answer)
    }

    #[test]
    fn every_answer_to_the_probe_is_told_apart() {
        let banner = b"raw REPL; CTRL-B to exit\r\n>";
        assert_eq!(answer(b"R\x01\x80\x00"), Some(Answer::Window(128)));
        assert_eq!(answer(b"R\x01\x00\x00"), Some(Answer::Nonsense));
        assert_eq!(answer(b"R\x00>"), Some(Answer::Refused));
        assert_eq!(answer(banner), Some(Answer::AskAgain));
        let again = Probe::again().receive(banner);
        assert_eq!(again, Some((Answer::Refused, banner.len())));
        assert_eq!(answer(b"R\x01\x80"), None);
        let noise = [&b"tick 17\r\n".repeat(100)[..], b"R\x01\x80\x00"].concat();
        assert_eq!(answer(&noise), Some(Answer::Window(128)));
    }

    /// Runs a paste with a window of three bytes against these bytes from the board. Returns the bytes sent at first
    /// and after each of them, and the result.
    fn paste(source: &[u8], said: &[u8]) -> (Vec<Vec<u8>>, Reception) {
        let mut context = Context::new(Config::default());
        let mut paste = Paste::begin(Instant::START, source.to_vec(), 3, &mut context);
        let mut sent = Vec::from([take_sent(&mut context)]);
        let mut last = Reception::Wait;
        for byte in said {
            last = paste.receive(Instant::START, &[*byte], &mut context).1;
            sent.push(take_sent(&mut context));
        }
        (sent, last)
    }

    fn take_sent(context: &mut Context) -> Vec<u8> {
        match context.pop() {
            Some(Output::Transmit(bytes)) => bytes,
            None => Vec::new(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_byte_is_sent_without_credit() {
        let (sent, end) = paste(b"abcdefgh", b"x\x01\x01\x01\x04");
        assert_eq!(sent, [&b"abc"[..], b"", b"def", b"gh\x04", b"", b""]);
        assert_eq!(end, Reception::Taken);
    }

    #[test]
    fn what_a_thread_prints_meanwhile_is_kept() {
        let banner = b"\nType \"help()\" for more information.\r\n>>> ";
        let mut context = Context::new(Config::default());
        let mut paste = Paste::begin(Instant::START, b"abcdefgh".to_vec(), 3, &mut context);
        let said = [b"tick", &banner[..], b"\x01t\x01ock\x04late"].concat();
        let (used, end) = paste.receive(Instant::START, &said, &mut context);
        assert_eq!((used, end), (said.len() - 4, Reception::Taken));
        assert_eq!(paste.ask_at, None);
        assert_eq!(
            paste.take_others(),
            [b"tick", &banner[..], b"tock"].concat()
        );

        let mut probe = Probe::default();
        for byte in b"tick\r\nR\x01\x80" {
            assert_eq!(probe.receive(&[*byte]), None);
        }
        assert_eq!(probe.receive(b"\0"), Some((Answer::Window(128), 1)));
        assert_eq!(probe.take_others(), b"tick\r\n");
        let mut probe = Probe::default();
        let banner = b"tick\r\nraw REPL; CTRL-B to exit\r\n>";
        assert!(probe.receive(banner).is_some());
        assert_eq!(probe.take_others(), b"tick");
    }

    #[test]
    fn a_board_that_gives_no_credit_after_its_banner_is_asked_if_it_has_restarted() {
        let banner = b"Type \"help()\" for more information.\r\n>>> ";
        for (answer, reception, others) in [
            (
                &b"\r\n>>> \r\nraw REPL; CTRL-B to exit\r\n>"[..],
                Reception::Restarted,
                &b"\r\n>>> \r\n"[..],
            ),
            (b"tick\x04", Reception::Taken, b"tick"),
        ] {
            for size in [100, 7, 1] {
                let mut context = Context::new(Config::default());
                let mut paste = Paste::begin(Instant::START, b"abcdefgh".to_vec(), 3, &mut context);
                paste.receive(Instant::START, banner, &mut context);
                let due = Instant::START + RESTART_WAIT;
                assert_eq!(paste.deadline(), due);
                take_sent(&mut context);
                assert_eq!(paste.wake(due, &mut context), Wake::GoesOn);
                assert_eq!(take_sent(&mut context), ENTER);
                paste.take_others();
                let pieces = answer.chunks(size);
                let last = pieces
                    .map(|piece| paste.receive(due, piece, &mut context).1)
                    .last();
                assert_eq!(last, Some(reception.clone()));
                assert_eq!(paste.take_others(), others);
                assert!(context.pop().is_none(), "nothing of the program follows");
            }
        }
    }

    #[test]
    fn output_before_an_answer_is_passed_on_and_fills_no_memory() {
        let mut probe = Probe::default();
        let mut passed = 0;
        for _ in 0..1000 {
            assert_eq!(probe.receive(&[b'x'; 1000]), None);
            passed += probe.take_surplus().len();
            assert!(probe.others.len() <= 2 * OTHERS_LIMIT);
        }
        assert!(probe.receive(b"R\x01\x80\0").is_some());
        assert_eq!(passed + probe.take_others().len(), 1_000_000);
    }

    #[test]
    fn an_early_abort_is_answered_once() {
        let (sent, end) = paste(b"abcdefgh", b"\x04");
        assert_eq!(sent, [&b"abc"[..], b"\x04"]);
        assert_eq!(end, Reception::Taken);
    }

    #[test]
    fn an_abort_that_crosses_the_end_of_data_needs_no_answer() {
        let (sent, end) = paste(b"ab", b"\x04");
        assert_eq!(sent, [&b"ab\x04"[..], b""]);
        assert_eq!(end, Reception::Taken);
    }
}
