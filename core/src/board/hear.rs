//! What the REPL says while a request is under way, and how long it may say nothing.

use core::{mem, time::Duration};

use super::{
    Board, Event, FileError, error,
    work::{Phase, Receiver, Work},
};
use crate::{
    Instant, Output,
    raw_repl::{self, Outcome},
};

impl Board {
    pub(super) fn hear(&mut self, event: raw_repl::Event) {
        use raw_repl::Event as Repl;

        if matches!(
            event,
            Repl::SoftReset | Repl::Finished(Outcome::Exited | Outcome::BoardReset)
        ) {
            self.receiver = Receiver::default();
        }
        if self.work.is_none() {
            self.output.push_back(Output::Event(Event::Repl(event)));
            return;
        }
        self.put_off_stall();
        match event {
            Repl::Stdout(bytes) => {
                self.has_receiver();
                self.with_job(|job, facts| job.stdout(&bytes, facts));
            }
            Repl::Loaded => {
                let later = self.work.as_ref().map_or(Duration::ZERO, |work| work.later);
                self.expect_within(later, later);
            }
            Repl::Frame(frame) => {
                self.has_receiver();
                self.with_job(|job, _| job.frame(frame));
            }
            Repl::Finished(outcome) => self.hear_end(outcome),
            Repl::Lost { reason } => {
                self.finish(Err(FileError::Lost(reason)));
                self.output
                    .push_back(Output::Event(Event::Repl(Repl::Lost { reason })));
            }
            _ => {}
        }
    }

    /// The call that the parts went with has begun.
    fn has_receiver(&mut self) {
        if let Some(Work {
            phase: Phase::Streaming { parts },
            ..
        }) = &mut self.work
        {
            self.receiver.add(mem::take(parts));
        }
    }

    fn hear_end(&mut self, outcome: Outcome) {
        let Some(work) = &mut self.work else { return };
        if work.stalled {
            self.finish(Err(FileError::Stalled));
            return;
        }
        let outcome = match &self.capabilities {
            Some(board) if board.wasi_errors => error::from_wasi(outcome),
            _ => outcome,
        };
        let streams = matches!(work.phase, Phase::Streaming { .. });
        if streams && self.receiver.is_there() && lacks_receiver(&outcome) {
            // The interpreter started anew without our seeing it.
            self.receiver = Receiver::default();
            self.with_job(|job, facts| job.start(facts));
        } else {
            self.with_job(|job, facts| job.ended(&outcome, facts));
        }
    }

    /// How long the board may be silent from now on; and later, when it has read its program.
    pub(super) fn expect_within(&mut self, patience: Duration, later: Duration) {
        if let Some(work) = &mut self.work {
            work.patience = patience;
            work.later = later;
            work.quiet_at = self.now + patience;
        }
    }

    fn put_off_stall(&mut self) {
        if let Some(work) = &mut self.work {
            work.quiet_at = self.now + work.patience;
        }
    }

    /// When the board has been silent for too long.
    pub(super) fn deadline(&self, repl: Option<Instant>) -> Option<Instant> {
        let own = self
            .work
            .as_ref()
            .filter(|work| !work.stalled)
            .map(|work| work.quiet_at);
        match (repl, own) {
            (Some(repl), Some(own)) => Some(repl.min(own)),
            (repl, own) => repl.or(own),
        }
    }

    /// The board has fallen silent: end what its program waits for, and get it back to its prompt.
    pub(super) fn wake(&mut self) {
        let Some(work) = &mut self.work else { return };
        if self.now < work.quiet_at || work.stalled {
            return;
        }
        work.stalled = self.repl.abandon(self.now, work.job.filler());
        work.quiet_at = self.now + work.patience;
    }
}

/// Python knows no `_fl`, or no such part of it.
fn lacks_receiver(outcome: &Outcome) -> bool {
    let Outcome::Raised(traceback) = outcome else {
        return false;
    };
    matches!(traceback.exception.as_str(), "NameError" | "KeyError")
}
