//! A request under way: its job's steps, as programs for the REPL.

use alloc::{boxed::Box, string::String};
use core::time::Duration;

use super::{
    Answer, Board, Capabilities, Event, FileError, Progress, Request, files,
    job::{Facts, Job, Step},
    stream,
};
use crate::{Instant, Output, raw_repl::LostReason};

/// Whether the board has the streaming receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Receiver {
    Missing,
    Installed { block: usize },
}

#[derive(Debug)]
pub(super) struct Work {
    pub(super) job: Box<dyn Job>,
    pub(super) phase: Phase,
    pub(super) patience: Duration,
    pub(super) quiet_at: Instant,
    pub(super) stalled: bool,
    pub(super) told: Option<Progress>,
}

#[derive(Debug)]
pub(super) enum Phase {
    /// Finding out what the board can do, for this request.
    Probing(Option<Request>),
    /// Putting the receiver on the board.
    Installing {
        block: usize,
        since: Instant,
        bytes: usize,
    },
    Running,
    Streaming,
}

impl Board {
    pub(super) fn begin(&mut self, job: Box<dyn Job>, phase: Phase) {
        self.work = Some(Work {
            job,
            phase,
            patience: QUIET_TIMEOUT,
            quiet_at: self.now,
            stalled: false,
            told: None,
        });
        self.with_job(|job, facts| job.start(facts));
    }

    /// Asks the job for its next step, and takes it.
    pub(super) fn with_job(&mut self, ask: impl FnOnce(&mut dyn Job, &Facts<'_>) -> Step) {
        let Some(work) = &mut self.work else { return };
        let unknown = Capabilities::default();
        let capabilities = self.capabilities.as_ref().unwrap_or(&unknown);
        let facts = Facts {
            now: self.now,
            capabilities,
            link_rate: self.link_rate,
            block: block(self.receiver, self.link_rate),
        };
        let step = ask(work.job.as_mut(), &facts);
        if let Some(progress) = work
            .job
            .progress()
            .filter(|progress| work.told != Some(*progress))
        {
            work.told = Some(progress);
            self.output
                .push_back(Output::Event(Event::Progress(progress)));
        }
        self.take_step(step);
    }

    fn take_step(&mut self, step: Step) {
        match step {
            Step::Wait => {}
            Step::Run(source) => self.run(&source, QUIET_TIMEOUT),
            Step::RunShort(source) => self.run(&source, self.config.stall_timeout),
            Step::Stream(call) => self.stream(call),
            Step::Send(bytes) => self.send(&bytes),
            Step::Done(answer) => self.done(answer),
        }
    }

    fn run(&mut self, source: &str, patience: Duration) {
        self.expect_within(patience);
        if self.repl.exec(self.now, source.as_bytes(), None).is_err() {
            self.finish(Err(FileError::Lost(LostReason::Closed)));
        }
    }

    /// Calls the receiver, which is put on the board first if it is not there.
    fn stream(&mut self, call: String) {
        self.expect_within(self.config.stall_timeout);
        let Some(work) = &mut self.work else { return };
        if self.receiver == Receiver::Missing {
            let known = self.capabilities.clone().unwrap_or_default();
            let block = stream::block_size(known.free_memory);
            let source = stream::install(&known, block, self.config.host_timeout);
            work.phase = Phase::Installing {
                block,
                since: self.now,
                bytes: source.len(),
            };
            self.run(&source, self.config.stall_timeout);
        } else {
            work.phase = Phase::Streaming;
            if self.repl.exec_transfer(self.now, call.as_bytes()).is_err() {
                self.finish(Err(FileError::Lost(LostReason::Closed)));
            }
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        // A program that has just ended reads no more; its end says why.
        let _ = self.repl.send(self.now, bytes);
    }

    /// A job is done; a probe gives way to the request it was for.
    fn done(&mut self, answer: Result<Answer, FileError>) {
        let Some(work) = &mut self.work else { return };
        match (&mut work.phase, answer) {
            (Phase::Probing(request), Ok(Answer::Capabilities(known))) => {
                let request = request
                    .take()
                    .filter(|request| *request != Request::Capabilities);
                self.capabilities = Some(known.clone());
                match request {
                    Some(request) => {
                        self.begin(
                            files::job(request, &known, !self.config.text_link),
                            Phase::Running,
                        );
                    }
                    None => self.finish(Ok(Answer::Capabilities(known))),
                }
            }
            (_, answer) => self.finish(answer),
        }
    }

    pub(super) fn finish(&mut self, answer: Result<Answer, FileError>) {
        // The receiver itself may have been damaged on the way.
        if matches!(answer, Err(FileError::Stalled | FileError::Damaged)) {
            self.receiver = Receiver::Missing;
        }
        if self.work.take().is_some() {
            self.output
                .push_back(Output::Event(Event::Answered(answer)));
        }
    }
}

/// The largest block for the receiver that a link carries in a second, so that progress shows and a stall is noticed; and
/// not much less, because the line is idle while a block is acknowledged.
fn block(receiver: Receiver, link_rate: Option<u32>) -> usize {
    let Receiver::Installed { block } = receiver else {
        return LEAST_BLOCK;
    };
    let a_second = link_rate.map_or(usize::MAX, |rate| rate as usize);
    block.min(a_second.max(LEAST_BLOCK))
}

/// A program of ours may compute this long without a word: the hash of a large file, the tree of a slow card.
const QUIET_TIMEOUT: Duration = Duration::from_secs(120);
const LEAST_BLOCK: usize = 512;
