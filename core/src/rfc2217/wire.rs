//! Data and messages in the wire format, which is the same for both ends.

use alloc::vec::Vec;

use super::{
    com_port::{Message, Side},
    telnet::{COM_PORT, escape, subnegotiate},
};

pub(super) fn data(bytes: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(bytes.len() + bytes.len() / 64);
    escape(bytes, &mut escaped);
    escaped
}

pub(super) fn message(message: &Message, from: Side) -> Vec<u8> {
    let mut bytes = Vec::new();
    subnegotiate(COM_PORT, &message.write(from), &mut bytes);
    bytes
}
