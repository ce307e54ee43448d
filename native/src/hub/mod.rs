//! One owner of boards for many tools.
//!
//! ```text
//!   flylead run ──┐ Unix socket                     ┌── board
//!   flylead repl ─┤                                 │
//!   the page ─────┼──────────► Hub ── a task each ──┼── board
//!   mpremote ─────┘ RFC 2217                        └── board
//! ```
//!
//! A tool that has its **turn** talks to the board as if it had opened the port itself: bytes pass through as they are, so
//! every protocol works unchanged. The others wait in a queue, in the order in which they asked, and learn whom they wait
//! for. Who looks on gets a copy of what programs write. A turn ends when its tool leaves; a tool that vanishes has what it
//! started interrupted, and the board is brought back to its prompt before the next turn.
//!
//! A tool that people type at asks for no turn in advance ([`Ask::shared`](crate::link::turn::Ask::shared)): it has one from the first byte that it sends
//! until the board is at its prompt again and somebody else waits.
//!
//! A tool that is not worth a wait ([`Ask::idle`](crate::link::turn::Ask::idle)) has its turn at once, at a board that is known to be at its prompt and that
//! nobody uses, or not at all.

mod board;
mod boards;
mod connection;
mod door;
mod line;
mod listener;
mod member;
mod owner;
mod patience;
mod recovery;
mod rfc2217;
mod settings;
mod tcp;
mod turns;
mod watch;

pub use board::SharedBoard;
pub use boards::Hub;
pub use listener::Listener;
pub use member::{Closed, Member, MemberReader, MemberWriter, Received};
pub use rfc2217::serve as serve_rfc2217;
