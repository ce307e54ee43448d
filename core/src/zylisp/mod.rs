//! The Zylisp remote REPL.
