//! Events and requests of a session.

use alloc::{format, string::String, vec::Vec};
use core::fmt;

use super::{ModuleId, Part};
use crate::raw_repl::{LostReason, Traceback};

/// A request, by the number that its reply carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(pub(crate) u32);

/// An object on the board, valid while the program is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle(pub u32);

/// Event for the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The program's first statement runs.
    Started,
    /// Output of the program, stdout and stderr, which MicroPython sends as one stream.
    Output(Vec<u8>),
    /// The program has stopped.
    Stopped(Stop),
    /// The program continues.
    Continued,
    /// Output of a log breakpoint, or the reason why a condition failed.
    Log {
        /// Module of the breakpoint.
        module: ModuleId,
        /// The line.
        line: u32,
        /// The text.
        text: String,
    },
    /// The answer to a request.
    Replied {
        /// Request that was answered.
        id: RequestId,
        /// Answer, or the reason why there is none.
        reply: Result<Reply, DebugError>,
    },
    /// Breakpoints that could not be set when requested are now set.
    Verified(Vec<BreakpointId>),
    /// Notice for the person.
    Note(Note),
    /// The program has ended, and the board is at its prompt unless it is lost.
    Ended(End),
}

/// A breakpoint, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// Place and reason of a stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Reason for the stop.
    pub reason: Reason,
    /// The known frames, the innermost first.
    pub frames: Vec<Frame>,
    /// The exception, as `repr` writes it.
    pub exception: Option<String>,
    /// Number of the thread; 0 if there is only one.
    pub thread: u64,
    /// Part of an expression that has just got its value, after [`Step::Part`](super::Step::Part).
    pub part: Option<Part>,
}

/// Reason why a program is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The program begins.
    Entry,
    /// A breakpoint.
    Breakpoint,
    /// A step has completed.
    Step,
    /// A pause was requested.
    Pause,
    /// Ctrl-C was sent: the program can be inspected, and continues with `KeyboardInterrupt`.
    Interrupt,
    /// An exception was raised.
    Raised,
    /// An exception was raised that nothing will catch.
    Uncaught,
}

/// A function that has been called and has not returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Module.
    pub module: ModuleId,
    /// Qualified name of the function.
    pub function: String,
    /// The current line; 0 if none has run yet.
    pub line: u32,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The request was carried out.
    Done,
    /// A value.
    Value(Value),
    /// Variables, or the items of a value.
    Variables(Vec<Variable>),
}

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name, the index, or the key as `repr` writes it.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// A value on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Name of the value's type; empty if the board does not report it.
    pub kind: String,
    /// Text as `repr` writes it, truncated if it is long.
    pub text: String,
    /// Handle for its content.
    pub handle: Option<Handle>,
    /// Number of items, if it has items.
    pub length: Option<u32>,
}

/// Reason why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebugError {
    /// The program is not stopped.
    Running,
    /// The frame, handle or variable does not exist.
    Unknown,
    /// The expression raised this exception.
    Raised(String),
    /// The text is not valid Python.
    Syntax,
    /// A variable of a function, on a board whose MicroPython has no `:=`.
    ReadOnly,
    /// The variable belongs to another function; request it there.
    Outer,
    /// A statement deletes a variable of a function, which is impossible from outside.
    Undeletable,
    /// The program was sent without hooks for the parts of expressions, or the board has no `:=`.
    NoParts,
    /// The board did not answer.
    TimedOut,
    /// The session has ended.
    Over,
}

/// Notice for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The board was soft-reset before the program was sent, as requested.
    Reset,
    /// A module could not get hooks, as the board cannot import from the host.
    NoImports {
        /// Path.
        path: String,
    },
    /// The board lacks memory for hooks in all functions: these have none, and are stepped over. Breakpoints in them,
    /// and in their callers, must be set before the program begins.
    SteppedOver {
        /// Functions, by name.
        functions: Vec<String>,
        /// Free memory, in bytes, if the board has enough to report it.
        free: Option<u32>,
        /// Estimate of the memory that the program needs with hooks in all functions, in bytes.
        needed: u32,
    },
    /// The board was lost after an exception had ended the program, and keeps what the debugger put there until it is
    /// reset.
    NotCleaned {
        /// Reason why it is lost.
        reason: LostReason,
    },
}

/// Way in which a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The program reached its end.
    Completed,
    /// An exception ended the program; its line numbers are those of the files.
    Raised(Traceback),
    /// The program raised `SystemExit`.
    Exited,
    /// The board was reset, or its interpreter crashed.
    BoardReset,
    /// The program was terminated on request.
    Terminated,
    /// The board could not be prepared.
    NotReady {
        /// Message of the exception.
        text: String,
    },
    /// The board has disconnected.
    Lost(LostReason),
}

impl fmt::Display for DebugError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running => f.write_str("the program is running; pause it first"),
            Self::Unknown => f.write_str("it does not exist now"),
            Self::Raised(text) => f.write_str(text),
            Self::Syntax => f.write_str("this is not valid Python"),
            Self::ReadOnly => f.write_str(
                "this board's MicroPython lacks `:=` (added in 1.13), so a function's variables are read-only",
            ),
            Self::Outer => f.write_str("this variable belongs to an enclosing function; set it in that function's frame"),
            Self::Undeletable => f.write_str("a local variable cannot be deleted from outside its function; set it to None"),
            Self::NoParts => f.write_str(
                "stepping through the parts of expressions requires MicroPython 1.13 or later, and a program started with --parts \
                 (`parts` in an editor)",
            ),
            Self::TimedOut => f.write_str("the board did not answer in time"),
            Self::Over => f.write_str("the program has ended"),
        }
    }
}

impl core::error::Error for DebugError {}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("the program has reached its end"),
            Self::Raised(traceback) => f.write_str(traceback.text.trim_end()),
            Self::Exited => f.write_str("the program has ended the interpreter"),
            Self::BoardReset => f.write_str("the board was reset, and the program is gone"),
            Self::Terminated => f.write_str("the program was ended"),
            Self::NotReady { text } if text.contains("MemoryError") => {
                f.write_str("the board's memory is full: the debugger does not fit beside the program; leave hooks out of functions without breakpoints, or set fewer breakpoints")
            }
            Self::NotReady { text } => write!(f, "the board cannot debug this: {}", text.trim_end()),
            Self::Lost(reason) => reason.fmt(f),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reset => {
                f.write_str("the board was reset: the state of earlier programs is gone")
            }
            Self::NoImports { path } => write!(
                f,
                "{path}: this board cannot import from this computer, so it uses its own file of that name, where breakpoints have no effect"
            ),
            Self::SteppedOver {
                functions,
                free,
                needed,
            } => {
                let free = free.map_or_else(String::new, |free| format!(", {free} free"));
                write!(
                    f,
                    "not enough memory for hooks in all functions (about {needed} bytes needed{free}); {} stepped over. To stop in one, set a breakpoint in it before the start.",
                    listed(functions)
                )
            }
            Self::NotCleaned { reason } => {
                write!(
                    f,
                    "the board was lost after the program's exception: {reason}"
                )
            }
        }
    }
}

/// Lists the first names, and the number of the others.
fn listed(names: &[String]) -> String {
    let (first, others) = names.split_at(names.len().min(MOST_NAMES));
    let first = first.join(", ");
    match (names.len(), others.len()) {
        (1, _) => format!("{first} is"),
        (_, 0) => format!("{first} are"),
        (_, others) => format!("{first} and {others} more are"),
    }
}

/// Limit of functions that a notice names.
const MOST_NAMES: usize = 8;

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn functions_that_are_stepped_over_are_named() {
        let note = |count: usize, free| {
            let functions = (1..=count).map(|n| format!("f{n}")).collect();
            let needed = 9000;
            Note::SteppedOver {
                functions,
                free,
                needed,
            }
            .to_string()
        };
        let begin = "not enough memory for hooks in all functions (about 9000 bytes needed";
        let end = "stepped over. To stop in one, set a breakpoint in it before the start.";
        assert_eq!(note(1, None), format!("{begin}); f1 is {end}"));
        let two = format!("{begin}, 800 free); f1, f2 are {end}");
        assert_eq!(note(2, Some(800)), two);
        assert!(note(11, None).contains("f7, f8 and 3 more are stepped over"));
    }
}
