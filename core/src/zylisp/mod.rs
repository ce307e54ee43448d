#![doc = include_str!("README.md")]

mod address;
mod answer;
mod client;
pub(crate) mod codec;
pub(crate) mod evaluator;
mod in_process;
mod language;
mod message;
pub(crate) mod server;
pub(crate) mod session;

pub use address::{Address, AddressError};
pub use answer::{Answer, text_of};
pub use client::{
    ClientEvent, Program, Reply, ReplyOutcome, RequestError, RequestId, ZylispClient,
};
pub use codec::{Decoder, Encoding, Malformed, MalformedReason, UnknownEncoding};
pub use evaluator::{
    Abilities, BoxedEvaluator, EvalError, Evaluator, EvaluatorFactory, Help, Outcome, Progress,
    Question, Task,
};
pub use in_process::InProcess;
pub use language::Zylisp;
pub use message::{Message, Status};
pub use server::{
    Dialect, InterruptElsewhere, Load, Server, ServerConfig, ServerEvent, ServerLost,
    ZylispDialect, ZylispServer,
};
pub use session::{Interrupted, SessionLimits};
/// The language.
pub use zylisp_lang as lang;

#[cfg(test)]
mod tests;
