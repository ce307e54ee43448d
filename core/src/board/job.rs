//! A request under way: one or more programs on the board, and what is made of their output.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt::Debug;

use super::{Answer, Capabilities, Error, Progress, stream::Part};
use crate::{
    Instant,
    raw_repl::{Command, DataFrame, Outcome},
};

/// What a job wants next.
#[derive(Debug)]
pub(super) enum Step {
    /// Give the REPL this command of the application's.
    Repl(Command),
    /// Show these bytes to the application.
    Print(Vec<u8>),
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
    Done(Result<Answer, Error>),
}

/// What a job may know of the board.
#[derive(Debug)]
pub(super) struct JobContext<'a> {
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
    fn start(&mut self, context: &JobContext<'_>) -> Step;

    /// Takes output of the program.
    fn on_stdout(&mut self, bytes: Vec<u8>, context: &JobContext<'_>) -> Step;

    /// Takes binary output of the program.
    fn on_frame(&mut self, _frame: DataFrame) -> Step {
        Step::Wait
    }

    /// The program has ended.
    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step;

    /// Whether it is a command of the application to the REPL, which may take as long as it likes.
    fn is_repl(&self) -> bool {
        false
    }

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
type Source = Box<dyn Fn(&Capabilities) -> Result<String, Error> + Send>;

/// More than this is not kept of an answer.
const ANSWER_LIMIT: usize = 16 * 1024 * 1024;

impl Query {
    pub(super) fn new(
        source: impl Fn(&Capabilities) -> Result<String, Error> + Send + 'static,
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
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        match (self.source)(context.capabilities) {
            Ok(source) => Step::Run(source),
            Err(error) => Step::Done(Err(error)),
        }
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        let room = ANSWER_LIMIT - self.output.len();
        self.output
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match Error::from_outcome(&outcome) {
            Some(error) => Err(error),
            None => (self.parse)(&self.output).ok_or_else(|| bad_answer(&self.output)),
        })
    }
}

/// The start of an answer that could not be read.
pub(super) fn bad_answer(output: &[u8]) -> Error {
    let shown = &output[..output.len().min(80)];
    Error::BadAnswer {
        answer: String::from_utf8_lossy(shown).into_owned(),
    }
}
