//! Flylead's tools for assistants, over the Model Context Protocol.
//!
//! ```text
//!   assistant ──tools/call──► Server ──► Ports ──► one worker a port ──► Device ──► Link
//!                                            └───► Board, for as long as a call takes
//! ```
//!
//! A port is opened once, by its first call, and stays open and read until nothing has used it for five minutes: what
//! a device says between two calls is kept, and no board is reset by opening its port again.

mod answer;
mod board;
mod http;
mod ports;
mod server;
mod tools;
mod worker;

pub(crate) use http::serve_http;
pub(crate) use ports::{AllowedPorts, Settings};
pub(crate) use server::{Server, ToolNames};
