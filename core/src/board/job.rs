//! One request: one or more programs on the board, and what is made of their output.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::{
    Capabilities, Error,
    receiver::Part,
    request::{Answer, Progress},
};
use crate::{
    Instant,
    raw_repl::{DataFrame, Outcome},
};

/// Next action of a job.
#[derive(Debug)]
pub(super) enum Step {
    /// Run this program. It uses no binary data.
    Run(String),
    /// Run this program, which takes less than `Config::stall_timeout`.
    RunShort(String),
    /// Run this program, whose answer comes as frames.
    RunFrames(String),
    /// Run this program, which streams; the board must have these parts of what it takes.
    Stream {
        parts: &'static [Part],
        call: String,
    },
    /// Send these bytes to the running program.
    Send(Vec<u8>),
    /// Wait for the program's output or end.
    Wait,
    /// Like the other one, after output of another program: it does not extend the time-out.
    Ignore,
    /// The request is done.
    Done(Result<Answer, Error>),
}

/// View of the board that a job is given.
#[derive(Debug)]
pub(super) struct JobContext<'a> {
    pub(super) now: Instant,
    pub(super) capabilities: &'a Capabilities,
    /// Lower bound of the link's rate, in bytes per second, once measured.
    pub(super) link_rate: Option<u32>,
}

/// State machine of a request that consumes the board's output step by step.
pub(super) trait Job: Send {
    /// Begins. Only steps that run a program make sense here, and [`Step::Done`].
    fn start(&mut self, context: &JobContext<'_>) -> Step;

    /// Takes output of the program.
    fn on_stdout(&mut self, bytes: Vec<u8>, context: &JobContext<'_>) -> Step;

    /// Takes binary output of the program.
    fn on_frame(&mut self, _frame: DataFrame) -> Step {
        Step::Wait
    }

    /// The program has ended.
    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step;

    /// The application wants no more of it. Whether Ctrl-C must be sent: a streaming job ends by other means.
    fn cancel(&mut self) -> bool {
        true
    }

    /// Number of zero bytes that complete any read of the job's program.
    fn filler(&self) -> usize {
        0
    }

    /// Takes the content that is due to the application.
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

// Not what is in it: each job's fields would come with every wasm module that knows a board, and nobody reads them.
impl fmt::Debug for dyn Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Job")
    }
}
