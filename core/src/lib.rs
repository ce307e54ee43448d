//! The protocols of the bench as pure state machines: bytes and time go in, bytes and events come out.
//!
//! ```text
//!             bytes in ─────►┌─────────┐─────► bytes out
//!    the peer closed ───────►│         │
//!    time is now t ─────────►│ Machine │─────► events for the application
//!                            │         │
//!    exec("print(1)") ──────►│         │─────► wake me at t'
//!        (commands)          └─────────┘
//! ```
//!
//! Nothing in this crate does I/O, reads a clock, starts a thread or knows JavaScript. A driver owns a [`Pump`]
//! around one [`Machine`] and moves bytes, events and time between it and the world.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod agent;
pub mod board;
#[cfg(feature = "debug")]
pub mod debug;
pub mod export;
mod hexadecimal;
pub mod lines;
mod machine;
mod pump;
pub mod raw_repl;
pub mod rfc2217;
mod time;
pub mod trace;
pub mod zylisp;

pub use machine::{Input, Machine, Output};
pub use pump::Pump;
pub use time::Instant;
