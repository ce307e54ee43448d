//! A tree for boards that nothing is streamed to: a job for each entry, one after the other.

use alloc::{boxed::Box, collections::VecDeque, vec::Vec};

use super::{
    Answer, FileError, NewEntry, Progress, Rung, Written,
    chunked::ChunkedWrite,
    files::new_directory,
    job::{Facts, Job, Step},
};
use crate::raw_repl::Outcome;

/// Writes files and makes directories.
#[derive(Debug)]
pub(super) struct OneByOne {
    left: VecDeque<NewEntry>,
    current: Option<Current>,
    done: Written,
    entries: usize,
    total: u64,
    cancelled: bool,
}

#[derive(Debug)]
struct Current {
    entry: NewEntry,
    job: Box<dyn Job>,
}

impl Current {
    fn new(mut entry: NewEntry) -> Self {
        let job: Box<dyn Job> = match &mut entry {
            NewEntry::Directory { path } => Box::new(new_directory(path.clone())),
            NewEntry::File { path, data } => {
                let data = core::mem::take(data);
                Box::new(ChunkedWrite::new(path.clone(), data, None))
            }
        };
        Self { entry, job }
    }
}

impl OneByOne {
    pub(super) fn new(entries: Vec<NewEntry>) -> Self {
        let sizes = entries.iter().map(|entry| entry.data().len() as u64);
        Self {
            total: sizes.sum(),
            left: entries.into(),
            current: None,
            done: Written {
                bytes: 0,
                on_wire: 0,
                rung: Rung::Literal,
            },
            entries: 0,
            cancelled: false,
        }
    }

    /// Lets the entry's job do something; at its end the next one begins.
    fn with_current(&mut self, facts: &Facts<'_>, ask: impl FnOnce(&mut dyn Job) -> Step) -> Step {
        let Some(current) = &mut self.current else {
            return Step::Wait;
        };
        match ask(current.job.as_mut()) {
            Step::Done(Ok(answer)) => {
                self.add(&answer);
                self.next(facts)
            }
            Step::Done(Err(FileError::Cancelled)) => Step::Done(Err(FileError::Cancelled)),
            Step::Done(Err(error)) => Step::Done(Err(FileError::Entry {
                path: current.entry.path().into(),
                error: Box::new(error),
            })),
            step => step,
        }
    }

    fn add(&mut self, answer: &Answer) {
        self.entries += 1;
        if let Answer::Written(written) = answer {
            self.done.bytes += written.bytes;
            self.done.on_wire += written.on_wire;
            self.done.rung = self.done.rung.max(written.rung);
        }
    }

    fn next(&mut self, facts: &Facts<'_>) -> Step {
        self.current = self.left.pop_front().map(Current::new);
        if self.current.is_none() {
            return Step::Done(Ok(Answer::Written(self.done)));
        }
        if self.cancelled {
            return Step::Done(Err(FileError::Cancelled));
        }
        self.with_current(facts, |job| job.start(facts))
    }
}

impl Job for OneByOne {
    fn start(&mut self, facts: &Facts<'_>) -> Step {
        self.next(facts)
    }

    fn stdout(&mut self, bytes: &[u8], facts: &Facts<'_>) -> Step {
        self.with_current(facts, |job| job.stdout(bytes, facts))
    }

    fn ended(&mut self, outcome: &Outcome, facts: &Facts<'_>) -> Step {
        self.with_current(facts, |job| job.ended(outcome, facts))
    }

    fn cancel(&mut self) -> bool {
        self.cancelled = true;
        let current = self.current.as_mut();
        current.is_some_and(|current| current.job.cancel())
    }

    fn progress(&self) -> Option<Progress> {
        let current = self.current.as_ref();
        let current = current.and_then(|current| current.job.progress());
        Some(Progress {
            done: self.done.bytes + current.map_or(0, |progress| progress.done),
            total: Some(self.total),
            entries: self.entries,
        })
    }
}
