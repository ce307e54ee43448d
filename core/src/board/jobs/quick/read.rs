//! Content of a small file, as one frame with its hash.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use super::{CONTENT_LIMIT, GUARD};
use crate::{
    board::{
        Error, Progress,
        jobs::{
            Job, JobContext, Step,
            transfer::{Delivery, hash},
        },
    },
    literal,
    raw_repl::{DataFrame, Outcome},
};

const READ: &str = include_str!("../../python/quick/read.py");
/// Number of hash bytes before the content.
const HASH: usize = 32;

/// Reads a small file.
#[derive(Debug)]
struct QuickRead {
    path: String,
    delivery: Delivery,
    content: Option<Vec<u8>>,
}

pub(super) fn read(path: &str, delivery: Delivery) -> Box<dyn Job> {
    Box::new(QuickRead {
        path: path.to_owned(),
        delivery,
        content: None,
    })
}

impl Job for QuickRead {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        let path = literal::text(&self.path);
        Step::RunFrames(format!(
            "{GUARD}import usys as s,uhashlib as h,ubinascii as u\nn={path}\n{}",
            READ.replace("limit", &format!("{CONTENT_LIMIT}"))
        ))
    }

    fn on_stdout(&mut self, _bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        Step::Ignore
    }

    fn on_frame(&mut self, frame: DataFrame) -> Step {
        if let Some((sum, content)) = frame.payload.split_at_checked(HASH)
            && sum == hash(&self.path, content)
        {
            self.content = Some(content.to_vec());
        }
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match (Error::from_outcome(&outcome), self.content.take()) {
            (None, Some(content)) => self.delivery.answer(content),
            (None, None) => Err(Error::Damaged),
            (Some(error), _) => Err(error),
        })
    }

    /// The program ends before a Ctrl-C would arrive, which would cut the frame.
    fn cancel(&mut self) -> bool {
        false
    }

    fn take_content(&mut self) -> Option<Vec<u8>> {
        self.delivery.take(self.content.as_ref()?)
    }

    fn progress(&self) -> Option<Progress> {
        self.content.as_ref().map(|content| Progress {
            done: content.len() as u64,
            total: None,
            entries: 0,
        })
    }
}
