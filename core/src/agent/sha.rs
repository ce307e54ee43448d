//! Hashes that identify files and replies.

use alloc::string::String;

use sha2::{Digest, Sha256};

use crate::to_hexadecimal;

/// Returns the SHA-256 of some bytes, in hexadecimal digits. Edits identify files by the first eight.
#[must_use]
pub fn sha(bytes: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(bytes))
}

/// Returns the first eight digits, as used by the attribute `sha` of an edit.
#[must_use]
pub fn short_sha(bytes: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(bytes)[..4])
}
