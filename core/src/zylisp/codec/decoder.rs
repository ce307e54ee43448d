//! Decodes messages from bytes.

use alloc::{string::String, vec::Vec};
use core::mem;

use super::{
    Malformed, MalformedReason,
    tokens::{Sink, State, Tokens},
};

/// Builds a value from a message's tokens.
pub(crate) trait Build: Sink {
    /// Type of the decoded messages.
    type Output;

    /// Completes a message, and prepares for the next.
    fn finish(&mut self) -> Result<Self::Output, Malformed>;

    /// Returns the message's id, as far as it was read.
    fn id(&self) -> String;

    /// Drops the message, and ignores the rest of it.
    fn give_up(&mut self);

    /// Returns the memory in use, in bytes.
    fn bytes(&self) -> usize;
}

/// Finds messages in a stream of bytes.
///
/// Any bytes, split anywhere, give the same messages and the same faults. The decoder stores as much of an unfinished
/// message as the builder does; a message longer than the limit is reported once, and skipped to its end.
#[derive(Debug)]
pub(crate) struct StreamDecoder<T, B> {
    tokens: T,
    builder: B,
    limit: usize,
    /// A few bytes that can only be read together with the following ones.
    held: Vec<u8>,
    /// Number of the message's bytes already read.
    length: usize,
    skipping: Skipping,
    opening: Opening,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Skipping {
    Nothing,
    /// Up to the possible beginning of a message, after malformed data.
    Garbage,
    /// To the end of a message that is too long.
    Message,
}

/// First part of the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Opening {
    Unknown,
    Fine,
    Http,
}

type Found<B> = Result<<B as Build>::Output, Malformed>;

impl<T: Tokens, B: Build> StreamDecoder<T, B> {
    /// Creates a decoder for messages of at most `limit` bytes each.
    pub(crate) const fn new(tokens: T, builder: B, limit: usize) -> Self {
        Self {
            tokens,
            builder,
            limit,
            held: Vec::new(),
            length: 0,
            skipping: Skipping::Nothing,
            opening: Opening::Unknown,
        }
    }

    /// Takes received bytes, and delivers complete messages.
    pub(crate) fn push(&mut self, bytes: &[u8], mut found: impl FnMut(Found<B>)) {
        if self.held.is_empty() && self.opening == Opening::Fine {
            let taken = self.read_all(bytes, &mut found);
            self.held.extend_from_slice(&bytes[taken..]);
            return;
        }
        let mut held = mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let taken = self.open(&held, &mut found);
        held.drain(..taken);
        self.held = held;
    }

    /// Returns true while a message is incomplete.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.length > 0 || !self.held.is_empty() || self.skipping == Skipping::Message
    }

    /// Returns the memory used by the incomplete message, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.builder.bytes() + self.held.capacity()
    }

    /// Drops the unfinished message, for this reason, and searches for its end.
    pub(crate) fn give_up(&mut self, reason: MalformedReason) -> Malformed {
        self.skipping = Skipping::Message;
        self.refused(reason)
    }

    fn open(&mut self, bytes: &[u8], found: &mut impl FnMut(Found<B>)) -> usize {
        if self.opening == Opening::Unknown {
            self.opening = opening(bytes);
        }
        match self.opening {
            Opening::Unknown => 0,
            Opening::Fine => self.read_all(bytes, found),
            Opening::Http => {
                if mem::replace(&mut self.skipping, Skipping::Garbage) == Skipping::Nothing {
                    found(Err(Malformed {
                        id: String::new(),
                        reason: MalformedReason::Http,
                    }));
                }
                bytes.len()
            }
        }
    }

    /// Reads as many messages as there are. Returns the number of bytes consumed.
    fn read_all(&mut self, bytes: &[u8], found: &mut impl FnMut(Found<B>)) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            if self.skipping == Skipping::Garbage {
                at += self.pass_garbage(rest);
                continue;
            }
            let blanks = self.tokens.blanks(rest);
            if blanks > 0 {
                at += blanks;
                continue;
            }
            let looked_at = self.up_to_limit(rest);
            let read = self.tokens.read(looked_at, &mut self.builder);
            at += read.taken;
            self.length += read.taken;
            match read.state {
                State::Complete => self.complete(found),
                State::Malformed { expected, begins } => {
                    // A byte that cannot begin a message is not read again.
                    at += usize::from(self.length == 0);
                    self.malformed(expected, begins, found);
                }
                State::Unfinished if self.is_too_long(looked_at.len() - read.taken) => {
                    self.skipping = Skipping::Message;
                    let limit = self.limit;
                    found(Err(self.refused(MalformedReason::TooLong { limit })));
                }
                State::Unfinished => break,
            }
        }
        at
    }

    fn pass_garbage(&mut self, bytes: &[u8]) -> usize {
        match self.tokens.garbage(bytes) {
            None => bytes.len(),
            Some(length) => {
                self.skipping = Skipping::Nothing;
                length
            }
        }
    }

    fn complete(&mut self, found: &mut impl FnMut(Found<B>)) {
        let skipped = mem::replace(&mut self.skipping, Skipping::Nothing) == Skipping::Message;
        let length = mem::take(&mut self.length);
        self.tokens.restart();
        if !skipped && length > self.limit {
            let limit = self.limit;
            found(Err(self.refused(MalformedReason::TooLong { limit })));
        } else if !skipped {
            return found(self.builder.finish());
        }
        self.builder.finish().ok();
    }

    fn malformed(
        &mut self,
        expected: &'static str,
        begins: bool,
        found: &mut impl FnMut(Found<B>),
    ) {
        self.tokens.restart();
        let offset = mem::take(&mut self.length);
        let skipped = mem::replace(&mut self.skipping, Skipping::Garbage) == Skipping::Message;
        let too_long = offset > self.limit;
        if !skipped {
            let limit = self.limit;
            let reason = match too_long {
                true => MalformedReason::TooLong { limit },
                false => MalformedReason::Syntax { offset, expected },
            };
            found(Err(self.refused(reason)));
        }
        if begins && !skipped && !too_long {
            self.skipping = Skipping::Nothing;
        }
        self.builder.finish().ok();
    }

    /// Returns the part of a message that may be read before its length is known: its result does not depend on how
    /// much of the rest is available.
    fn up_to_limit<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let room = self.limit.saturating_add(1).saturating_sub(self.length);
        if self.skipping != Skipping::Nothing {
            return bytes;
        }
        &bytes[..room.min(bytes.len())]
    }

    fn is_too_long(&self, not_taken: usize) -> bool {
        self.skipping == Skipping::Nothing && self.length + not_taken > self.limit
    }

    /// Returns the reason for rejecting the message, with its id.
    fn refused(&mut self, reason: MalformedReason) -> Malformed {
        let id = self.builder.id();
        self.builder.give_up();
        Malformed { id, reason }
    }
}

/// Checks for the method of an HTTP request, which a browser always sends first (RFC 9112, section 3).
fn opening(bytes: &[u8]) -> Opening {
    const LONGEST_METHOD: usize = 8;
    let word = bytes
        .iter()
        .take(LONGEST_METHOD)
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    match bytes.get(word) {
        None => Opening::Unknown,
        Some(b' ') if word >= 3 => Opening::Http,
        _ => Opening::Fine,
    }
}
