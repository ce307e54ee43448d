//! Checks file names on their way to a board over a line that may damage them.

use alloc::{format, string::String, vec::Vec};

use crate::literal::text;

/// Assigns the names of files to variables, and stops if a bad line has changed one on the way, so that no wrong file
/// is touched.
pub(super) fn checked(names: &[(&str, &str)]) -> String {
    let mut source = String::new();
    let mut all = String::new();
    for (variable, name) in names {
        source.push_str(&format!("{variable}={}\n", text(name)));
        all.push_str(name);
    }
    let variables: Vec<&str> = names.iter().map(|(variable, _)| *variable).collect();
    let (sum, variables) = (weak_sum(all.as_bytes()), variables.join("+"));
    source.push_str(&format!(
        "_sum=0\nfor _byte in bytes({variables},'utf8'):_sum=(_sum*31+_byte)&16777215\nif _sum!={sum}:raise ValueError('sha256')\n"
    ));
    source
}

/// Computes a hash for boards that have none, simple enough for a 16 MHz interpreter.
pub(super) fn weak_sum(data: &[u8]) -> u32 {
    add_to_weak_sum(0, data)
}

/// Continues [`weak_sum`] with more data.
pub(super) fn add_to_weak_sum(sum: u32, data: &[u8]) -> u32 {
    data.iter()
        .fold(sum, |sum, &byte| (sum * 31 + u32::from(byte)) & 0xff_ffff)
}
