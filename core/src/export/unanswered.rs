//! Questions for logs that a device has not begun to answer.

use alloc::collections::VecDeque;

use super::{Naming, RunId};
use crate::Instant;

/// Questions whose answer has not begun, oldest first. A device answers in the order in which it was asked, or not at
/// all; so an answer that names no run is certain only if every question before it was for the same run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unanswered {
    questions: VecDeque<Question>,
    /// The device has said a number of a question: it reads them.
    is_numbered: bool,
}

#[derive(Debug, Clone)]
struct Question {
    run_id: RunId,
    /// Its number, 0 for none; `None` for a question of an earlier program.
    request: Option<u32>,
    /// Until when an answer may come.
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

    /// Forgets the questions that are too old for an answer.
    pub(crate) fn forget_old(&mut self, now: Instant) {
        self.questions.retain(|question| now < question.until);
    }

    /// Forgets all of them: the device has restarted.
    pub(crate) fn forget(&mut self) {
        self.questions.clear();
    }

    /// An answer has begun that names no run: the oldest question has it, or a later one.
    pub(crate) fn answer(&mut self) {
        self.questions.pop_front();
    }

    /// An answer has begun that names its run: no earlier question will be answered any more.
    pub(crate) fn answer_named(&mut self, named: &Naming) {
        if let Some(at) = self.position(named) {
            self.questions.drain(..=at);
        }
    }

    /// An answer that names its run will begin: no earlier question will be answered any more.
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

    /// True for a device that reads the number of a question and says it in its answer.
    pub(crate) const fn is_numbered(&self) -> bool {
        self.is_numbered
    }

    /// The oldest question for another run, whose answer may be taken for this run's.
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

/// More questions than anybody asks in the time of an answer.
const MOST: usize = 64;
