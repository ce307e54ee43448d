//! Evaluator of code for a session: the built-in language, a board, or your own.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::{fmt, task::Waker};

use zylisp_lang::{Call, Error, Name, NameKind, Source};

use super::answer::Answer;
use crate::machine::setters::setters;

/// Carries out one task at a time, in slices.
///
/// A session calls [`begin`](Self::begin), then [`run`](Self::run) until it returns [`Progress::Done`], then takes the
/// output. Definitions persist from one source to the next.
pub trait Evaluator {
    /// Prepares for a task. The previous one has ended.
    fn begin(&mut self, task: Task);

    /// Continues for at most about `fuel` operations of some nanoseconds each, and subtracts those used; it never
    /// blocks. An evaluator that waits for something outside returns [`Progress::Waiting`], and wakes `waker` once it
    /// has arrived.
    fn run(&mut self, fuel: &mut u64, waker: &Waker) -> Progress;

    /// Interrupts the running task. `run` is still called, and soon returns its end: [`Outcome::Interrupted`] as a
    /// rule. A program that continues nevertheless is interrupted again as often as a client requests it.
    fn interrupt(&mut self);

    /// Returns the output since the last call, and a lower bound of the number of bytes dropped.
    fn take_output(&mut self) -> (String, usize);

    /// Passes typed input to a program; an empty text is the end of the input. Without a call, no input is available.
    ///
    /// # Errors
    /// The evaluator does not support input, or lacks the space for this one.
    fn input(&mut self, _text: &str) -> Result<(), String> {
        Err("programs cannot read input here".into())
    }

    /// Answers a question about names immediately, whatever is running; `None` if it requires a [task](Task::Help).
    fn help(&mut self, question: &Question) -> Option<Help> {
        Some(question.unanswered())
    }

    /// Creates another evaluator with everything defined in this one.
    ///
    /// # Errors
    /// The evaluator cannot be copied, or there is not enough memory.
    fn fork(&mut self) -> Result<BoxedEvaluator, String> {
        Err("an environment cannot be copied here".into())
    }

    /// Releases as much memory as possible: nothing is evaluated for a while.
    fn tidy(&mut self) {}

    /// Returns the abilities beyond evaluating. A server advertises no operation that needs a missing one.
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

setters! {
    Abilities:
    input: bool,
    names: bool,
    copies: bool,
}

impl Abilities {
    /// Every ability.
    pub const ALL: Self = Self {
        input: true,
        names: true,
        copies: true,
    };

    /// Returns true if an operation of a protocol can be carried out with these abilities.
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

/// Creates an evaluator for each new session, when the session first evaluates.
pub type EvaluatorFactory = alloc::sync::Arc<dyn Fn() -> BoxedEvaluator + Send + Sync>;

/// Task of a session's queue.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Task {
    /// Evaluate a program.
    Eval {
        /// The program.
        source: Source,
        /// Size limit of an answer, in bytes. A longer one comes in pages.
        page: usize,
    },
    /// Return the next page of the last program's value.
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
        /// Beginning of the names.
        prefix: String,
    },
    /// Facts about a name.
    LookUp {
        /// The name.
        name: String,
    },
}

/// Answer to a question about names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Help {
    /// Names with the requested prefix, in order.
    Names(Vec<(String, NameKind)>),
    /// Facts about the requested name, if it is known.
    Name(Option<Box<Name>>),
}

impl Question {
    /// Returns the answer of an evaluator without knowledge.
    #[must_use]
    pub fn unanswered(&self) -> Help {
        match self {
            Self::Complete { .. } => Help::Names(Vec::new()),
            Self::LookUp { .. } => Help::Name(None),
        }
    }
}

/// Progress after a slice.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// The fuel is used up, and work remains.
    OutOfFuel,
    /// Nothing remains to do until the waker is woken.
    Waiting,
    /// The program reads, but no input is available. It continues after [`Evaluator::input`].
    NeedsInput,
    /// A form has this value, reported if each form's value is wanted; work remains.
    Form(Answer),
    /// The task has ended with this outcome.
    Done(Outcome),
}

/// Outcome of a task.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// With a value, or the next page of one.
    Value(Answer),
    /// Done; each form's value was reported when it was known.
    Completed,
    /// With the answer to a question about names.
    Help(Help),
    /// With an error of the program, which is a value like any other to the protocol.
    Error(EvalError),
    /// By an interrupt.
    Interrupted,
    /// Not completed: the evaluator itself failed, for example because a board has disconnected.
    Failed(String),
}

/// An error of the program in the form sent to clients.
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
    /// The whole error as its own language prints it, if that is not Zylisp; for example, a traceback.
    pub text: Option<String>,
}

impl EvalError {
    /// Creates an error without a position.
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

/// Formats the kind, the message, and a line for each position; or the text of another language.
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
