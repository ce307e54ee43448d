//! Flylead's protocols wired to serial ports, sockets, processes and terminals.
//!
//! ```text
//!   Address ──link::open──► Link ──┐
//!                                  ├──► Driver ──► events, answers
//!   a Machine of flylead-core ─────┘
//! ```
//!
//! A [`link::Link`] is a byte stream to whatever an [`link::Address`] names. A [`Driver`] owns a link and a machine
//! of `flylead_core` and moves bytes, events and time between them.

mod driver;
pub mod link;

pub use driver::{Driver, Gone};
