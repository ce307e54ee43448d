//! Replies of devices: their lines, framing and bodies.

pub(super) mod body;
pub(super) mod checksum;
pub(super) mod decoder;
pub(super) mod header;
pub(super) mod line;
pub(super) mod naming;
pub(super) mod restart;
pub(super) mod stray;
pub(super) mod tail;
