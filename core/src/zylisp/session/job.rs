//! Jobs of a session, and its reports about them.

use alloc::string::String;
use core::time::Duration;

use crate::{
    machine::setters::setters,
    zylisp::{
        answer::Answer,
        evaluator::{Outcome, Task},
    },
};

/// Limits of a session's time and amount of work.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionLimits {
    /// Time limit of one evaluation. Time spent waiting for input is not counted.
    pub eval: Option<Duration>,
    /// Time limit of waiting for input.
    pub input: Duration,
    /// Limit of sessions on a connection.
    pub sessions: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            eval: Some(Duration::from_secs(60)),
            input: Duration::from_secs(600),
            sessions: 32,
        }
    }
}

setters! {
    SessionLimits:
    eval: Option<Duration>,
    input: Duration,
    sessions: usize,
}

/// Job in a session's queue.
#[derive(Debug)]
pub(crate) struct Job {
    /// Id of the request.
    pub(crate) id: String,
    pub(crate) work: Work,
    /// True if the client accepts several messages for it: output as it is produced, and requests
    /// for input.
    pub(crate) streams: bool,
}

#[derive(Debug)]
pub(crate) enum Work {
    Task(Task),
    /// Evaluate a file, whose content the driver provides.
    Load {
        path: String,
        page: usize,
    },
}

impl Job {
    /// Returns the memory in use while the job waits, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = match &self.work {
            Work::Task(Task::Eval { source, .. }) => source.code.capacity(),
            Work::Task(_) => 0,
            Work::Load { path, .. } => path.capacity(),
        };
        size_of::<Self>() + self.id.capacity() + texts
    }
}

/// Report of a session about a request.
#[derive(Debug)]
pub enum News {
    /// Output of the request. Only for a job that streams.
    Output(String),
    /// One of its forms has this value.
    Form(Answer),
    /// The program reads, but no input is available.
    NeedsInput,
    /// The job needs this file.
    Load(String),
    /// The job has ended.
    Done(Finished),
}

/// End of a request that a session carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Outcome of the request.
    pub(crate) outcome: Outcome,
    /// Output that was not reported before.
    pub(crate) output: String,
    /// Lower bound of the number of omitted bytes of output.
    pub(crate) omitted: usize,
}

impl Finished {
    pub(crate) const fn without_output(outcome: Outcome) -> Self {
        Self {
            outcome,
            output: String::new(),
            omitted: 0,
        }
    }
}

/// Result of an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// The evaluation was found: its own reply reports the interrupt.
    Found,
    /// A request is running or waiting, but none has that id.
    Mismatch,
    /// Nothing could be interrupted.
    Idle,
}
