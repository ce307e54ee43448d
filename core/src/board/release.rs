//! Giving a board back: what runs on it ends, and it goes to its normal prompt, or does not in time.

use core::time::Duration;

use super::{Board, Error, Event};
use crate::{
    Instant,
    raw_repl::{CommandError, INTERRUPT_AGAIN, Mode},
};

/// The board is being given back.
#[derive(Debug)]
pub(super) struct Release {
    interrupt_at: Instant,
    give_up: Instant,
    within: Duration,
}

impl Release {
    pub(super) fn new(now: Instant, within: Duration) -> Self {
        Self {
            interrupt_at: now,
            give_up: now + within,
            within,
        }
    }

    /// When there is something to do if nothing else happens.
    pub(super) fn deadline(&self) -> Instant {
        self.interrupt_at.min(self.give_up)
    }
}

impl Board {
    /// Takes the next step towards the prompt, if one is due.
    pub(super) fn goes_on_releasing(&mut self, now: Instant) -> bool {
        let Some(release) = &mut self.release else {
            return false;
        };
        let is_ended = self.work.is_none();
        if is_ended && matches!(self.repl.mode(), Mode::Normal) {
            // The board may still answer an attempt that was interrupted; then this goes back to its prompt.
            let _ = self.repl.leave();
            self.release = None;
            self.report(Event::Released(Ok(())));
        } else if is_ended && self.repl.leave().is_ok() {
            // Its event follows.
        } else if now >= release.give_up {
            let within = release.within;
            self.release = None;
            self.report(Event::Released(Err(Error::NotStopped { within })));
        } else if now >= release.interrupt_at {
            release.interrupt_at = now + INTERRUPT_AGAIN;
            // Refused only after the end, and then there is no release.
            let _ = self.interrupt_work(now);
        } else {
            return false;
        }
        true
    }

    pub(super) fn interrupt_work(&mut self, now: Instant) -> Result<(), CommandError> {
        if let Some(work) = &mut self.work {
            work.is_cancelled = true;
            if !work.job.cancel() {
                return Ok(());
            }
        }
        self.repl.interrupt(now)
    }
}
