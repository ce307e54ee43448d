//! Delivers the content of a file being read to the application.

use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::board::{Answer, Error, Progress};

/// Content of a file on its way to the application. It is hashed as it arrives, and kept no longer than until it is
/// delivered.
#[derive(Debug)]
pub(in crate::board) struct Delivery {
    /// True if content is delivered as it arrives; otherwise it is part of the answer.
    as_it_comes: bool,
    /// Content of this attempt.
    attempt: Content,
    /// Content delivered by all attempts: a damaged one is followed by another.
    handed_out: Content,
    /// True if this attempt has not begun with the delivered content.
    differs: bool,
    /// Content that is not delivered yet.
    due: Vec<u8>,
}

/// Length and hash of a content.
#[derive(Debug, Clone, Default)]
struct Content {
    length: u64,
    hash: Sha256,
}

impl Content {
    fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.hash.update(bytes);
    }

    fn digest(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }
}

impl Delivery {
    /// Delivers the content as a whole, after it has matched the board's hash.
    pub(in crate::board) fn at_the_end() -> Self {
        Self {
            as_it_comes: false,
            attempt: Content::default(),
            handed_out: Content::default(),
            differs: false,
            due: Vec::new(),
        }
    }

    /// Delivers content as it arrives.
    pub(in crate::board) fn as_it_comes() -> Self {
        Self {
            as_it_comes: true,
            ..Self::at_the_end()
        }
    }

    /// Begins an attempt, whose hash covers this prefix too.
    pub(in crate::board) fn begin(&mut self, prefix: &[u8]) {
        self.attempt = Content {
            length: 0,
            hash: Sha256::new_with_prefix(prefix),
        };
        self.differs = false;
        self.due.clear();
    }

    /// Takes content, and skips the part that an earlier attempt has delivered, if it is the same.
    pub(in crate::board) fn push(&mut self, bytes: &[u8]) {
        let known = self.handed_out.length.saturating_sub(self.attempt.length);
        let known = usize::try_from(known)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let (again, new) = bytes.split_at(known);
        self.attempt.add(again);
        if known > 0 && self.attempt.length == self.handed_out.length {
            self.differs = self.attempt.digest() != self.handed_out.digest();
        }
        self.attempt.add(new);
        if !self.differs {
            self.due.extend_from_slice(new);
        }
    }

    /// Returns the content to deliver now.
    pub(in crate::board) fn take(&mut self) -> Option<Vec<u8>> {
        if !self.as_it_comes || self.due.is_empty() {
            return None;
        }
        self.handed_out = self.attempt.clone();
        Some(core::mem::take(&mut self.due))
    }

    /// Progress of this attempt. The length of a file that is read is unknown before its end.
    pub(in crate::board) const fn progress(&self) -> Progress {
        Progress {
            done: self.attempt.length,
            total: None,
            entries: 0,
        }
    }

    /// Hash of this attempt, with its prefix.
    pub(in crate::board) fn hash(&self) -> [u8; 32] {
        self.attempt.digest()
    }

    /// Returns the answer to an attempt that matches the board's hash.
    pub(in crate::board) fn answer(&mut self) -> Result<Answer, Error> {
        match self.as_it_comes {
            false => Ok(Answer::Bytes(core::mem::take(&mut self.due))),
            true if !self.differs && self.attempt.length == self.handed_out.length => {
                Ok(Answer::Done)
            }
            // The content was damaged in a way that was detected only at the end.
            true => Err(Error::Damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_attempt_goes_on_where_the_first_one_was() {
        let mut delivery = Delivery::as_it_comes();
        delivery.begin(b"name");
        delivery.push(b"ab");
        assert_eq!(delivery.take(), Some(b"ab".to_vec()));
        delivery.begin(b"name");
        delivery.push(b"a");
        assert_eq!(delivery.take(), None);
        delivery.push(b"bc");
        assert_eq!(delivery.take(), Some(b"c".to_vec()));
        assert_eq!(
            delivery.hash(),
            <[u8; 32]>::from(Sha256::digest(b"nameabc"))
        );
        assert_eq!(delivery.answer(), Ok(Answer::Done));
    }

    #[test]
    fn what_was_wrong_and_is_handed_out_is_damaged() {
        for second in [&b"abc"[..], b"a"] {
            let mut delivery = Delivery::as_it_comes();
            delivery.begin(b"");
            delivery.push(b"aX");
            assert_eq!(delivery.take(), Some(b"aX".to_vec()));
            delivery.begin(b"");
            delivery.push(second);
            assert_eq!(delivery.take(), None);
            assert_eq!(delivery.answer(), Err(Error::Damaged));
        }
    }

    #[test]
    fn the_whole_content_is_the_last_attempts() {
        let mut delivery = Delivery::at_the_end();
        for content in [&b"wrong"[..], b"right"] {
            delivery.begin(b"");
            delivery.push(content);
            assert_eq!(delivery.take(), None);
        }
        assert_eq!(delivery.answer(), Ok(Answer::Bytes(b"right".to_vec())));
    }
}
