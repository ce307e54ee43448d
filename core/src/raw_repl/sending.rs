//! A program that is being sent to the board, by either mode.

use super::{context::Context, pace::Pacing, paste::Paste, reception::Reception};
use crate::Instant;

/// By which mode it is sent.
#[derive(Debug)]
pub(super) enum Sending {
    Pasting(Paste),
    Pacing(Pacing),
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

    pub(super) const fn deadline(&self) -> Instant {
        match self {
            Self::Pasting(paste) => paste.deadline,
            Self::Pacing(pacing) => pacing.deadline,
        }
    }

    /// Does what is due; `false` when the board has been silent for too long.
    pub(super) fn wake(&mut self, now: Instant, context: &mut Context) -> bool {
        match self {
            Self::Pasting(_) => false,
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
