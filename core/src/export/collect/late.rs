//! Handles answers that arrive when no request is pending any more.

use crate::export::Header;
use crate::export::collect::unanswered::Unanswered;
use crate::export::reply::decoder::{Decoder, Piece};
use crate::export::reply::naming::Name;

/// Reads the output of a device outside of exports, to recognize the answer to an abandoned request.
#[derive(Debug, Default)]
pub(crate) struct Late(Decoder);

impl Late {
    /// Continues to read from the point where an export was abandoned.
    pub(crate) const fn go_on(decoder: Decoder) -> Self {
        Self(decoder)
    }

    /// Records each answer that begins in these bytes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], unanswered: &mut Unanswered) {
        let is_expected = self.is_in_body() || !unanswered.is_empty();
        while let Some(piece) = is_expected.then(|| self.0.next(&mut bytes)).flatten() {
            match piece {
                Piece::Noise(line) => {
                    // The next answer belongs to this run; earlier requests have none.
                    if let Some(Name::Sure(named)) = Name::read(line) {
                        unanswered.skip_to(&named);
                    }
                }
                Piece::Header(Header {
                    naming: Some(named),
                    ..
                }) => unanswered.answer_named(&named),
                Piece::Header(_) | Piece::BadHeader(_) | Piece::Error(_) => unanswered.answer(),
                Piece::Body(_) => {}
                Piece::End | Piece::NoEnd => self.0 = Decoder::default(),
            }
        }
    }

    /// Returns true in the middle of an answer.
    pub(crate) const fn is_in_body(&self) -> bool {
        self.0.has_begun()
    }
}
