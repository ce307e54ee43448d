//! How messages leave a half of the protocol.

use alloc::{boxed::Box, collections::VecDeque, vec::Vec};
use core::mem;

use super::{codec::Encoding, message::Message};

/// What is to be sent.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// Over a link.
    Bytes { encoding: Encoding, bytes: Vec<u8> },
    /// To the other half, in the same process. Boxed, because a message is long and goes through many hands.
    Messages(VecDeque<Box<Message>>),
}

impl Outgoing {
    pub(super) const fn bytes(encoding: Encoding) -> Self {
        let bytes = Vec::new();
        Self::Bytes { encoding, bytes }
    }

    pub(super) const fn messages() -> Self {
        Self::Messages(VecDeque::new())
    }

    /// How they are written; in a process they are not.
    pub(super) const fn encoding(&self) -> Option<Encoding> {
        match self {
            Self::Bytes { encoding, .. } => Some(*encoding),
            Self::Messages(_) => None,
        }
    }

    pub(super) fn push(&mut self, message: Message) {
        match self {
            Self::Bytes { encoding, bytes } => encoding.encode(&message, bytes),
            Self::Messages(messages) => messages.push_back(Box::new(message)),
        }
    }

    /// Everything that goes over a link.
    pub(super) fn take_bytes(&mut self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes { bytes, .. } if !bytes.is_empty() => Some(mem::take(bytes)),
            _ => None,
        }
    }

    /// The next message to the other half.
    pub(super) fn take_message(&mut self) -> Option<Box<Message>> {
        match self {
            Self::Bytes { .. } => None,
            Self::Messages(messages) => messages.pop_front(),
        }
    }
}
