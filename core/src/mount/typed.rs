//! Keeps the text that clients type at a board, whose imports its program is about to request.

use alloc::{string::String, vec::Vec};
use core::mem;

/// Text typed at the board since its program last asked for something.
///
/// ```
/// let mut typed = flylead_core::mount::Typed::default();
/// typed.push(b"\x05A\x01import app, ");
/// typed.push(b"pins\x04");
/// assert_eq!(typed.take().as_deref(), Some("\nA\nimport app, pins\n"));
/// assert_eq!(typed.take(), None, "nothing has been typed since");
/// ```
#[derive(Debug, Default)]
pub struct Typed {
    text: Vec<u8>,
    /// True if the text has been taken since the last input.
    is_taken: bool,
}

impl Typed {
    /// Adds input to the board. A program begins with the first input after the end of another one.
    pub fn push(&mut self, bytes: &[u8]) {
        let has_ended = self.text.last() == Some(&END);
        if mem::take(&mut self.is_taken) || has_ended || self.text.len() + bytes.len() > LIMIT {
            self.text.clear();
        }
        // Imports stand at the beginning of a longer program.
        self.text.extend(&bytes[..bytes.len().min(LIMIT)]);
    }

    /// Takes the text, with control characters as line ends; `None` if nothing has been typed since.
    pub fn take(&mut self) -> Option<String> {
        if mem::replace(&mut self.is_taken, true) || self.text.is_empty() {
            return None;
        }
        let plain = |char: char| match char.is_control() && char != '\t' {
            true => '\n',
            false => char,
        };
        Some(
            String::from_utf8_lossy(&self.text)
                .chars()
                .map(plain)
                .collect(),
        )
    }
}

/// End of a program in raw mode.
const END: u8 = 0x04;
/// Limit of the text, in bytes.
const LIMIT: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_begins_after_the_end_of_another_one() {
        let mut typed = Typed::default();
        for bytes in [&b"import a\x04"[..], b"import b", b"\x04"] {
            typed.push(bytes);
        }
        assert_eq!(typed.take().as_deref(), Some("import b\n"));
        typed.push(b"import c\r");
        assert_eq!(typed.take().as_deref(), Some("import c\n"));
    }

    #[test]
    fn what_is_typed_without_end_fills_no_memory() {
        let mut typed = Typed::default();
        for _ in 0..1000 {
            typed.push(&[b'x'; 1000]);
        }
        typed.push(&[b'y'; 100_000]);
        assert_eq!(typed.take().map(|text| text.len()), Some(LIMIT));
    }
}
