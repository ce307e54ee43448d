//! A function, as its text tells.

use alloc::{collections::BTreeSet, string::String};
use core::fmt;

use super::{FunctionId, scope::Variables};

/// Facts about a function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Name; empty for the module's body.
    pub name: String,
    /// Name with those of the classes and functions around it, with dots between.
    pub qualified_name: String,
    /// The line of its `def`.
    pub line: u32,
    /// Last line.
    pub last_line: u32,
    /// Kind of function.
    pub kind: Kind,
    /// Reason why it cannot have hooks.
    pub refusal: Option<Refusal>,
    pub(crate) parent: Option<FunctionId>,
    pub(crate) variables: Variables,
    pub(crate) mentions: BTreeSet<String>,
    /// Offset of its statement, its decorators included.
    pub(crate) start: usize,
}

impl Function {
    /// The names of its variables: parameters, local ones, and those of functions around it that it uses.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.all().map(String::as_str)
    }

    /// The names of its parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.own_variables().take(self.variables.parameters)
    }

    /// The names of its parameters and local variables.
    pub fn own_variables(&self) -> impl Iterator<Item = &str> {
        self.variables.own.iter().map(String::as_str)
    }
}

/// Kind of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The module's own statements.
    Body,
    /// A function or method.
    Function,
    /// A function that yields.
    Generator,
    /// An `async` function.
    Coroutine,
}

/// Reason why a function cannot have hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It is compiled to machine code that is not Python: `@micropython.viper` or an assembler's.
    MachineCode,
    /// It yields within `async`, which no MicroPython has.
    AsyncGenerator,
    /// It has more variables than a function of MicroPython's can take.
    TooManyVariables,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MachineCode => "a program cannot stop in this function, which is machine code",
            Self::AsyncGenerator => "a program cannot stop in an asynchronous generator",
            Self::TooManyVariables => {
                "a program cannot stop in a function with more than 200 variables"
            }
        })
    }
}

/// The most variables that a function with hooks may have; the closure that reads them takes each as an argument, and
/// MicroPython counts those in a byte (`py/emitbc.c`, `mp_emit_bc_make_closure`).
pub(crate) const MOST_VARIABLES: usize = 200;
