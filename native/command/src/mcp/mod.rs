//! Flylead's tools for assistants, over the Model Context Protocol.
//!
//! ```text
//!   assistant ──tools/call──► Server ──► serial ──► Ports ──► one Worker a port ──► Device ──► Link
//!                               ├──────► board, files, folders ──► Board, for as long as a call takes
//!                               └──────► logs and long outputs, as resources; prompts
//! ```
//!
//! A port is opened once, by its first call, and stays open and read until it has been unused for five minutes: output
//! between two calls is kept, and no board is reset by reopening its port. Looking at a port never waits; using it
//! takes a turn.

mod answer;
mod arguments;
mod board;
pub(crate) mod command;
mod gate;
mod logs;
mod names;
mod outputs;
mod port;
mod ports;
mod progress;
mod serial;
mod server;
mod tools;
