//! Where a conversation stands, and what it is on the way to. Each state has only the data that it can have.

use alloc::vec::Vec;
use core::time::Duration;

use super::{
    Event,
    banner::RawBanner,
    enter::Entering,
    paste::{Paste, Probe},
    running::{Confirmation, Running},
};
use crate::Instant;

#[derive(Debug)]
pub(super) enum State {
    Normal,
    Entering {
        entering: Entering,
        task: Task,
    },
    /// `settled` until the board says something that nobody asked for; the next command then enters afresh.
    Raw {
        settled: bool,
    },
    Probing {
        probe: Probe,
        program: Program,
        deadline: Instant,
        banners: u8,
    },
    Pasting {
        paste: Paste,
        launch: Launch,
        since: Instant,
        deadline: Instant,
    },
    Pacing {
        program: Program,
        sent: usize,
        next_at: Instant,
    },
    Confirming {
        confirmation: Confirmation,
        launch: Launch,
        deadline: Instant,
    },
    Running(Running),
    Resetting {
        banner: RawBanner,
        /// What the application is told when the reset is done.
        then: Event,
        deadline: Instant,
    },
    Lost,
}

impl Program {
    pub(super) const fn launch(&self) -> Launch {
        Launch {
            timeout: self.timeout,
            transfer: self.transfer,
            interrupted: false,
        }
    }
}

/// What to do once the board is in raw mode.
#[derive(Debug)]
pub(super) enum Task {
    Wait,
    Exec(Program),
    /// There was a program, and it was interrupted before it was sent.
    Interrupted,
    Reset,
    /// The reset is done, but `boot.py` had to be stopped for it: this is what the application is told.
    AfterReset(Event),
}

#[derive(Debug)]
pub(super) struct Program {
    pub(super) source: Vec<u8>,
    pub(super) timeout: Option<Duration>,
    /// Whether its stdin and stdout are binary.
    pub(super) transfer: bool,
}

/// What is still to be known of a program whose source is on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Launch {
    pub(super) timeout: Option<Duration>,
    pub(super) transfer: bool,
    pub(super) interrupted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PasteSupport {
    Unknown,
    Yes,
    No,
}

impl Task {
    pub(super) fn interrupt(&mut self) {
        if matches!(self, Self::Exec(_)) {
            *self = Self::Interrupted;
        }
    }
}
