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
            self.receiver = Receiver::Missing;
        }
        if self.work.is_none() {
            self.output.push_back(Output::Event(Event::Repl(event)));
            return;
        }
        self.put_off_stall();
        match event {
            Repl::Stdout(bytes) => self.hear_stdout(&bytes),
            Repl::Frame(frame) => self.with_job(|job, _| job.frame(frame)),
            Repl::Finished(outcome) => self.hear_end(outcome),
            Repl::Lost { reason } => {
                self.finish(Err(FileError::Lost(reason)));
                self.output
                    .push_back(Output::Event(Event::Repl(Repl::Lost { reason })));
            }
            _ => {}
        }
    }

    fn hear_stdout(&mut self, bytes: &[u8]) {
        let installing = matches!(
            &self.work,
            Some(Work {
                phase: Phase::Installing { .. },
                ..
            })
        );
        if !installing {
            self.with_job(|job, facts| job.stdout(bytes, facts));
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
        match mem::replace(&mut work.phase, Phase::Running) {
            Phase::Installing {
                block,
                since,
                bytes,
            } => self.installed(&outcome, block, since, bytes),
            Phase::Streaming if lacks_receiver(&outcome) => {
                self.receiver = Receiver::Missing;
                self.with_job(|job, facts| job.start(facts));
            }
            phase => {
                work.phase = phase;
                self.with_job(|job, facts| job.ended(&outcome, facts));
            }
        }
    }

    fn installed(&mut self, outcome: &Outcome, block: usize, since: Instant, bytes: usize) {
        if let Some(error) = FileError::from_outcome(outcome) {
            self.finish(Err(error));
            return;
        }
        self.receiver = Receiver::Installed { block };
        self.link_rate = rate(bytes, self.now - since);
        // The job begins again, now that the block's size is known.
        self.with_job(|job, facts| job.start(facts));
    }

    /// How long the board may be silent from now on.
    pub(super) fn expect_within(&mut self, patience: Duration) {
        if let Some(work) = &mut self.work {
            work.patience = patience;
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

/// The receiver is gone when the interpreter started anew without our seeing it.
fn lacks_receiver(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Raised(traceback) if traceback.exception == "NameError")
}

/// Bytes a second; `None` when no time passed.
fn rate(bytes: usize, elapsed: Duration) -> Option<u32> {
    let micros = elapsed.as_micros();
    (micros > 0).then(|| u32::try_from(bytes as u128 * 1_000_000 / micros).unwrap_or(u32::MAX))
}
