//! Evaluator of code for a session: the language here, a board, or your own.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::{fmt, task::Waker};

use zylisp_lang::{Call, Error, Name, NameKind, Source};

use super::answer::Answer;

/// Does one task at a time, in slices.
///
/// A session calls [`begin`](Self::begin), then [`run`](Self::run) until it says [`Progress::Done`], then takes the
/// output. Definitions stay from one source to the next.
pub trait Evaluator {
    /// Prepares for a task. The previous one has ended.
    fn begin(&mut self, task: Task);

    /// Goes on for at most about `fuel` operations of some nanoseconds each, and takes those it needed from it; without
    /// waiting, whatever happens. An evaluator that waits for something outside says [`Progress::Waiting`], and wakes
    /// `waker` when it has come.
    fn run(&mut self, fuel: &mut u64, waker: &Waker) -> Progress;

    /// Asks what runs to end. `run` is called on, and says soon how it ended: [`Outcome::Interrupted`] as a rule. A program
    /// that goes on all the same is interrupted again as often as a client asks for that.
    fn interrupt(&mut self);

    /// Returns the output since the last call, and a lower bound of the number of bytes dropped.
    fn take_output(&mut self) -> (String, usize);

    /// Lets a program read what was typed; nothing is the end of the input. Without it there is nothing to be read.
    ///
    /// # Errors
    /// The evaluator cannot give its programs any input, or has no room for this one.
    fn input(&mut self, _text: &str) -> Result<(), String> {
        Err("programs cannot read here".into())
    }

    /// Answers a question about names at once, whatever runs. `None` means that it takes a [task](Task::Help).
    fn help(&mut self, question: &Question) -> Option<Help> {
        Some(question.unanswered())
    }

    /// Creates another one with everything that was defined here.
    ///
    /// # Errors
    /// It cannot be copied, or there is no memory for it.
    fn fork(&mut self) -> Result<BoxedEvaluator, String> {
        Err("an environment cannot be copied here".into())
    }

    /// Gives back what memory it can: nothing is evaluated for a while.
    fn tidy(&mut self) {}

    /// Abilities beyond evaluating. A server advertises no operation that needs a missing one.
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }
}

/// Optional abilities of an [`Evaluator`], each with the methods that implement it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Abilities {
    /// Programs read input: [`Evaluator::input`].
    pub input: bool,
    /// Questions about names are answered: [`Evaluator::help`] or [`Task::Help`].
    pub names: bool,
    /// Sessions can be cloned: [`Evaluator::fork`].
    pub copies: bool,
}

impl Abilities {
    /// Every ability.
    pub const ALL: Self = Self {
        input: true,
        names: true,
        copies: true,
    };

    /// True if an operation of a protocol can be carried out with these.
    pub(crate) fn allow(self, operation: &str) -> bool {
        match operation {
            "stdin" => self.input,
            "complete" | "completions" | "info" | "eldoc" | "lookup" => self.names,
            "clone" => self.copies,
            _ => true,
        }
    }
}

/// Any evaluator.
pub type BoxedEvaluator = Box<dyn Evaluator + Send>;

/// Makes an evaluator for each new session, when that evaluates for the first time.
pub type EvaluatorFactory = alloc::sync::Arc<dyn Fn() -> BoxedEvaluator + Send + Sync>;

/// Task of a session's queue.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Task {
    /// Evaluate a program.
    Eval {
        /// The program.
        source: Source,
        /// The longest answer, in bytes. What is longer comes in pages.
        page: usize,
    },
    /// The next page of the value that the last program came to.
    Page {
        /// Length, in bytes.
        length: usize,
    },
    /// Answer a question about names.
    Help(Question),
}

/// A question about names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Completions of a prefix.
    Complete {
        /// The beginning.
        prefix: String,
    },
    /// Facts about a name.
    LookUp {
        /// The name.
        name: String,
    },
}

/// The answer to a question about names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Help {
    /// Names with the requested prefix, in order.
    Names(Vec<(String, NameKind)>),
    /// Facts about the requested name, if it is known.
    Name(Option<Box<Name>>),
}

impl Question {
    /// The answer of who knows nothing.
    #[must_use]
    pub fn unanswered(&self) -> Help {
        match self {
            Self::Complete { .. } => Help::Names(Vec::new()),
            Self::LookUp { .. } => Help::Name(None),
        }
    }
}

/// Progress of a slice.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// The fuel is used up; there is more to do.
    OutOfFuel,
    /// Nothing to do until the waker is woken.
    Waiting,
    /// The program reads, and there is nothing to be read. It goes on after [`Evaluator::input`].
    NeedsInput,
    /// A form has come to this value, where each form's value is wanted; there is more to do.
    Form(Answer),
    /// The task has ended like this.
    Done(Outcome),
}

/// Outcome of a task.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// With a value, or the next page of one.
    Value(Answer),
    /// Each form's value was told when it had come.
    Completed,
    /// With the answer to a question about names.
    Help(Help),
    /// With an error of the program, which is a value like any other to the protocol.
    Error(EvalError),
    /// By an interrupt.
    Interrupted,
    /// Not at all: the evaluator itself is at fault, such as a board that is gone.
    Failed(String),
}

/// An error of the program as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvalError {
    /// Kind of error, such as `type-error`.
    pub kind: String,
    /// Message for people.
    pub message: String,
    /// Active functions, innermost first, with their positions.
    pub trace: Vec<Call>,
    /// Number of entries left out of the middle of a long trace.
    pub omitted: usize,
    /// The whole error as its own language prints it, if that is not Zylisp: a traceback.
    pub text: Option<String>,
}

impl EvalError {
    /// An error that is nowhere in particular.
    #[must_use]
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
            ..Self::default()
        }
    }
}

impl From<Error> for EvalError {
    fn from(error: Error) -> Self {
        Self {
            kind: error.kind.name().into(),
            message: error.message,
            trace: error.trace,
            omitted: error.omitted,
            text: None,
        }
    }
}

/// The kind, the message, and a line for each place; or the text of another language.
impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return f.write_str(text);
        }
        write!(f, "{}: {}", self.kind, self.message)?;
        for call in &self.trace {
            write!(f, "\n  {call}")?;
        }
        match self.omitted {
            0 => Ok(()),
            omitted => write!(f, "\n  and {omitted} calls between them"),
        }
    }
}
