//! Finds a copy of the outbox that a person pasted along with the reply: the commands in it are examples.

use memchr::memmem;

use crate::agent::outbox::markers::{END, PART, PROMPT};
use crate::agent::parse::prose::debris::trim;

/// Returns true for the first line of a part of an outbox.
pub(in crate::agent::parse) fn begins_part(line: &str) -> bool {
    line.starts_with(PART)
        && line.ends_with(')')
        && line.contains(" of message ")
        && line.contains(" of session ")
}

/// Finds the end of the last copy of an outbox. Its last line may be missing: its prompt is then read as a reply, and a
/// person decides.
pub(in crate::agent::parse) fn end_of_last(message: &str, from: usize) -> usize {
    last_line(message, from, END, ends_copy)
        .or_else(|| last_line(message, from, PROMPT, |line| line == PROMPT))
        .unwrap_or(message.len())
}

fn ends_copy(line: &str) -> bool {
    (line.starts_with("(end of message ") || line.starts_with("(end of part "))
        && line.contains(" of session ")
        && line.ends_with(')')
}

/// Returns the end of the last line that begins with `needle` and satisfies `is_it`. Each line is checked once, however
/// often it contains the needle.
fn last_line(message: &str, from: usize, needle: &str, is_it: fn(&str) -> bool) -> Option<usize> {
    let bytes = message.as_bytes();
    let finder = memmem::FinderRev::new(needle.as_bytes());
    let mut before = bytes.len();
    while let Some(at) = finder.rfind(&bytes[from..before]).map(|at| from + at) {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1);
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
        if is_it(trim(&message[start..end])) {
            return Some(end);
        }
        before = start.max(from);
    }
    None
}
