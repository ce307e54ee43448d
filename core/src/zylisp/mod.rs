#![doc = include_str!("README.md")]

mod address;
mod client;
mod codec;
mod evaluator;
mod go;
mod in_process;
pub mod lang;
mod message;
mod outgoing;
mod server;
mod session;

pub use address::{Address, AddressError};
pub use client::{ClientEvent, Reply, ReplyOutcome, RequestError, RequestId, ZylispClient};
pub use codec::{Decoder, Encoding, Malformed, MalformedReason, UnknownEncoding};
pub use evaluator::{EvalError, Evaluator, Outcome, Progress, Zylisp};
pub use in_process::InProcess;
pub use message::{Message, Status};
pub use server::{Finished, ServerConfig, ServerEvent, ServerLost, ZylispServer};
pub use session::{Session, SessionEvent, SessionLimits};

#[cfg(test)]
mod tests;
