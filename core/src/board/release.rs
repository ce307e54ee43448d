//! Ends the running program on a board, and releases the board at its normal prompt, both with a time limit.

use core::time::Duration;

use super::{Board, Error, Event};
use crate::{
    Instant,
    raw_repl::{CommandError, INTERRUPT_AGAIN, Mode},
};

/// Release of the board: ends the running program.
#[derive(Debug)]
pub(super) struct Release {
    goal: Goal,
    interrupt_at: Instant,
    give_up: Instant,
    within: Duration,
}

/// Goal of the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// The next request.
    Idle,
    /// Prompt for the board's next user.
    Prompt,
}

impl Release {
    pub(super) fn new(now: Instant, goal: Goal, within: Duration) -> Self {
        Self {
            goal,
            interrupt_at: now,
            give_up: now + within,
            within,
        }
    }

    /// Returns true if the board accepts no requests until it is at its prompt.
    pub(super) fn is_for_prompt(&self) -> bool {
        self.goal == Goal::Prompt
    }

    /// Time at which to act if no other event occurs.
    pub(super) fn deadline(&self) -> Instant {
        self.interrupt_at.min(self.give_up)
    }
}

impl Board {
    /// Takes the next step towards the end of the running program and the prompt, if one is due.
    pub(super) fn goes_on_releasing(&mut self, now: Instant) -> bool {
        let must_forget = self.must_forget();
        let Some(release) = &mut self.release else {
            return false;
        };
        let is_ended = self.work.is_none();
        if is_ended && release.goal == Goal::Idle {
            self.end_release(Ok(()));
        } else if is_ended && must_forget && now < release.give_up {
            release.interrupt_at = now + release.goal.patience();
            self.forget(now, None);
        } else if is_ended && matches!(self.repl.mode(), Mode::Normal) {
            // The board may still answer an interrupted attempt; it then goes back to its prompt.
            let _ = self.repl.leave();
            self.end_release(Ok(()));
        } else if is_ended && self.repl.leave().is_ok() {
            // Its event follows.
        } else if now >= release.give_up {
            let within = release.within;
            self.end_release(Err(Error::NotStopped { within }));
        } else if now >= release.interrupt_at {
            release.interrupt_at = now + release.goal.patience();
            // This is refused only after the connection was lost, and then there is no release.
            let _ = self.interrupt_work(now);
        } else {
            return false;
        }
        true
    }

    fn end_release(&mut self, result: Result<(), Error>) {
        match self.release.take().map(|release| release.goal) {
            Some(Goal::Idle) => self.report(Event::Stopped(result)),
            Some(Goal::Prompt) => self.report(Event::Released(result)),
            None => {}
        }
    }

    pub(super) fn interrupt_work(&mut self, now: Instant) -> Result<(), CommandError> {
        if let Some(work) = &mut self.work {
            work.is_cancelled = true;
            if work.job.as_mut().is_some_and(|job| !job.cancel()) {
                return Ok(());
            }
        }
        self.repl.interrupt(now)
    }
}

impl Goal {
    /// Time that a program has to end before Ctrl-C is sent again.
    ///
    /// A board accepts Ctrl-C only once the program runs, which is after it has confirmed receipt: an early Ctrl-C is
    /// lost (MicroPython v1.29, `shared/runtime/pyexec.c`, `parse_compile_execute`).
    const fn patience(self) -> Duration {
        match self {
            // The program may have to clean up.
            Self::Idle => Duration::from_secs(1),
            Self::Prompt => INTERRUPT_AGAIN,
        }
    }
}
