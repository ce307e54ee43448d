//! `flylead mcp` against clients that nobody here wrote and one written by hand, and devices and boards on
//! pseudo-terminals.
#![cfg(unix)]

mod boards;
mod by_hand;
mod clients;
mod http;
mod ports;
mod schemas;
mod strangers;
mod words;

const FLYLEAD: &str = env!("CARGO_BIN_EXE_flylead");
