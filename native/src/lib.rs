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

#[cfg(feature = "agent")]
pub mod agent;
mod board;
pub mod deploy;
#[cfg(feature = "export")]
pub mod export;
pub mod flash;
pub mod hub;
pub mod link;
pub mod literal;
mod os;
mod run;
pub mod zylisp;

#[cfg(feature = "agent")]
pub use agent::{shell, workspace};
pub use board::{Board, BoardError, BoardState, Driver, Gone, Program, Reading, Trace};
#[cfg(feature = "backup")]
pub use deploy::backup;
pub use deploy::{check, install, romfs};
#[doc(hidden)]
pub use hub::places;
pub use link::{doctor, labgrid};
#[cfg(any(feature = "editors", feature = "testing"))]
#[doc(hidden)]
pub use os::stack::on_deep_stack;
#[doc(hidden)]
pub use os::time::sleep_until;
pub use os::{disk, random::random_hex, state};
#[cfg(feature = "debug")]
pub use run::debug;
pub use run::{mount, testing};
