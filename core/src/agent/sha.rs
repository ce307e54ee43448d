//! The hashes by which files and replies are named.

use alloc::string::String;

use sha2::{Digest, Sha256};

use crate::to_hexadecimal;

/// The SHA-256 of some bytes, in hexadecimal digits. Edits name files by the first eight.
#[must_use]
pub fn sha(bytes: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(bytes))
}

/// The first eight digits, as the attribute `sha` of an edit has them.
#[must_use]
pub fn short_sha(bytes: &[u8]) -> String {
    to_hexadecimal(&Sha256::digest(bytes)[..4])
}
