//! A request under way: one or more programs on the board, and what is made of their output.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt::Debug;

use super::{Answer, Capabilities, FileError, Progress, stream::Part};
use crate::{
    Instant,
    raw_repl::{DataFrame, Outcome},
};

/// What a job wants next.
#[derive(Debug)]
pub(super) enum Step {
    /// Run this program. It uses no binary data.
    Run(String),
    /// Run this program, which is never silent for long.
    RunShort(String),
    /// Run this program, which streams; the board must have these parts of what it takes.
    Stream {
        parts: &'static [Part],
        call: String,
    },
    /// Send these bytes to the running program.
    Send(Vec<u8>),
    /// Wait for the program's output or end.
    Wait,
    /// The request is done.
    Done(Result<Answer, FileError>),
}

/// What a job may know of the board.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) now: Instant,
    pub(super) capabilities: &'a Capabilities,
    /// How many bytes a second the link carries, at least, if that was seen.
    pub(super) link_rate: Option<u32>,
    /// How many bytes the streaming receiver takes at once.
    pub(super) block: usize,
}

/// One request.
pub(super) trait Job: Debug + Send {
    /// Begins. Only [`Step::Run`], [`Step::Stream`] and [`Step::Done`] make sense here.
    fn start(&mut self, facts: &Facts<'_>) -> Step;

    /// Takes output of the program.
    fn stdout(&mut self, bytes: &[u8], facts: &Facts<'_>) -> Step;

    /// Takes binary output of the program.
    fn frame(&mut self, _frame: DataFrame) -> Step {
        Step::Wait
    }

    /// The program has ended.
    fn ended(&mut self, outcome: &Outcome, facts: &Facts<'_>) -> Step;

    /// The application wants no more of it. Whether Ctrl-C must be sent: a streaming job ends by other means.
    fn cancel(&mut self) -> bool {
        true
    }

    /// How many zero bytes end whatever its program waits for.
    fn filler(&self) -> usize {
        0
    }

    /// How far it is.
    fn progress(&self) -> Option<Progress> {
        None
    }
}

/// A job that is one program whose whole output is its answer.
pub(super) struct Query {
    source: Source,
    parse: fn(&[u8]) -> Option<Answer>,
    output: Vec<u8>,
}

/// The program for a board, or why it cannot have one.
type Source = Box<dyn Fn(&Capabilities) -> Result<String, FileError> + Send>;

/// More than this is not kept of an answer.
const ANSWER_LIMIT: usize = 16 * 1024 * 1024;

impl Query {
    pub(super) fn new(
        source: impl Fn(&Capabilities) -> Result<String, FileError> + Send + 'static,
        parse: fn(&[u8]) -> Option<Answer>,
    ) -> Self {
        Self {
            source: Box::new(source),
            parse,
            output: Vec::new(),
        }
    }
}

impl Debug for Query {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Query")
            .field("output", &self.output.len())
            .finish_non_exhaustive()
    }
}

impl Job for Query {
    fn start(&mut self, facts: &Facts<'_>) -> Step {
        match (self.source)(facts.capabilities) {
            Ok(source) => Step::Run(source),
            Err(error) => Step::Done(Err(error)),
        }
    }

    fn stdout(&mut self, bytes: &[u8], _facts: &Facts<'_>) -> Step {
        let room = ANSWER_LIMIT - self.output.len();
        self.output
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        Step::Wait
    }

    fn ended(&mut self, outcome: &Outcome, _facts: &Facts<'_>) -> Step {
        Step::Done(match FileError::from_outcome(outcome) {
            Some(error) => Err(error),
            None => (self.parse)(&self.output).ok_or_else(|| bad_answer(&self.output)),
        })
    }
}

/// The start of an answer that could not be read.
pub(super) fn bad_answer(output: &[u8]) -> FileError {
    let shown = &output[..output.len().min(80)];
    FileError::BadAnswer {
        answer: String::from_utf8_lossy(shown).into_owned(),
    }
}
