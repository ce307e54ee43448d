//! Whatever can evaluate code for a session: the language here, a board, something of your own.

use alloc::string::String;
use core::task::Waker;

use super::{
    answer::{Answer, Building},
    lang::{Error, Interpreter, Step},
};

/// Evaluates one source at a time, in slices.
///
/// A session calls [`begin`](Self::begin), then [`run`](Self::run) until it says [`Progress::Done`], then takes the
/// output. Definitions stay from one source to the next.
pub trait Evaluator {
    /// Makes ready to evaluate `code`. Whatever ran before has ended.
    fn begin(&mut self, code: &str);

    /// Goes on for at most about `fuel` operations of some nanoseconds each; without waiting, whatever happens. An
    /// evaluator that waits for something outside says [`Progress::Waiting`], and wakes `waker` when it has come.
    fn run(&mut self, fuel: u64, waker: &Waker) -> Progress;

    /// Asks what runs to end. `run` is called on, and says soon how it ended: [`Outcome::Interrupted`] as a rule.
    fn interrupt(&mut self);

    /// What was printed since this was last called, and how many bytes of it, at least, were left out.
    fn take_output(&mut self) -> (String, usize);
}

/// How far a slice went.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The fuel is used up; there is more to do.
    OutOfFuel,
    /// Nothing to do until the waker is woken.
    Waiting,
    /// The source has ended like this.
    Done(Outcome),
}

/// How a source ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// With a value.
    Value(Answer),
    /// With an error of the program, which is a value like any other to the protocol.
    Error(EvalError),
    /// By an interrupt.
    Interrupted,
    /// Not at all: the evaluator itself is at fault, such as a board that is gone.
    Failed(String),
}

/// An error of the program as it travels: `{"error": message, "type": kind}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    /// What sort of error, such as `type-error`.
    pub kind: String,
    /// What happened, for people.
    pub message: String,
}

impl From<Error> for EvalError {
    fn from(error: Error) -> Self {
        Self {
            kind: error.kind.name().into(),
            message: error.message,
        }
    }
}

/// The built-in language.
#[derive(Debug)]
pub struct Zylisp {
    interpreter: Interpreter,
    interrupted: bool,
    answer: Option<Building>,
}

impl Zylisp {
    /// An evaluator with this environment.
    #[must_use]
    pub const fn new(interpreter: Interpreter) -> Self {
        Self {
            interpreter,
            interrupted: false,
            answer: None,
        }
    }

    /// Runs the program, or builds the answer that it has come to.
    fn advance(&mut self, fuel: u64) -> Progress {
        let mut fuel = fuel;
        if self.answer.is_none() {
            match self.interpreter.run(fuel) {
                Step::Done(Ok(())) => {}
                Step::Done(Err(error)) => return Progress::Done(Outcome::Error(error.into())),
                _ => return Progress::OutOfFuel,
            }
            // A program that has just ended has left some fuel, if not all of it.
            fuel = fuel.max(1);
        }
        let interpreter = &mut self.interpreter;
        let answer = self
            .answer
            .get_or_insert_with(|| Building::begin(interpreter, ANSWER_LIMIT));
        match answer.step(interpreter, &mut fuel) {
            None => Progress::OutOfFuel,
            Some(answer) => {
                self.answer = None;
                Progress::Done(Outcome::Value(answer))
            }
        }
    }
}

impl Evaluator for Zylisp {
    fn begin(&mut self, code: &str) {
        self.interrupted = false;
        self.answer = None;
        self.interpreter.begin(code);
    }

    fn run(&mut self, fuel: u64, _waker: &Waker) -> Progress {
        if self.interrupted {
            self.interpreter.stop();
            self.answer = None;
            return Progress::Done(Outcome::Interrupted);
        }
        self.advance(fuel)
    }

    fn interrupt(&mut self) {
        self.interrupted = true;
    }

    fn take_output(&mut self) -> (String, usize) {
        self.interpreter.take_output()
    }
}

/// The longest answer that is sent at once, in bytes.
const ANSWER_LIMIT: usize = 4 << 20;

impl<E: Evaluator + ?Sized> Evaluator for alloc::boxed::Box<E> {
    fn begin(&mut self, code: &str) {
        (**self).begin(code);
    }

    fn run(&mut self, fuel: u64, waker: &Waker) -> Progress {
        (**self).run(fuel, waker)
    }

    fn interrupt(&mut self) {
        (**self).interrupt();
    }

    fn take_output(&mut self) -> (String, usize) {
        (**self).take_output()
    }
}
