//! One request: one or more programs on the board, and the evaluation of their output.

pub(super) mod answer;
pub(super) mod checked;
#[cfg(feature = "mount")]
mod own_program;
pub(super) mod probe;
pub(super) mod query;
pub(super) mod quick;
pub(super) mod receiver;
pub(super) mod transfer;

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::{
    Capabilities, Error,
    request::{Answer, Progress},
};
use crate::{
    Instant,
    raw_repl::{DataFrame, Outcome},
};
use receiver::Part;

/// Next action of a job.
#[derive(Debug)]
pub(super) enum Step {
    /// Run this program. It uses no binary data.
    Run(String),
    /// Run this program, which takes less than `Config::stall_timeout`.
    RunShort(String),
    /// Run this program, which answers in frames.
    RunFrames(String),
    /// Run this program, which streams; the board must have these parts of the receiver.
    Stream {
        parts: &'static [Part],
        call: String,
    },
    /// Send these bytes to the running program.
    Send(Vec<u8>),
    /// Wait for the program's output or end.
    Wait,
    /// Like [`Wait`](Self::Wait), after output of another program: it does not extend the time-out.
    Ignore,
    /// The request is done.
    Done(Result<Answer, Error>),
}

/// Adds the board's output to what is kept of it, up to a limit in bytes.
fn keep(kept: &mut Vec<u8>, output: &[u8], limit: usize) {
    let room = limit - kept.len();
    kept.extend_from_slice(&output[..output.len().min(room)]);
}

/// Information about the board for a job.
#[derive(Debug)]
pub(super) struct JobContext<'a> {
    pub(super) now: Instant,
    pub(super) capabilities: &'a Capabilities,
    /// Lower bound of the link's rate, in bytes per second, once measured.
    pub(super) link_rate: Option<u32>,
}

/// State machine of a request that consumes the board's output step by step.
pub(super) trait Job: Send {
    /// Begins the job. Only steps that run a program are valid here, and [`Step::Done`].
    fn start(&mut self, context: &JobContext<'_>) -> Step;

    /// Handles output of the program.
    fn on_stdout(&mut self, bytes: Vec<u8>, context: &JobContext<'_>) -> Step;

    /// Handles binary output of the program.
    fn on_frame(&mut self, _frame: DataFrame) -> Step {
        Step::Wait
    }

    /// Handles the end of the program.
    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step;

    /// Cancels the job for the application. Returns true if Ctrl-C must be sent: a streaming job ends by other means.
    fn cancel(&mut self) -> bool {
        true
    }

    /// Number of zero bytes that complete any read of the job's program.
    fn filler(&self) -> usize {
        0
    }

    /// Takes the content that is due for delivery to the application.
    fn take_content(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Explains an error in the context of the job's current step.
    fn explain(&self, error: Error) -> Error {
        error
    }

    /// Progress of the job.
    fn progress(&self) -> Option<Progress> {
        None
    }
}

// The content is omitted: each job's fields would be compiled into every wasm module that uses a board, and nobody
// reads them.
impl fmt::Debug for dyn Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Job")
    }
}
