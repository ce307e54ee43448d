//! What can be wrong with a program.

use alloc::string::String;
use core::fmt;

/// An error of the program, which is data for whoever asked: `{"error": message, "type": kind}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What sort of error, for programs.
    pub kind: ErrorKind,
    /// What happened, for people.
    pub message: String,
}

/// The sorts of errors a program can end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source cannot be read. Nothing of it has run.
    Syntax,
    /// A variable that nobody has defined.
    UnboundVariable,
    /// A value of the wrong type, or a call of something that is no function.
    Type,
    /// A wrong number of arguments.
    Arity,
    /// A division by zero.
    Arithmetic,
    /// Too deep, too large, or too long: one of the [`Limits`](super::Limits).
    Limit,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl ErrorKind {
    /// The name on the wire: the `type` of an error value.
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
