//! Writes a tree to boards without streaming: one job for each entry, one after the other.

use alloc::{boxed::Box, collections::VecDeque, string::String, vec::Vec};

use super::ChunkedWrite;
use crate::{
    board::{
        Answer, Capabilities, Error, NewEntry, Progress, TransferMethod, Written,
        jobs::{Job, JobContext, Step, query},
    },
    raw_repl::Outcome,
};

/// Writes files and makes directories.
#[derive(Debug)]
pub(in crate::board) struct OneByOne {
    left: VecDeque<NewEntry>,
    current: Option<Current>,
    done: Written,
    entries: usize,
    total: u64,
    cancelled: bool,
}

#[derive(Debug)]
struct Current {
    path: String,
    job: Box<dyn Job>,
}

impl Current {
    fn new(entry: NewEntry, board: &Capabilities) -> Result<Self, Error> {
        let path = String::from(entry.path());
        let job = match entry {
            NewEntry::Directory { path } => query::new_directory(board, &path),
            file @ (NewEntry::File { .. } | NewEntry::Overwrite { .. }) => {
                Ok(Box::new(ChunkedWrite::new(file, None)) as _)
            }
        };
        match job {
            Ok(job) => Ok(Self { path, job }),
            Err(error) => Err(of_entry(path, error)),
        }
    }
}

fn of_entry(path: String, error: Error) -> Error {
    Error::Entry {
        path,
        error: Box::new(error),
    }
}

impl OneByOne {
    pub(in crate::board) fn new(entries: Vec<NewEntry>) -> Self {
        let sizes = entries.iter().map(|entry| entry.data().len() as u64);
        Self {
            total: sizes.sum(),
            left: entries.into(),
            current: None,
            done: Written {
                bytes: 0,
                on_wire: 0,
                method: TransferMethod::Literal,
            },
            entries: 0,
            cancelled: false,
        }
    }

    /// Advances the entry's job; at its end the next one begins.
    fn with_current(
        &mut self,
        context: &JobContext<'_>,
        ask: impl FnOnce(&mut dyn Job) -> Step,
    ) -> Step {
        let Some(current) = &mut self.current else {
            return Step::Wait;
        };
        let step = ask(current.job.as_mut());
        let Step::Done(Ok(answer)) = step else {
            return step;
        };
        self.add(&answer);
        self.next(context)
    }

    fn add(&mut self, answer: &Answer) {
        self.entries += 1;
        if let Answer::Written(written) = answer {
            self.done.bytes += written.bytes;
            self.done.on_wire += written.on_wire;
            self.done.method = self.done.method.max(written.method);
        }
    }

    fn next(&mut self, context: &JobContext<'_>) -> Step {
        let Some(entry) = self.left.pop_front() else {
            return Step::Done(Ok(Answer::Written(self.done)));
        };
        if self.cancelled {
            return Step::Done(Err(Error::Cancelled));
        }
        match Current::new(entry, context.capabilities) {
            Ok(current) => self.current = Some(current),
            Err(error) => return Step::Done(Err(error)),
        }
        self.with_current(context, |job| job.start(context))
    }
}

impl Job for OneByOne {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.next(context)
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, context: &JobContext<'_>) -> Step {
        self.with_current(context, |job| job.on_stdout(bytes, context))
    }

    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step {
        self.with_current(context, |job| job.on_end(outcome, context))
    }

    fn explain(&self, error: Error) -> Error {
        let Some(current) = &self.current else {
            return error;
        };
        let error = current.job.explain(error);
        if matches!(error, Error::Cancelled | Error::Entry { .. }) {
            return error;
        }
        of_entry(current.path.clone(), error)
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
