//! Decides when the application receives the content of a file being read.

use alloc::vec::Vec;

use crate::board::{Answer, Error};

/// Time at which the application receives the content.
#[derive(Debug)]
pub(in crate::board) enum Delivery {
    /// All at once, after it has matched the board's hash.
    AtTheEnd,
    /// Immediately. Delivered content is remembered: a damaged attempt is followed by another.
    AsItComes { handed_out: Vec<u8> },
}

impl Delivery {
    pub(in crate::board) const fn as_it_comes() -> Self {
        let handed_out = Vec::new();
        Self::AsItComes { handed_out }
    }

    /// Returns the received bytes that were not yet delivered, if the others match.
    pub(in crate::board) fn take(&mut self, received: &[u8]) -> Option<Vec<u8>> {
        let Self::AsItComes { handed_out } = self else {
            return None;
        };
        let rest = received.strip_prefix(handed_out.as_slice())?.to_vec();
        handed_out.extend_from_slice(&rest);
        (!rest.is_empty()).then_some(rest)
    }

    /// Returns the answer, if `content` matches the board's hash.
    pub(in crate::board) fn answer(&self, content: Vec<u8>) -> Result<Answer, Error> {
        match self {
            Self::AtTheEnd => Ok(Answer::Bytes(content)),
            Self::AsItComes { handed_out } if *handed_out == content => Ok(Answer::Done),
            // The content was damaged in a way that was detected only at the end.
            Self::AsItComes { .. } => Err(Error::Damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_attempt_goes_on_where_the_first_one_was() {
        let mut delivery = Delivery::as_it_comes();
        assert_eq!(delivery.take(b"ab"), Some(b"ab".to_vec()));
        assert_eq!(delivery.take(b"a"), None);
        assert_eq!(delivery.take(b"abc"), Some(b"c".to_vec()));
        assert_eq!(delivery.answer(b"abc".to_vec()), Ok(Answer::Done));
    }

    #[test]
    fn what_was_wrong_and_is_handed_out_is_damaged() {
        let mut delivery = Delivery::as_it_comes();
        assert_eq!(delivery.take(b"aX"), Some(b"aX".to_vec()));
        assert_eq!(delivery.take(b"abc"), None);
        assert_eq!(delivery.answer(b"abc".to_vec()), Err(Error::Damaged));
    }
}
