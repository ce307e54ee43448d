//! A protocol that a server speaks: what requests mean, and how news are worded.

use alloc::{string::String, vec::Vec};

use super::Core;
use crate::{
    Instant,
    zylisp::{
        codec::{Field, Level, Malformed, Request, Tokens},
        session::{Interrupted, News},
    },
};

/// A protocol that a [`Server`](super::Server) speaks. What it speaks of is this crate's own business: nobody else can
/// implement it.
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

    /// Carries out a request, or lets a session do so in turn.
    fn request(&mut self, core: &mut Core, now: Instant, request: Request);

    /// Says what is wrong with something that is no request.
    fn malformed(&mut self, core: &mut Core, malformed: &Malformed);

    /// Tells the client what there is of a request.
    fn news(&mut self, out: &mut Vec<u8>, session: &str, id: &str, news: News);

    /// Answers an interrupt of a session, if there is such a session.
    fn interrupted(&mut self, core: &mut Core, id: String, found: Option<Interrupted>);

    /// Sends something that changes nothing, to see whether the client is still there.
    fn probe(&mut self, core: &mut Core);
}
