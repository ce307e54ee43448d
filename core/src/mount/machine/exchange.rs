//! Handles a question of the board until its answer is sent.

use alloc::{vec, vec::Vec};
use core::time::Duration;

use super::{AT_ONCE, QuestionId};
use crate::Instant;

/// A question, and the part of its answer already sent.
#[derive(Debug)]
pub(super) struct Exchange {
    id: QuestionId,
    number: u8,
    question: Vec<u8>,
    answer: Option<Sending>,
}

#[derive(Debug)]
struct Sending {
    frame: Vec<u8>,
    sent: usize,
    /// Number of the frame's bytes that the board can take.
    room: usize,
    due: Instant,
    /// True once the board has read the whole answer.
    is_read: bool,
    /// True once the filler that ends the board's read was sent.
    is_filled: bool,
}

impl Exchange {
    pub(super) const fn new(id: QuestionId, number: u8, question: Vec<u8>) -> Self {
        Self {
            id,
            number,
            question,
            answer: None,
        }
    }

    pub(super) fn is(&self, id: QuestionId) -> bool {
        self.id == id && self.answer.is_none()
    }

    /// Returns true if the board repeats a question that is still being answered.
    pub(super) fn asks(&self, question: &[u8]) -> bool {
        self.question == question && self.answer.is_none()
    }

    pub(super) const fn number(&self) -> u8 {
        self.number
    }

    pub(super) fn question(&self) -> &[u8] {
        &self.question
    }

    /// Begins to send: a short answer in full; of a longer one the header, until the board grants credit.
    pub(super) fn answer(&mut self, now: Instant, frame: Vec<u8>) {
        let is_short = frame.len() <= HEADER + AT_ONCE;
        self.answer = Some(Sending {
            room: if is_short { frame.len() } else { HEADER },
            frame,
            sent: 0,
            due: now + CREDIT_TIMEOUT,
            is_read: false,
            is_filled: false,
        });
    }

    /// Records that the board has room for this many bytes after the header. A number beyond the answer's length means
    /// that it has read everything.
    pub(super) fn credit(&mut self, now: Instant, bytes: usize) {
        if let Some(sending) = &mut self.answer {
            sending.is_read = HEADER + bytes > sending.frame.len();
            let room = sending.frame.len().min(HEADER + bytes);
            sending.room = sending.room.max(room);
            sending.due = now + CREDIT_TIMEOUT;
        }
    }

    /// Returns the filler that ends the read of a board which waits for bytes that were lost on the
    /// way; `None` if it was already sent. On most ports nothing else ends it (MicroPython v1.29,
    /// `py/stream.c`, `mp_stream_rw`).
    pub(super) fn fill(&mut self, now: Instant) -> Option<Vec<u8>> {
        let sending = self.answer.as_mut().filter(|sending| !sending.is_filled)?;
        sending.is_filled = true;
        sending.due = now + CREDIT_TIMEOUT;
        Some(vec![0; FILLER])
    }

    /// Returns the bytes that can be sent now, and true if the board then has the whole answer.
    pub(super) fn take(&mut self) -> (Vec<u8>, bool) {
        let Some(sending) = &mut self.answer else {
            return (Vec::new(), false);
        };
        let bytes = sending.frame[sending.sent..sending.room].to_vec();
        sending.sent = sending.room;
        (bytes, sending.is_read)
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        Some(self.answer.as_ref()?.due)
    }
}

/// Size of an answer's header in bytes: the start, and 19 hexadecimal digits.
const HEADER: usize = 2 + 19;
/// Silence without credit after which the board is considered to have stopped reading.
const CREDIT_TIMEOUT: Duration = Duration::from_secs(3);
/// Size in bytes; it exceeds the loss of one answer on a bad line.
const FILLER: usize = 64;
