//! The Zylisp remote REPL.

pub mod lang;
