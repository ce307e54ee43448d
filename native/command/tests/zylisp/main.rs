//! `flylead zylisp` as a person, a script or an editor sees it.
#![cfg(unix)]

mod command;
mod common;
mod limits;
mod nrepl;
mod repl;
