//! Programs of another machine of this crate, which shares the board's probe and its way of sending programs.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{Job, JobContext, Step, keep};
use crate::{
    Instant,
    board::{Answer, Board, Capabilities},
    raw_repl::{CommandError, Outcome},
};

/// Runs a program and collects its output.
#[derive(Debug)]
struct OwnProgram {
    source: String,
    output: Vec<u8>,
    is_ended: bool,
}

impl Board {
    /// Creates a board with known capabilities.
    pub(crate) fn with_capabilities(mut self, capabilities: Option<Capabilities>) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Expects banners that the board may owe to others, before the first request.
    pub(crate) const fn expect_banners(&mut self) {
        self.repl.expect_banners();
    }

    /// Runs a program of this crate. [`Event::Content`](super::Event::Content) follows with the beginning of its output,
    /// then [`Answer::Ran`].
    ///
    /// # Errors
    /// Those of [`request`](Self::request).
    pub(crate) fn run_own(&mut self, now: Instant, source: String) -> Result<(), CommandError> {
        self.check_idle()?;
        let program = OwnProgram {
            source,
            output: Vec::new(),
            is_ended: false,
        };
        self.begin_job(now, Box::new(program), None);
        self.run(now);
        Ok(())
    }
}

impl Job for OwnProgram {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        Step::Run(self.source.clone())
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        keep(&mut self.output, &bytes, OUTPUT_LIMIT);
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        self.is_ended = true;
        Step::Done(Ok(Answer::Ran(outcome)))
    }

    fn take_content(&mut self) -> Option<Vec<u8>> {
        self.is_ended.then(|| core::mem::take(&mut self.output))
    }
}

/// Limit of the output to keep, in bytes.
const OUTPUT_LIMIT: usize = 4096;
