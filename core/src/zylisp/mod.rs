//! The Zylisp remote REPL: a client evaluates code in a server's session.
//!
//! ```text
//!  ZylispClient ── request ──► ZylispServer ─► Evaluator
//!               ◄── reply ───  └──────── Session ──────┘
//! ```
//!
//! A request is one [`Message`] with an `op` and an `id`, a reply is one with that id and a status. They are written
//! as JSON or as MessagePack ([`Encoding`]). Errors of a program are data, `{"error": …, "type": …}` in `value`;
//! `protocol_error` is for the protocol alone. A connection is a session: an environment of its own, which nobody
//! else sees.
//!
//! ```
//! use core::task::Waker;
//! use flylead_core::{Input, Instant, zylisp::*};
//!
//! let zylisp = Zylisp::new(lang::Interpreter::new(lang::Limits::default()));
//! let now = Instant::START;
//! let mut session = Session::new(now, ServerConfig::default(), SessionLimits::default(), zylisp);
//! session.handle_input(now, Input::Bytes(br#"{"op":"eval","id":"1","code":"(+ 1 2)"}"#));
//! while session.is_busy() {
//!     session.run(now, 10_000, Waker::noop());
//! }
//! let reply = session.take_transmit();
//! assert_eq!(reply, b"{\"id\":\"1\",\"value\":3,\"output\":\"\",\"status\":[\"done\"]}\n");
//! ```

mod address;
mod client;
mod codec;
mod evaluator;
mod go;
pub mod lang;
mod message;
mod server;
mod session;

pub use address::{Address, AddressError};
pub use client::{ClientEvent, Reply, ReplyOutcome, RequestError, RequestId, ZylispClient};
pub use codec::{Decoder, Encoding, Malformed, MalformedReason, UnknownEncoding};
pub use evaluator::{EvalError, Evaluator, Outcome, Progress, Zylisp};
pub use message::{Message, Status};
pub use server::{Finished, ServerConfig, ServerEvent, ServerLost, ZylispServer};
pub use session::{Session, SessionEvent, SessionLimits};

#[cfg(test)]
mod tests;
