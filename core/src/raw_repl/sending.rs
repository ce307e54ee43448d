//! A program that is being sent to the board, by either mode.

use alloc::vec::Vec;

use super::{context::Context, pace::Pacing, paste::Paste, reception::Reception};
use crate::Instant;

/// By which mode it is sent.
#[derive(Debug)]
pub(super) enum Sending {
    Pasting(Paste),
    Pacing(Pacing),
}

/// Outcome of a deadline.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wake {
    GoesOn,
    /// The board has given its banner, and nothing that belongs to a program.
    Restarted,
    /// The board has been silent for too long.
    TimedOut,
}

/// What has become of a Ctrl-C.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// There is no program any more.
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
            Self::Pacing(pacing) => pacing.receive(bytes, context),
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
            Self::Pasting(paste) if paste.seems_restarted() => Wake::Restarted,
            Self::Pasting(_) => Wake::TimedOut,
            Self::Pacing(pacing) => match pacing.wake(now, context) {
                true => Wake::GoesOn,
                false => Wake::TimedOut,
            },
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
