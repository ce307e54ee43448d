//! Commands that run programs on a board.

pub(crate) mod debug;
pub(crate) mod eval;
pub(crate) mod exec;
pub(crate) mod mount;
mod program;
pub(crate) mod repl;
pub(crate) mod run;
pub(crate) mod test;
