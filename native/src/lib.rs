//! Runs Flylead's protocols on serial ports, sockets, processes and terminals.
//!
//! ```text
//!   Address ──link::open──► Link ──┐
//!                                  ├──► Driver ──► events, answers
//!   a Machine of flylead-core ─────┘
//! ```
//!
//! A [`link::Link`] is a byte stream to the peer that a [`link::Address`] names. A [`Driver`] owns a link and a machine
//! of `flylead_core` and moves bytes, events and time between them.

#![warn(clippy::missing_errors_doc)]

pub mod agent;
#[cfg(feature = "cli")]
pub mod backup;
mod board;
mod board_error;
pub mod check;
#[cfg(feature = "debug")]
pub mod debug;
pub mod deploy;
pub mod doctor;
mod driver;
pub mod export;
mod expression;
mod files;
pub mod flash;
pub mod hub;
pub mod install;
pub mod labgrid;
pub mod link;
pub mod literal;
pub mod mount;
mod os;
#[doc(hidden)]
pub mod places;
pub mod romfs;
pub mod shell;
pub mod testing;
mod trace;
pub mod workspace;
pub mod zylisp;

pub use board::{Board, BoardState, Program};
pub use board_error::BoardError;
pub use driver::{Driver, Gone};
pub use files::Reading;
pub use os::{disk, random::random_hex, state};
pub use trace::Trace;
