//! Bytes as hexadecimal digits, for people to compare.

use alloc::string::String;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Returns two digits for each byte: lower case, no blanks.
#[must_use]
pub fn to_hexadecimal(bytes: &[u8]) -> String {
    let digit = |number: u8| char::from(DIGITS[usize::from(number & 15)]);
    bytes
        .iter()
        .flat_map(|&byte| [digit(byte >> 4), digit(byte)])
        .collect()
}
