//! Errors of a program, and their places.

use alloc::{format, string::String, sync::Arc, vec::Vec};
use core::fmt;

use crate::place::Place;

/// An error of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Kind of error, for programs.
    pub kind: ErrorKind,
    /// Message for people.
    pub message: String,
    /// Places in the source: first the fault, then the calls that led to it, innermost first. A syntax error has one
    /// entry.
    pub trace: Vec<Call>,
    /// Number of calls omitted from the middle of a long trace.
    pub omitted: usize,
}

/// An entry of an error's trace: an active function, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name of the function by its `define`; `None` outside of all functions, and for a function
    /// without a name.
    pub function: Option<String>,
    /// Name of its source, if it has one.
    pub source: Option<Arc<str>>,
    /// Form being evaluated there.
    pub place: Place,
}

/// Kind of error with which a program can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source cannot be read. Nothing of it has run.
    Syntax,
    /// The variable is not defined.
    UnboundVariable,
    /// A value has the wrong type, or the called value is not a function.
    Type,
    /// The number of arguments is wrong.
    Arity,
    /// The divisor is zero.
    Arithmetic,
    /// One of the [`Limits`](crate::Limits) was exceeded.
    Limit,
}

impl Error {
    /// Returns the place of the error.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.trace.first().map(|call| call.place)
    }
}

impl ErrorKind {
    /// Returns the printed name, such as `type-error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax-error",
            Self::UnboundVariable => "unbound-variable",
            Self::Type => "type-error",
            Self::Arity => "arity-error",
            Self::Arithmetic => "arithmetic-error",
            Self::Limit => "limit-error",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl core::error::Error for Error {}

/// Formats `in NAME at FILE:LINE:COLUMN`, as far as known.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = &self.function {
            write!(f, "in {function} ")?;
        }
        let Place { line, column } = self.place;
        match &self.source {
            Some(source) => write!(f, "at {source}:{line}:{column}"),
            None => write!(f, "at line {line}, column {column}"),
        }
    }
}

/// Fault whose place has not been determined yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn memory_full(limit: usize) -> Self {
        let message = format!("the program needs more than {limit} bytes of memory");
        Self::new(ErrorKind::Limit, message)
    }

    pub(crate) fn budget_spent(limit: usize) -> Self {
        let message = format!(
            "there is no memory left: all programs together use the {limit} bytes that they may use"
        );
        Self::new(ErrorKind::Limit, message)
    }

    pub(crate) fn with_trace(self, trace: Vec<Call>, omitted: usize) -> Error {
        Error {
            kind: self.kind,
            message: self.message,
            trace,
            omitted,
        }
    }
}
