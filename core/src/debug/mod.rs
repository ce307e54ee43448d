#![doc = include_str!("README.md")]

mod rewrite;
mod runtime;
mod source;

pub use rewrite::{Dialect, Piece, with_hooks};
pub use runtime::Runtime;
pub use source::{Function, FunctionId, Kind, Module, Reach, Refusal, SyntaxError, Unstoppable};
