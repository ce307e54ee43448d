//! What a session tells, and what it is asked.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::ModuleId;
use crate::raw_repl::{LostReason, Traceback};

/// A request, by the number that its reply carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(pub(crate) u32);

/// An object on the board, for as long as the program is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle(pub u32);

/// What the application learns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The program's first statement runs.
    Started,
    /// What the program prints, stdout and stderr, which MicroPython sends as one stream.
    Output(Vec<u8>),
    /// The program waits.
    Stopped(Stop),
    /// The program runs on.
    Continued,
    /// What a log breakpoint says, or why a condition could not be told.
    Log {
        /// Where.
        module: ModuleId,
        /// The line.
        line: u32,
        /// The text.
        text: String,
    },
    /// The answer to a request.
    Replied {
        /// To which.
        id: RequestId,
        /// It, or why there is none.
        reply: Result<Reply, DebugError>,
    },
    /// Breakpoints that could not be set when they were asked for are set now.
    Verified(Vec<BreakpointId>),
    /// Something that a person should know.
    Note(Note),
    /// The program is over, and the board is at its prompt unless it is lost.
    Ended(End),
}

/// A breakpoint, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BreakpointId(pub u32);

/// Where and why a program waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Why.
    pub reason: Reason,
    /// The frames that are known, the innermost first.
    pub frames: Vec<Frame>,
    /// The exception, as `repr` writes it.
    pub exception: Option<String>,
    /// The number of the thread, 0 where there is but one.
    pub thread: u64,
}

/// Why a program waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It begins.
    Entry,
    /// A breakpoint.
    Breakpoint,
    /// A step is done.
    Step,
    /// It was asked to.
    Pause,
    /// Ctrl-C: the program can be looked at, and goes on with `KeyboardInterrupt`.
    Interrupt,
    /// An exception was raised.
    Raised,
    /// An exception was raised that nothing will catch.
    Uncaught,
}

/// A function that has been called and has not returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its module.
    pub module: ModuleId,
    /// Its function's name with those around it.
    pub function: String,
    /// The line that runs; 0 where none has run yet.
    pub line: u32,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It is done.
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
    /// The name of its type; empty where the board does not say.
    pub kind: String,
    /// As `repr` writes it, cut where it is long.
    pub text: String,
    /// Where to ask for what is in it.
    pub handle: Option<Handle>,
    /// How many items it has, if it has items.
    pub length: Option<u32>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebugError {
    /// The program is not stopped.
    Running,
    /// There is no such frame, handle or variable.
    Unknown,
    /// What was asked for raised this exception.
    Raised(String),
    /// The text is no Python.
    Syntax,
    /// A variable of a function, on a board whose MicroPython has no `:=`.
    ReadOnly,
    /// A variable that belongs to another function, which is to be asked.
    Outer,
    /// The board did not answer.
    TimedOut,
    /// The session is over.
    Over,
}

/// What a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The board was soft-reset before the program was sent, as it was asked to.
    Reset,
    /// A module could not be given hooks, as the board cannot import from the host.
    NoImports {
        /// Its path.
        path: String,
    },
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The program reached its end.
    Completed,
    /// An exception ended it; the lines are those of the files.
    Raised(Traceback),
    /// It raised `SystemExit`.
    Exited,
    /// The board was reset, or its interpreter crashed.
    BoardReset,
    /// It was told to end.
    Terminated,
    /// The board could not be made ready.
    NotReady {
        /// What it said.
        text: String,
    },
    /// The board is gone.
    Lost(LostReason),
}

impl fmt::Display for DebugError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running => f.write_str("the program is running; pause it first"),
            Self::Unknown => f.write_str("there is no such thing now"),
            Self::Raised(text) => f.write_str(text),
            Self::Syntax => f.write_str("this is no Python"),
            Self::ReadOnly => f.write_str(
                "this board's MicroPython has no `:=` (1.13 and later have), so a function's variables can only be read",
            ),
            Self::Outer => f.write_str("this variable belongs to a function around this one; set it in that one's frame"),
            Self::TimedOut => f.write_str("the board did not answer in time"),
            Self::Over => f.write_str("the program is over"),
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
                f.write_str("the board's memory is full: there is no room for the debugger beside the program; set fewer breakpoints, or none in its callers")
            }
            Self::NotReady { text } => write!(f, "the board cannot debug this: {}", text.trim_end()),
            Self::Lost(reason) => reason.fmt(f),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reset => f.write_str("the board was reset: nothing is left of earlier programs"),
            Self::NoImports { path } => write!(
                f,
                "{path}: this board cannot import from this computer, so it takes its own file of that name, in which nothing stops"
            ),
        }
    }
}
