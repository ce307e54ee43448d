//! What a session is asked to do, and what it tells of it.

use alloc::string::String;
use core::time::Duration;

use crate::zylisp::{
    answer::Answer,
    evaluator::{Outcome, Task},
};

/// How long a session's work may take, and how much of it there may be.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionLimits {
    /// For one evaluation. Time that it waits for input is not counted.
    pub eval: Option<Duration>,
    /// For input that a program waits for.
    pub input: Duration,
    /// How many sessions a connection may have at once.
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

/// Something that a session is to do in turn.
#[derive(Debug)]
pub(crate) struct Job {
    /// The request that asks for it.
    pub(crate) id: String,
    pub(crate) work: Work,
    /// Whether the client takes more than one message for it: output as it comes, and that a program reads.
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
    /// How much memory it holds while it waits, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = match &self.work {
            Work::Task(Task::Eval { source, .. }) => source.code.capacity(),
            Work::Task(_) => 0,
            Work::Load { path, .. } => path.capacity(),
        };
        size_of::<Self>() + self.id.capacity() + texts
    }
}

/// What a session tells of the request with an id.
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

/// How a request that was handed out has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// With what.
    pub(crate) outcome: Outcome,
    /// What was printed and not told before.
    pub(crate) output: String,
    /// How many bytes of output were left out, at least.
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

/// What an interrupt found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// The evaluation that it meant: its reply says so.
    Found,
    /// Something runs or waits, but nothing with that id.
    Mismatch,
    /// Nothing that could be interrupted.
    Idle,
}
