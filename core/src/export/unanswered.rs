//! Questions for logs that a device has not begun to answer.

use alloc::collections::VecDeque;
use core::str;

use super::RunId;
use super::checksum::setting;
use crate::Instant;

/// Questions whose answer has not begun, oldest first. A device answers in the order in which it was asked, or not at
/// all; so an answer that names no run is certain only if every question before it was for the same run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unanswered(VecDeque<Question>);

#[derive(Debug, Clone)]
struct Question {
    run_id: RunId,
    /// Until when an answer may come.
    until: Instant,
}

impl Unanswered {
    pub(crate) fn ask(&mut self, run_id: &RunId, until: Instant) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(Question {
            run_id: run_id.clone(),
            until,
        });
    }

    /// Forgets the questions that are too old for an answer.
    pub(crate) fn forget_old(&mut self, now: Instant) {
        self.0.retain(|question| now < question.until);
    }

    /// Forgets all of them: the device has started anew.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }

    /// An answer has begun that names no run: the oldest question has it, or a later one.
    pub(crate) fn answer(&mut self) {
        self.0.pop_front();
    }

    /// An answer has begun that names its run: no earlier question will be answered any more.
    pub(crate) fn answer_named(&mut self, run_id: &RunId) {
        if let Some(at) = self.0.iter().position(|known| known.run_id == *run_id) {
            self.0.drain(..=at);
        }
    }

    /// An answer that names its run will begin: no earlier question will be answered any more.
    pub(crate) fn skip_to(&mut self, run_id: &RunId) {
        if let Some(at) = self.0.iter().position(|known| known.run_id == *run_id) {
            self.0.drain(..at);
        }
    }

    /// The oldest question for another run, whose answer may be taken for this run's.
    pub(crate) fn other_than(&self, run_id: &RunId) -> Option<&RunId> {
        let mut runs = self.runs();
        runs.find(|known| *known != run_id)
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &RunId> {
        self.0.iter().map(|question| &question.run_id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Statement of a line before a header about the run whose log follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// `RUN=name`: the device says so.
    Sure(RunId),
    /// `Received: EXPORT run_id=name`: what the device has read, perhaps long before it answers.
    Hint(RunId),
}

impl Name {
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let id = |name: &[u8]| RunId::new(str::from_utf8(name.trim_ascii()).ok()?).ok();
        match setting(line) {
            Some((name, run)) if name.eq_ignore_ascii_case(b"RUN") => id(run).map(Self::Sure),
            _ => {
                let at = memchr::memmem::find(line, HINT)?;
                id(&line[at + HINT.len()..]).map(Self::Hint)
            }
        }
    }
}

const HINT: &[u8] = b"EXPORT run_id=";
/// More questions than anybody asks in the time of an answer.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_run_surely_or_perhaps() {
        let run = |name| RunId::new(name).expect("a good name");
        for (line, name) in [
            ("RUN=run1\r", Some(Name::Sure(run("run1")))),
            ("run: run1", Some(Name::Sure(run("run1")))),
            ("EXPORT run_id=a", Some(Name::Hint(run("a")))),
            ("Received: EXPORT run_id=a\r", Some(Name::Hint(run("a")))),
            ("RUN=", None),
            ("RUNNING=yes", None),
            ("SIZE=5", None),
        ] {
            assert_eq!(Name::read(line.as_bytes()), name, "{line}");
        }
    }
}
