//! The request that is being carried out.

use alloc::{boxed::Box, vec::Vec};
use core::time::Duration;

use super::{
    Progress, Request,
    jobs::{Job, receiver::Part},
};
use crate::Instant;

/// A request being carried out.
#[derive(Debug)]
pub(super) struct Work {
    /// Job; `None` for a command of the REPL.
    pub(super) job: Option<Box<dyn Job>>,
    /// Next step once the job has probed the board, or has removed what earlier programs left there.
    pub(super) next: Option<Request>,
    /// Request that the job tries to serve with one program, while the board's capabilities are unknown; if that fails, it is
    /// served in the ordinary way.
    pub(super) quick: Option<Request>,
    /// Input typed for the next program.
    pub(super) typed: Vec<u8>,
    /// True for a job that the application did not request: it has no answer.
    pub(super) is_silent: bool,
    /// Parts of the receiver that are sent with the call; the board has them once the call prints its first byte.
    pub(super) parts: Option<Vec<Part>>,
    /// Limit of the board's silence, now and after it has read its program; `None` for an application's program.
    pub(super) silence_limit: Option<Duration>,
    pub(super) limit_when_loaded: Option<Duration>,
    pub(super) silent_at: Instant,
    pub(super) is_stalled: bool,
    pub(super) is_cancelled: bool,
    pub(super) reported: Option<Progress>,
}

impl Work {
    pub(super) fn new(job: Option<Box<dyn Job>>, now: Instant) -> Self {
        Self {
            job,
            next: None,
            quick: None,
            typed: Vec::new(),
            is_silent: false,
            parts: None,
            silence_limit: None,
            limit_when_loaded: None,
            silent_at: now,
            is_stalled: false,
            is_cancelled: false,
            reported: None,
        }
    }

    /// Time at which the board has been silent for too long.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let is_watched = self.silence_limit.is_some() && !self.is_stalled;
        is_watched.then_some(self.silent_at)
    }

    pub(super) fn expect_within(&mut self, now: Instant, limit: Option<Duration>) {
        self.silence_limit = limit;
        self.silent_at = now + limit.unwrap_or_default();
    }
}
