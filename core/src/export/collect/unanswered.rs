//! Requests for logs that a device has not begun to answer.

use alloc::collections::VecDeque;

use crate::Instant;
use crate::export::{Naming, RunId};

/// Requests whose answer has not begun, oldest first. A device answers in the order of the requests, or not at all; an
/// answer that names no run is therefore certain only if every request before it was for the same run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unanswered {
    questions: VecDeque<Question>,
    /// True once the device has sent the number of a request, which shows that it reads them.
    is_numbered: bool,
}

#[derive(Debug, Clone)]
struct Question {
    run_id: RunId,
    /// Number of the request, 0 for none; `None` for a request of an earlier program.
    request: Option<u32>,
    /// Time until which an answer may arrive.
    until: Instant,
}

impl Unanswered {
    pub(crate) fn ask(&mut self, run_id: &RunId, request: Option<u32>, until: Instant) {
        if self.questions.len() == MOST {
            self.questions.pop_front();
        }
        self.questions.push_back(Question {
            run_id: run_id.clone(),
            request,
            until,
        });
    }

    /// Drops requests that are too old for an answer.
    pub(crate) fn forget_old(&mut self, now: Instant) {
        self.questions.retain(|question| now < question.until);
    }

    /// Drops all requests: the device has restarted.
    pub(crate) fn forget(&mut self) {
        self.questions.clear();
    }

    /// Records the beginning of an answer that names no run: it belongs to the oldest request, or a later one.
    pub(crate) fn answer(&mut self) {
        self.questions.pop_front();
    }

    /// Records the beginning of an answer that names its run: no earlier request will be answered.
    pub(crate) fn answer_named(&mut self, named: &Naming) {
        if let Some(at) = self.position(named) {
            self.questions.drain(..=at);
        }
    }

    /// Records that an answer that names its run will begin: no earlier request will be answered.
    pub(crate) fn skip_to(&mut self, named: &Naming) {
        if let Some(at) = self.position(named) {
            self.questions.drain(..at);
        }
    }

    fn position(&mut self, named: &Naming) -> Option<usize> {
        self.is_numbered |= named.request.is_some();
        let is = |known: &Question| {
            let both = known.request.zip(named.request);
            known.run_id == named.run_id && both.is_none_or(|(ours, its)| ours == its)
        };
        self.questions.iter().position(is)
    }

    /// Returns true for a device that reads the number of a request and repeats it in its answer.
    pub(crate) const fn is_numbered(&self) -> bool {
        self.is_numbered
    }

    /// Returns the oldest request for another run, whose answer may be mistaken for this run's.
    pub(crate) fn other_than(&self, run_id: &RunId) -> Option<&RunId> {
        let mut runs = self.runs();
        runs.find(|known| *known != run_id)
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &RunId> {
        self.questions.iter().map(|question| &question.run_id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }
}

/// Limit of pending requests; nobody sends as many in the time of an answer.
const MOST: usize = 64;
