//! Owns boards, and shares them among many tools.
//!
//! ```text
//!   flylead run ──┐ Unix socket                     ┌── board
//!   flylead repl ─┤                                 │
//!   the page ─────┼──────────► Hub ── a task each ──┼── board
//!   mpremote ─────┘ RFC 2217                        └── board
//! ```
//!
//! A tool that has its **turn** talks to the board as if it had opened the port itself: bytes pass through as they are,
//! so every protocol works unchanged. The others wait in a queue, in the order of their requests, and learn which tool
//! they wait for. Observers get a copy of the output of programs. A turn ends when its tool leaves; if a tool vanishes,
//! its program is interrupted, and the board is brought back to its prompt before the next turn.
//!
//! An interactive tool requests no turn in advance ([`Ask::shared`](crate::link::turn::Ask::shared)): its turn lasts
//! from the first byte that it sends until the board is at its prompt again and another tool waits. A half-typed line
//! is removed after a second, and typed again with the next key.
//!
//! A tool that must not wait ([`Ask::idle`](crate::link::turn::Ask::idle)) gets its turn at once, if the board is known
//! to be at its prompt and unused, or not at all.
//!
//! [The README](https://github.com/flylead/flylead/blob/main/native/src/hub/README.md) describes the connection between a
//! hub and its clients.

mod board;
mod boards;
mod connection;
mod listener;
mod member;
mod owner;
#[doc(hidden)]
pub mod places;
mod rfc2217;
mod status;
mod turns;
mod watch;

pub use board::SharedBoard;
pub use boards::Hub;
pub use listener::Listener;
pub use member::{Closed, Member, MemberReader, MemberWriter, Received};
pub use rfc2217::serve as serve_rfc2217;
pub use status::{Activity, Status};
