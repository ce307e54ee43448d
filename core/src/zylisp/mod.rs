#![doc = include_str!("README.md")]

mod address;
mod answer;
mod client;
mod codec;
mod evaluator;
mod go;
mod in_process;
mod message;
mod outgoing;
mod server;
mod session;

pub use address::{Address, AddressError};
pub use answer::{Answer, text_of};
pub use client::{ClientEvent, Reply, ReplyOutcome, RequestError, RequestId, ZylispClient};
pub use codec::{Decoder, Encoding, Malformed, MalformedReason, UnknownEncoding};
pub use evaluator::{EvalError, Evaluator, Outcome, Progress, Zylisp};
pub use in_process::InProcess;
pub use message::{Message, Status};
pub use server::{Finished, ServerConfig, ServerEvent, ServerLost, ZylispServer};
pub use session::{Session, SessionEvent, SessionLimits};

/// The language.
pub use zylisp_lang as lang;

#[cfg(test)]
mod tests;
