//! Types that describe a debugged program.

use flylead_core::{debug as core, raw_repl};
use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::{
    binding::error::{Error, ErrorKind},
    binding::values::{self, words},
    types::Traceback,
};

/// Place of a stop.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct DebugBreakpoint {
    /// Line, from 1. A breakpoint on a line without code moves to the next line with code.
    pub line: u32,
    /// Stops only if this expression is true.
    #[serde(default)]
    #[tsify(optional)]
    pub condition: Option<String>,
    /// Stops only at certain hits: `5` or `==5`, `>=5`, `>5`, `<5`, `<=5`, `%5`.
    #[serde(default)]
    #[tsify(optional)]
    pub hits: Option<String>,
    /// Logs this message instead of stopping; expressions in braces are evaluated.
    #[serde(default)]
    #[tsify(optional)]
    pub log: Option<String>,
}

/// State of a breakpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct DebugBreakpointStatus {
    /// Number that `verified` refers to.
    pub id: u32,
    /// Line at which the program stops, if it can.
    pub line: Option<u32>,
    /// Reason why it does not stop there, or not yet, for the user.
    pub problem: Option<String>,
}

/// Container of variables: a frame's locals or its module's globals, with the frame's place in the stack, from 0; or
/// the items of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum DebugContainer {
    /// Locals of a frame.
    Locals(usize),
    /// Globals of a frame's module.
    Globals(usize),
    /// Items of a value, from `start` on.
    Items {
        /// The value's `handle`.
        of: u32,
        /// First item, from 0.
        start: u32,
        /// Number of variables.
        count: u32,
    },
}

/// A value on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct DebugValue {
    /// Name of its type; empty if the board does not report it.
    pub r#type: String,
    /// Text as `repr` writes it, truncated if it is long.
    pub text: String,
    /// Handle for its content, valid while the program is stopped.
    pub handle: Option<u32>,
    /// Number of items, if it has items.
    pub length: Option<u32>,
}

/// A variable, or an item of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct DebugVariable {
    /// Name, index, or key as `repr` writes it.
    pub name: String,
    /// Name of its type; empty if the board does not report it.
    pub r#type: String,
    /// Text as `repr` writes it, truncated if it is long.
    pub text: String,
    /// Handle for its content, valid while the program is stopped.
    pub handle: Option<u32>,
    /// Number of items, if it has items.
    pub length: Option<u32>,
}

/// Function that was called and has not returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct DebugFrame {
    /// File, by its name in the application.
    pub file: String,
    /// Line, from 1; 0 before the first line has run.
    pub line: u32,
    /// Name, qualified by the enclosing ones; `<module>` for a module's own statements.
    pub function: String,
}

/// Part of an expression, with the value that it has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct DebugPart {
    /// Text in the file.
    pub expression: String,
    /// Value as `repr` writes it, truncated if it is long.
    pub value: String,
    /// Text with the values of its own parts, from which the value came.
    pub becoming: String,
    /// Statement with the values of the parts that have one.
    pub statement: String,
    /// Beginning of the value in `statement`, in UTF-16 code units.
    pub at: u32,
    /// Length of the value in `statement`; 0 if the part is not of this statement.
    pub length: u32,
}

/// Exceptions at which a program stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DebugExceptions {
    /// Stops at all raised exceptions. Default `false`.
    pub raised: bool,
    /// Stops at exceptions that nothing will catch. Default `false`.
    pub uncaught: bool,
}

/// Way in which a stopped program continues: to the next breakpoint; to the next line, in a called
/// function if there is one; to the next line of this function, or of its caller when it returns;
/// to the next line of the caller; to the next part of an expression that has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum DebugStep {
    /// To the next breakpoint.
    Continue,
    /// To the next line, even in another function.
    Into,
    /// To the next line of this function.
    Over,
    /// To the next line of the caller.
    Out,
    /// To the next part of an expression, with the option `parts`.
    Part,
}

words! {
    /// Reason why a program is stopped: its start, a breakpoint, the end of a step, a request,
    /// Ctrl-C (it continues with `KeyboardInterrupt`), an exception, or one that nothing will
    /// catch.
    DebugReason of core::Reason {
        /// The program starts.
        Entry,
        /// A breakpoint was reached.
        Breakpoint,
        /// A step has ended.
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
}

words! {
    /// Reason why a request to a stopped program failed: it runs; the frame, handle or variable does not exist; the
    /// expression raised an exception; it is not valid Python; this board cannot set the variable, it belongs to
    /// another function, or it is a function's and would be deleted; the program has no hooks for parts of
    /// expressions; the board did not answer; the program has ended.
    DebugErrorCode of core::DebugError {
        /// The program is not stopped.
        Running,
        /// The frame, handle or variable does not exist.
        Unknown,
        /// The expression raised an exception.
        Raised,
        /// The text is not valid Python.
        Syntax,
        /// This board's MicroPython cannot set the variable.
        ReadOnly,
        /// The variable belongs to another function.
        Outer,
        /// The variable would be deleted, and is a function's.
        Undeletable,
        /// The program was started without the option `parts`, or the board has no `:=`.
        NoParts,
        /// The board did not answer.
        TimedOut,
        /// The program has ended.
        Over,
    }
}

/// Event of a debugged program. `started`: its first statement runs. `output`: it printed. `stopped`: it is stopped,
/// with its innermost frame first. `continued`: it runs again. `log`: output of a log breakpoint. `verified`:
/// breakpoints that could not be set at once are now set. `note`: a notice for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum DebugEvent {
    /// The first statement runs.
    Started,
    /// The program printed.
    Output {
        /// Data as received: stdout and stderr, which MicroPython sends as one stream.
        #[serde(serialize_with = "values::byte_array")]
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        bytes: Vec<u8>,
    },
    /// The program is stopped.
    Stopped {
        /// Reason for the stop.
        reason: DebugReason,
        /// Known frames, innermost first.
        frames: Vec<DebugFrame>,
        /// Exception, as `repr` writes it.
        exception: Option<String>,
        /// Part of an expression that has just got its value, after a step to it.
        part: Option<DebugPart>,
    },
    /// The program runs again.
    Continued,
    /// A log breakpoint has a message, or a condition could not be evaluated.
    Log {
        /// File of the breakpoint.
        file: String,
        /// The line.
        line: u32,
        /// Text of the message.
        text: String,
    },
    /// Breakpoints are now set.
    Verified {
        /// Numbers of the breakpoints.
        ids: Vec<u32>,
    },
    /// A notice for the user.
    Note {
        /// Text of the notice.
        text: String,
    },
}

/// End of a debugged program. `notReady`: the board cannot debug it, and `why` gives the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum DebugEnd {
    /// The program reached its end.
    Completed,
    /// An exception ended it.
    Raised {
        /// Exception and its place, with the lines of the original files.
        traceback: Traceback,
    },
    /// The program raised `SystemExit`.
    Exited,
    /// The board was reset, or its interpreter crashed.
    Restarted,
    /// The program was ended on request.
    Terminated,
    /// The board could not be prepared.
    NotReady {
        /// Reason, for the user.
        why: String,
    },
}

impl DebugEnd {
    /// Converts the end, or returns the reason for the loss of the board.
    pub(super) fn new(end: &core::End) -> Result<Self, &raw_repl::LostReason> {
        Ok(match end {
            core::End::Completed => Self::Completed,
            core::End::Raised(traceback) => Self::Raised {
                traceback: traceback.into(),
            },
            core::End::Exited => Self::Exited,
            core::End::BoardReset => Self::Restarted,
            core::End::Terminated => Self::Terminated,
            core::End::NotReady { .. } => Self::NotReady {
                why: end.to_string(),
            },
            core::End::Lost(reason) => return Err(reason),
        })
    }
}

impl From<DebugBreakpoint> for core::Breakpoint {
    fn from(wish: DebugBreakpoint) -> Self {
        Self {
            line: wish.line,
            condition: wish.condition,
            hits: wish.hits,
            log: wish.log,
        }
    }
}

impl From<core::BreakpointStatus> for DebugBreakpointStatus {
    fn from(status: core::BreakpointStatus) -> Self {
        Self {
            id: status.id.0,
            line: status.line,
            problem: status.problem.map(|problem| problem.to_string()),
        }
    }
}

impl From<DebugContainer> for core::Container {
    fn from(container: DebugContainer) -> Self {
        match container {
            DebugContainer::Locals(frame) => Self::Locals(frame),
            DebugContainer::Globals(frame) => Self::Globals(frame),
            DebugContainer::Items { of, start, count } => Self::Items {
                of: core::Handle(of),
                start,
                count,
            },
        }
    }
}

impl From<DebugExceptions> for core::Exceptions {
    fn from(DebugExceptions { raised, uncaught }: DebugExceptions) -> Self {
        Self { raised, uncaught }
    }
}

impl From<DebugStep> for core::Step {
    fn from(step: DebugStep) -> Self {
        match step {
            DebugStep::Continue => Self::Continue,
            DebugStep::Into => Self::Into,
            DebugStep::Over => Self::Over,
            DebugStep::Out => Self::Out,
            DebugStep::Part => Self::Part,
        }
    }
}

impl From<core::Value> for DebugValue {
    fn from(value: core::Value) -> Self {
        Self {
            r#type: value.kind,
            text: value.text,
            handle: value.handle.map(|handle| handle.0),
            length: value.length,
        }
    }
}

impl From<core::Variable> for DebugVariable {
    fn from(variable: core::Variable) -> Self {
        let value = DebugValue::from(variable.value);
        Self {
            name: variable.name,
            r#type: value.r#type,
            text: value.text,
            handle: value.handle,
            length: value.length,
        }
    }
}

impl From<core::DebugError> for Error {
    fn from(error: core::DebugError) -> Self {
        let code = (&error).into();
        Self::new(ErrorKind::Debug { code }, error)
    }
}
