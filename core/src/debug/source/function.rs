//! A function, as described by its text.

use alloc::{collections::BTreeSet, string::String};
use core::fmt;

use super::{FunctionId, scope::Variables};

/// Facts about a function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Name; empty for the module's body.
    pub name: String,
    /// Name qualified by the enclosing classes and functions, separated by dots.
    pub qualified_name: String,
    /// Line of its `def`.
    pub line: u32,
    /// Last line.
    pub last_line: u32,
    /// Kind of function.
    pub kind: Kind,
    /// Reason why the function cannot have hooks.
    pub refusal: Option<Refusal>,
    pub(crate) parent: Option<FunctionId>,
    pub(crate) variables: Variables,
    pub(crate) mentions: BTreeSet<String>,
    /// Offset of its statement, including decorators.
    pub(crate) start: usize,
}

impl Function {
    /// Iterates over the names of its variables: parameters, local ones, and variables of enclosing functions that it
    /// uses.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.all().map(String::as_str)
    }

    /// Iterates over the names of its parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.own_variables().take(self.variables.parameters)
    }

    /// Iterates over the names of its parameters and local variables.
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
    /// The function is compiled to machine code: `@micropython.viper` or an assembler's.
    MachineCode,
    /// The function yields within `async`, which MicroPython does not support.
    AsyncGenerator,
    /// The function has more variables than a function of MicroPython can have.
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

/// Limit of variables in a function with hooks; the closure that reads them takes each as an argument, and MicroPython
/// counts those in a byte (`py/emitbc.c`, `mp_emit_bc_make_closure`).
pub(crate) const MOST_VARIABLES: usize = 200;
