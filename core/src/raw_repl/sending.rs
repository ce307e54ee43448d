//! A program that is being sent to the board, by either mode.

use alloc::vec::Vec;

use super::{context::Context, pace::Pacing, paste::Paste, reception::Reception};
use crate::Instant;

/// Mode by which it is sent.
#[derive(Debug)]
pub(super) enum Sending {
    Pasting(Paste),
    Pacing(Pacing),
}

/// Outcome of a deadline.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wake {
    GoesOn,
    /// The board has been silent for too long.
    TimedOut,
}

/// State of a Ctrl-C.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// The program no longer runs.
    Now,
    /// The board will end it.
    Soon,
    /// It must be sent when the program runs.
    WhenRunning,
}

impl Sending {
    /// Takes in bytes up to the one that decides: how many, and what they mean.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        bytes: &[u8],
        context: &mut Context,
    ) -> (usize, Reception) {
        match self {
            Self::Pasting(paste) => paste.receive(now, bytes, context),
            Self::Pacing(pacing) => pacing.receive(now, bytes, context),
        }
    }

    /// Takes out what the board has said besides, since the last time.
    pub(super) fn take_others(&mut self) -> Vec<u8> {
        match self {
            Self::Pasting(paste) => paste.take_others(),
            Self::Pacing(_) => Vec::new(),
        }
    }

    pub(super) fn deadline(&self) -> Instant {
        match self {
            Self::Pasting(paste) => paste.deadline(),
            Self::Pacing(pacing) => pacing.deadline,
        }
    }

    /// Does what is due.
    pub(super) fn wake(&mut self, now: Instant, context: &mut Context) -> Wake {
        match self {
            Self::Pasting(paste) => paste.wake(now, context),
            Self::Pacing(pacing) => pacing.wake(now, context),
        }
    }

    pub(super) fn interrupt(&mut self, context: &mut Context) -> Interrupted {
        let (ended, how) = match self {
            Self::Pasting(paste) => (paste.interrupt(context), Interrupted::Soon),
            Self::Pacing(pacing) => (pacing.interrupt(context), Interrupted::Now),
        };
        if ended { how } else { Interrupted::WhenRunning }
    }
}
