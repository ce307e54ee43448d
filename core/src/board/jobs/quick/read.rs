//! Content of a small file, as one frame with its hash.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use super::{CONTENT_LIMIT, beginning};
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
    is_whole: bool,
}

pub(super) fn read(path: &str, delivery: Delivery) -> Box<dyn Job> {
    Box::new(QuickRead {
        path: path.to_owned(),
        delivery,
        is_whole: false,
    })
}

impl Job for QuickRead {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        let path = literal::text(&self.path);
        Step::RunFrames(format!(
            "{}n={path}\n{}",
            beginning("usys as s,uhashlib as h,ubinascii as u"),
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
            self.delivery.begin(b"");
            self.delivery.push(content);
            self.is_whole = true;
        }
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match (Error::from_outcome(&outcome), self.is_whole) {
            (None, true) => self.delivery.answer(),
            (None, false) => Err(Error::Damaged),
            (Some(error), _) => Err(error),
        })
    }

    /// The program ends before a Ctrl-C would arrive, which would cut the frame.
    fn cancel(&mut self) -> bool {
        false
    }

    fn take_content(&mut self) -> Option<Vec<u8>> {
        self.delivery.take()
    }

    fn progress(&self) -> Option<Progress> {
        self.is_whole.then(|| self.delivery.progress())
    }
}
