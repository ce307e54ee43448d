//! Tests the language as a whole.

mod evaluation;
mod help;
mod memory;
mod places;
mod slices;
mod superset;

use alloc::string::{String, ToString};

use crate::{Error, Interpreter, Limits, Source, Step};

/// Returns the printed result of a program.
fn run(interpreter: &mut Interpreter, source: impl Into<Source>) -> Result<String, Error> {
    interpreter.begin(source);
    loop {
        if let Step::Done(result) = interpreter.run(1_000) {
            return result.map(|()| interpreter.printed(1 << 20));
        }
    }
}

fn eval(source: &str) -> String {
    text(run(&mut Interpreter::new(Limits::default()), source))
}

fn text(result: Result<String, Error>) -> String {
    result.unwrap_or_else(|error| error.to_string())
}

fn small(memory: usize) -> Interpreter {
    Interpreter::new(Limits {
        memory,
        ..Limits::default()
    })
}
