//! The agent as a person works with it: its loop, its workspace, its questions, and what reaches the terminal.
#![cfg(unix)]

mod daily;
mod git;
mod keys;
mod person;
mod refused;
mod session;
mod state;
mod terminal;
mod terminal_safety;
mod turns;
mod view;
mod workspace;
