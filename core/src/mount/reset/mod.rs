//! Detects apparent restarts of the board's interpreter, after which nothing is mounted any more.
//!
//! A program may print the same text as a board that starts. The text is therefore only a reason to query the board:
//! the board's answer settles the [`Suspicion`].

use core::time::Duration;

use crate::{
    Instant,
    raw_repl::{Find, RawBanner},
};

mod suspicion;

pub(super) use suspicion::{Action, Suspicion};

/// Way in which the interpreter seems to have restarted, reported before the board shows its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reset {
    /// In raw mode, with everything but the prompt's `>` received.
    Raw,
    /// At the normal prompt, with everything but the prompt received.
    Normal,
}

/// Watches the board's output.
#[derive(Debug)]
pub(super) struct ResetWatch {
    reboot: Find,
    raw: RawBanner,
    banner: Find,
    has_rebooted: bool,
    /// Time at which another client requested the banner by leaving raw mode.
    left_at: Option<Instant>,
    /// True if the client requested raw mode without an answer: the board may send one or several answers once it is at
    /// its prompt.
    may_answer: bool,
}

impl ResetWatch {
    pub(super) fn new() -> Self {
        Self {
            reboot: Find::new(REBOOT),
            raw: RawBanner::default(),
            banner: Find::new(BANNER),
            has_rebooted: false,
            left_at: None,
            may_answer: false,
        }
    }

    /// Records bytes that the client has sent to the board.
    pub(super) fn typed(&mut self, now: Instant, bytes: &[u8]) {
        self.may_answer |= bytes.contains(&ENTER_RAW);
        self.sent(now, bytes);
    }

    /// Returns true if the board may still answer input from the client.
    pub(super) const fn may_answer(&self) -> bool {
        self.may_answer
    }

    /// Records bytes that were sent to the board.
    pub(super) fn sent(&mut self, now: Instant, bytes: &[u8]) {
        if bytes.contains(&LEAVE_RAW) {
            self.left_at = Some(now);
        }
    }

    /// Takes output of the board up to the end of a reset. Returns the number of bytes, and the kind of reset.
    pub(super) fn find(&mut self, now: Instant, bytes: &[u8]) -> Option<(usize, Reset)> {
        let found = bytes.iter().position(|&byte| self.push(now, byte))?;
        let reset = match bytes[found] {
            b'>' => Reset::Raw,
            _ => Reset::Normal,
        };
        self.has_rebooted = false;
        Some((found + 1, reset))
    }

    fn push(&mut self, now: Instant, byte: u8) -> bool {
        if self.reboot.push(byte) {
            self.has_rebooted = true;
        }
        let (raw, banner) = (self.raw.push(byte), self.banner.push(byte));
        self.may_answer &= !raw;
        let was_asked = banner && self.left_at.take().is_some_and(|at| now < at + ASKED);
        (raw && self.has_rebooted) || (banner && (self.has_rebooted || !was_asked))
    }
}

/// The end of the line that announces a soft reset (MicroPython v1.29, `shared/runtime/pyexec.c` and the ports' `main.c`).
const REBOOT: &[u8] = b"soft reboot\r\n";
/// Last line of the banner that a board prints when it starts, and when it leaves raw mode (`pyexec_friendly_repl`).
pub(super) const BANNER: &[u8] = b"Type \"help()\" for more information.\r\n";
/// Ctrl-A.
const ENTER_RAW: u8 = 0x01;
/// Ctrl-B.
const LEAVE_RAW: u8 = 0x02;
/// Time after which a banner is not the requested one.
const ASKED: Duration = Duration::from_secs(2);
