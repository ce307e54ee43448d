//! Input for the program that it has not read yet.

use alloc::vec::Vec;

/// Typed input in the order in which it was typed.
#[derive(Debug, Default)]
pub(in crate::debug::session) struct Typed {
    bytes: Vec<u8>,
    /// Number of bytes at the start that the board consumed and gave back: they were typed before all others.
    given_back: usize,
}

impl Typed {
    /// Adds input behind all other; returns false if there is not enough space.
    pub(in crate::debug::session) fn keep(&mut self, bytes: &[u8]) -> bool {
        let fits = self.bytes.len() + bytes.len() <= LIMIT;
        if fits {
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }

    /// Puts input that the board gives back before what is still to be sent. Input without space is dropped.
    pub(in crate::debug::session) fn give_back(&mut self, bytes: &[u8]) {
        if self.bytes.len() + bytes.len() <= LIMIT {
            let at = self.given_back;
            self.bytes.splice(at..at, bytes.iter().copied());
            self.given_back += bytes.len();
        }
    }

    /// Removes all input, to be sent.
    pub(in crate::debug::session) fn take(&mut self) -> Option<Vec<u8>> {
        self.given_back = 0;
        (!self.bytes.is_empty()).then(|| core::mem::take(&mut self.bytes))
    }
}

/// Limit of buffered input, in bytes.
const LIMIT: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_that_is_given_back_comes_before_what_was_typed_later() {
        let mut typed = Typed::default();
        // The board consumed "one" and "two"; "three" was typed before the host heard of it.
        assert!(typed.keep(b"three\n"));
        typed.give_back(b"one\n");
        typed.give_back(b"two\n");
        assert!(typed.keep(b"four\n"));
        assert_eq!(
            typed.take().as_deref(),
            Some(&b"one\ntwo\nthree\nfour\n"[..])
        );
        assert_eq!(typed.take(), None);
        typed.give_back(b"five\n");
        assert_eq!(typed.take().as_deref(), Some(&b"five\n"[..]));
    }

    #[test]
    fn input_without_space_is_refused() {
        let mut typed = Typed::default();
        assert!(typed.keep(&[b'a'; LIMIT]));
        assert!(!typed.keep(b"b"));
        typed.give_back(b"c");
        assert_eq!(typed.take().map(|bytes| bytes.len()), Some(LIMIT));
    }
}
