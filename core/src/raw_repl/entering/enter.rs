//! Enters raw mode: interrupts, requests it, and accepts only the banner as an answer.

use alloc::{string::String, vec::Vec};
use core::time::Duration;

use super::{banner::RawBanner, between::Between, peer::Peer};
use crate::Instant;

/// Time for a board to finish its answers, since one that was asked more than once may answer more than once.
const SETTLE_TIME: Duration = Duration::from_millis(100);
/// Time after which a board that keeps sending is accepted nevertheless.
const SETTLE_LIMIT: Duration = Duration::from_secs(1);
/// Waits between attempts; the last one repeats. A board that is still booting loses the first attempt.
const RETRY_AFTER: [Duration; 3] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_millis(1000),
];

/// Number of the attempt from which each begins with zeros. A board that does not answer may be reading binary data
/// with Ctrl-C off, in a transfer whose host died in the middle of a block. The zeros end its read; no prompt reacts to
/// them.
const FILL_FROM: usize = 4;
/// Number of zeros at the start of each attempt, in bytes. The receiver of transfers reads four times as many at once;
/// sent together, they would be too many for a board that has little memory and does not read.
const FILLER: usize = 256;

/// Time before the end at which a silent board is probed for an ESP's boot ROM, which answers nothing else.
const ROM_TIME: Duration = Duration::from_millis(500);
/// Time-out that is long enough for that query.
const TIME_FOR_ROM: Duration = Duration::from_secs(2);

/// Limit of the board's output that is shown to a person, in bytes; twice as many are kept.
const SAID_LIMIT: usize = 100;

/// Attempts to get a board into raw mode, repeated until the banner arrives or the time is up.
#[derive(Debug)]
pub(in crate::raw_repl) struct Entering {
    banner: RawBanner,
    /// The last bytes received, which may tell a person why the board did not answer.
    received: Vec<u8>,
    /// End of an interrupted program.
    between: Between,
    tries: usize,
    next_try: Instant,
    give_up: Instant,
    /// Time of the question to a boot ROM, if it is still to be asked.
    ask_rom: Option<Instant>,
    settling: Option<Settling>,
}

/// The banner has arrived, and more may follow.
#[derive(Debug)]
struct Settling {
    quiet_at: Instant,
    limit: Instant,
}

/// Handles the passing of time.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::raw_repl) enum Progress {
    /// Send this many zeros, and ask again.
    TryAgain {
        filler: usize,
    },
    /// Send the request that only a boot ROM answers.
    AskRom,
    Entered,
    GiveUp,
}

impl Entering {
    /// Begins; the caller sends Ctrl-C and Ctrl-A. If an answer to an attempt from `before` is outstanding, this is the
    /// second attempt.
    pub(in crate::raw_repl) fn new(now: Instant, timeout: Duration, before: bool) -> Self {
        Self {
            banner: RawBanner::default(),
            received: Vec::new(),
            between: Between::default(),
            tries: 1 + usize::from(before),
            next_try: now + RETRY_AFTER[0],
            give_up: now + timeout,
            ask_rom: (timeout >= TIME_FOR_ROM).then(|| now + (timeout - ROM_TIME)),
            settling: None,
        }
    }

    /// Takes bytes up to the banner that proves raw mode. Returns their number, and true once the board is in raw mode.
    /// After more than one attempt, only time can prove that.
    pub(in crate::raw_repl) fn receive(&mut self, now: Instant, bytes: &[u8]) -> (usize, bool) {
        let end = bytes.iter().position(|&byte| self.banner.push(byte));
        let used = end.map_or(bytes.len(), |end| end + 1);
        if !bytes.is_empty() {
            self.ask_rom = None;
        }
        self.keep(&bytes[..used]);
        match (&mut self.settling, end) {
            (Some(settling), _) => settling.quiet_at = now + SETTLE_TIME,
            (None, Some(_)) if self.tries == 1 => return (used, true),
            (None, Some(_)) => {
                self.settling = Some(Settling {
                    quiet_at: now + SETTLE_TIME,
                    limit: now + SETTLE_LIMIT,
                });
            }
            (None, None) => {}
        }
        (used, false)
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.between.push(bytes);
        self.received.extend_from_slice(bytes);
        let excess = self.received.len().saturating_sub(2 * SAID_LIMIT);
        self.received.drain(..excess);
    }

    /// Takes out the text printed before raw mode was entered, as far as it has arrived; at the end, all of it.
    pub(in crate::raw_repl) fn take_others(&mut self, is_over: bool) -> Vec<u8> {
        match is_over {
            true => self.between.take_rest(),
            false => self.between.take(),
        }
    }

    /// Returns the board's last line, as text without terminal commands.
    pub(in crate::raw_repl) fn said(&self) -> String {
        let text = String::from_utf8_lossy(&self.received);
        let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
        let last = last.unwrap_or_default();
        let skipped = last.chars().count().saturating_sub(SAID_LIMIT);
        let printable = last.chars().skip(skipped).filter(|char| !char.is_control());
        printable.collect()
    }

    /// Recognizes the peer by its output.
    pub(in crate::raw_repl) fn peer(&self) -> Peer {
        Peer::of(&self.received)
    }

    pub(in crate::raw_repl) fn deadline(&self) -> Instant {
        match &self.settling {
            Some(settling) => settling.quiet_at.min(settling.limit),
            None => self.next_try.min(self.ask_rom.unwrap_or(self.give_up)),
        }
    }

    /// Does the work due at `now`, which is not before the deadline.
    pub(in crate::raw_repl) fn wake(&mut self, now: Instant) -> Progress {
        if self.settling.is_some() {
            return Progress::Entered;
        }
        if now >= self.give_up {
            return Progress::GiveUp;
        }
        if self.ask_rom.is_some_and(|ask_rom| now >= ask_rom) {
            self.ask_rom = None;
            return Progress::AskRom;
        }
        let wait = RETRY_AFTER[self.tries.min(RETRY_AFTER.len() - 1)];
        self.tries += 1;
        self.next_try = now + wait;
        let fills = self.tries >= FILL_FROM;
        Progress::TryAgain {
            filler: if fills { FILLER } else { 0 },
        }
    }
}
