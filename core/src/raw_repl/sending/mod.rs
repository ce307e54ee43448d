//! A program that is being sent to the board, by either mode.

pub(super) mod loading;
pub(super) mod own;
pub(super) mod pace;
pub(super) mod paste;
pub(super) mod reception;

use alloc::vec::Vec;

use super::context::Context;
use crate::Instant;
use pace::Pacing;
use paste::Paste;
use reception::Reception;

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
    /// The board will end the program.
    Soon,
    /// Ctrl-C must be sent once the program runs.
    WhenRunning,
}

impl Sending {
    /// Takes bytes up to a decisive one. Returns their number, and their meaning.
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

    /// Takes out other output of the board since the last call.
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

    /// Performs due work.
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
