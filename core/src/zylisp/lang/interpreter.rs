//! One environment, and the program that runs in it.

use alloc::{format, string::String};
use core::mem;

use super::{
    answer::Answer,
    compile::compile,
    error::{Error, ErrorKind},
    machine::Machine,
    primitive::Primitive,
    print::{Names, Output},
    reader::read,
    symbol::Symbols,
    value::Value,
};

/// What a program may use.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Memory of the environment and the running program together, in bytes. Counted closely, not exactly.
    pub memory: usize,
    /// Calls that wait for others. A tail call is not one.
    pub depth: usize,
    /// Printed output that is kept, in bytes. The rest is counted.
    pub output: usize,
    /// The answer, in bytes.
    pub answer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            depth: 200_000,
            output: 256 << 10,
            answer: 4 << 20,
        }
    }
}

/// How far a slice of fuel took a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The fuel is used up; run it again.
    OutOfFuel,
    /// The program has ended. Until another is begun there is nothing to run.
    Done(Result<Answer, Error>),
}

/// An environment: what was defined stays defined, from one program to the next.
#[derive(Debug)]
pub struct Interpreter {
    symbols: Symbols,
    machine: Machine,
    refused: Option<Error>,
    limits: Limits,
}

impl Interpreter {
    /// An environment with nothing but the language's own functions.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let mut symbols = Symbols::new();
        let mut machine = Machine::new(limits.clone());
        for (symbol, primitive) in Primitive::all(&mut symbols) {
            machine.set_global(symbol, Value::Primitive(primitive));
        }
        Self {
            symbols,
            machine,
            refused: None,
            limits,
        }
    }

    /// Makes ready to evaluate all forms of `source`, giving up whatever ran before. If the source cannot be read,
    /// nothing of it runs, and the next [`run`](Self::run) says why.
    pub fn begin(&mut self, source: &str) {
        self.stop();
        self.refused = self.prepare(source).err();
    }

    /// Evaluates for at most about `fuel` operations. An operation takes some nanoseconds.
    pub fn run(&mut self, fuel: u64) -> Step {
        if let Some(error) = self.refused.take() {
            return Step::Done(Err(error));
        }
        match self.machine.run(fuel, &self.symbols) {
            Ok(None) => Step::OutOfFuel,
            Ok(Some(value)) => self.done(value),
            Err(error) => {
                self.machine.stop();
                Step::Done(Err(error))
            }
        }
    }

    /// Gives up what runs. What it has defined stays.
    pub fn stop(&mut self) {
        self.machine.stop();
        self.refused = None;
    }

    /// What was printed since this was last called, and how many bytes, at least, were left out of it because it was
    /// too long.
    pub fn take_output(&mut self) -> (String, usize) {
        let output = mem::replace(&mut self.machine.output, Output::new(self.limits.output));
        let omitted = output.omitted();
        (output.into_text(), omitted)
    }

    fn prepare(&mut self, source: &str) -> Result<(), Error> {
        let tree = read(source, &mut self.symbols, self.limits.memory)?;
        if self.symbols.bytes() > self.limits.memory / 2 {
            return Err(memory_full(self.limits.memory));
        }
        let unit = compile(&tree, &self.symbols, &mut self.machine.heap)?;
        self.machine.start(unit, &self.symbols);
        Ok(())
    }

    fn done(&mut self, value: Value) -> Step {
        let names = Names::new(&self.machine.heap, &self.symbols);
        let answer = Answer::new(value, names, self.limits.answer);
        self.machine.stop();
        Step::Done(answer)
    }
}

pub(super) fn memory_full(limit: usize) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("the program needs more than {limit} bytes of memory"),
    )
}
