//! A server's protocol: the meaning of requests, and the wording of news.

use alloc::{string::String, vec::Vec};

use super::Core;
use crate::{
    Instant,
    zylisp::{
        codec::{Field, Level, Malformed, Request, Tokens},
        session::{Interrupted, News},
    },
};

/// A protocol of a [`Server`](super::Server). Its types are private to this crate, so it cannot be implemented
/// elsewhere.
pub trait Dialect {
    /// Tokenizer of the encoding.
    type Tokens: Tokens;

    /// True if an invalid message ends the connection, because the start of the next one is
    /// ambiguous.
    const FAULTS_ARE_FATAL: bool = false;

    /// Creates the tokenizer.
    fn tokens(&self) -> Self::Tokens;

    /// Maps a name to the field of a request.
    fn field(level: Level, name: &[u8]) -> Option<Field>
    where
        Self: Sized;

    /// Carries out a request, or enqueues it for a session.
    fn request(&mut self, core: &mut Core, now: Instant, request: Request);

    /// Reports the fault of an invalid message.
    fn malformed(&mut self, core: &mut Core, malformed: &Malformed);

    /// Reports news about a request to the client.
    fn news(&mut self, out: &mut Vec<u8>, session: &str, id: &str, news: News);

    /// Answers an interrupt of a session, if that session exists.
    fn interrupted(&mut self, core: &mut Core, id: String, found: Option<Interrupted>);

    /// Sends a message without effect, to check whether the client is still there.
    fn probe(&mut self, core: &mut Core);
}
