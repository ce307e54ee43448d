//! Jobs of a session, and its reports about them.

use alloc::string::String;
use core::time::Duration;

use crate::zylisp::{
    answer::Answer,
    evaluator::{Outcome, Task},
};

/// Limits of a session's time and amount of work.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionLimits {
    /// For one evaluation. Time that it waits for input is not counted.
    pub eval: Option<Duration>,
    /// For input that a program waits for.
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

/// Job in a session's queue.
#[derive(Debug)]
pub(crate) struct Job {
    /// The request that asks for it.
    pub(crate) id: String,
    pub(crate) work: Work,
    /// True if the client accepts several messages for it: output as it is produced, and requests
    /// for input.
    pub(crate) streams: bool,
}

#[derive(Debug)]
pub(crate) enum Work {
    Task(Task),
    /// Evaluate a file, of which the driver knows the content.
    Load {
        path: String,
        page: usize,
    },
}

impl Job {
    /// Memory in use while it waits, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = match &self.work {
            Work::Task(Task::Eval { source, .. }) => source.code.capacity(),
            Work::Task(_) => 0,
            Work::Load { path, .. } => path.capacity(),
        };
        size_of::<Self>() + self.id.capacity() + texts
    }
}

/// Report of a session about the request with an id.
#[derive(Debug)]
pub enum News {
    /// It printed this. Only for a job that streams.
    Output(String),
    /// One of its forms has come to a value.
    Form(Answer),
    /// It reads, and there is nothing to be read.
    NeedsInput,
    /// It needs this file.
    Load(String),
    /// It has ended.
    Done(Finished),
}

/// End of a request that was handed out.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// With what.
    pub(crate) outcome: Outcome,
    /// Output that was not reported before.
    pub(crate) output: String,
    /// Lower bound of the number of bytes of output left out.
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
    /// The evaluation that it meant: its reply says so.
    Found,
    /// A request runs or waits, but none with that id.
    Mismatch,
    /// Nothing that could be interrupted.
    Idle,
}
