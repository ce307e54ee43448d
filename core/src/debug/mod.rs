#![doc = include_str!("README.md")]

pub mod dap;
mod debugger;
mod rewrite;
mod runtime;
mod session;
mod source;
mod wire;

pub use debugger::Debugger;
pub use rewrite::{Dialect, Piece, with_hooks};
pub use runtime::{Polls, Runtime};
pub use session::{
    Action, Breakpoint, BreakpointId, BreakpointProblem, BreakpointStatus, Container, DebugError,
    End, Event, ExceptionConditions, Exceptions, File, Frame, Handle, Launch, ModuleId, Note, Part,
    Position, Project, Reason, Reply, RequestId, Session, Step, Stop, Value, Variable,
};
pub(crate) use source::is_expression;
pub use source::{Function, FunctionId, Kind, Module, Reach, Refusal, SyntaxError, Unstoppable};
