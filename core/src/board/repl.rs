//! Requests that are one command of the REPL: a program of the application, a reset, a change of mode.

use alloc::vec::Vec;

use super::{
    Answer,
    job::{Job, JobContext, Step},
};
use crate::raw_repl::{Command, Outcome};

/// A command of the REPL, whose output is the application's.
#[derive(Debug)]
pub(super) struct ReplJob {
    command: Option<Command>,
}

impl ReplJob {
    pub(super) const fn new(command: Command) -> Self {
        Self {
            command: Some(command),
        }
    }
}

impl Job for ReplJob {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        self.command.take().map_or(Step::Wait, Step::Repl)
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        Step::Print(bytes)
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(Ok(Answer::Ran(outcome)))
    }

    fn is_repl(&self) -> bool {
        true
    }
}
