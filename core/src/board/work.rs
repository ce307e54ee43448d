//! A request under way: its job's steps, as programs for the REPL.

use alloc::{boxed::Box, vec::Vec};
use core::time::Duration;

use super::{
    Answer, Board, Capabilities, Event, FileError, Progress, Request, files,
    job::{Facts, Job, Step},
    stream::{self, Part},
};
use crate::{
    Instant, Output,
    raw_repl::{CommandError, LostReason},
};

/// What the board has for streaming, in this life of its interpreter.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    parts: Vec<Part>,
}

impl Receiver {
    /// What it lacks of these, with what they stand on.
    fn lacks(&self, parts: &[Part]) -> Vec<Part> {
        let all = [Part::Common].iter().chain(parts);
        let missing = all.filter(|part| !self.parts.contains(part));
        missing.copied().collect()
    }

    pub(super) fn is_there(&self) -> bool {
        !self.parts.is_empty()
    }

    pub(super) fn add(&mut self, parts: Vec<Part>) {
        self.parts.extend(parts);
    }
}

#[derive(Debug)]
pub(super) struct Work {
    pub(super) job: Box<dyn Job>,
    pub(super) phase: Phase,
    pub(super) patience: Duration,
    /// The patience with it when it has read its program.
    pub(super) later: Duration,
    pub(super) quiet_at: Instant,
    pub(super) stalled: bool,
    pub(super) told: Option<Progress>,
}

#[derive(Debug)]
pub(super) enum Phase {
    /// Finding out what the board can do, for this request.
    Probing(Option<Request>),
    Running,
    /// These parts go to the board with the call; it has them when it says the first word.
    Streaming {
        parts: Vec<Part>,
    },
}

impl Board {
    pub(super) fn begin(&mut self, job: Box<dyn Job>, phase: Phase) {
        self.work = Some(Work {
            job,
            phase,
            patience: QUIET_TIMEOUT,
            later: QUIET_TIMEOUT,
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
            link_rate: self.repl.paste_rate(),
            block: block(capabilities, self.repl.paste_rate()),
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
            Step::Stream { parts, call } => self.stream(parts, &call),
            Step::Send(bytes) => self.send(&bytes),
            Step::Done(answer) => self.done(answer),
        }
    }

    fn run(&mut self, source: &str, patience: Duration) {
        if let Some(work) = &mut self.work
            && matches!(work.phase, Phase::Streaming { .. })
        {
            work.phase = Phase::Running;
        }
        if self.reads_binary() && self.repl.loads(source) {
            self.expect_within(self.config.stall_timeout, patience);
            let begun = self.repl.exec_loading(self.now, source.as_bytes(), false);
            self.check_begun(begun);
        } else {
            self.expect_within(patience, patience);
            let begun = self.repl.exec(self.now, source.as_bytes(), None);
            self.check_begun(begun);
        }
    }

    fn reads_binary(&self) -> bool {
        let known = self.capabilities.as_ref();
        !self.config.text_link && known.is_some_and(|known| known.reads_binary)
    }

    fn check_begun(&mut self, begun: Result<(), CommandError>) {
        if begun.is_err() {
            self.finish(Err(FileError::Lost(LostReason::Closed)));
        }
    }

    /// Calls the receiver; what is not there of it goes with the call.
    fn stream(&mut self, parts: &[Part], call: &str) {
        self.expect_within(self.config.stall_timeout, self.config.stall_timeout);
        let parts = self.receiver.lacks(parts);
        let known = self.capabilities.clone().unwrap_or_default();
        let program = match parts.is_empty() {
            true => call.into(),
            false => stream::install(&parts, &known, self.config.host_timeout) + call,
        };
        if let Some(work) = &mut self.work {
            work.phase = Phase::Streaming { parts };
        }
        let begun = match self.reads_binary() && self.repl.loads(&program) {
            true => self.repl.exec_loading(self.now, program.as_bytes(), true),
            false => self.repl.exec_transfer(self.now, program.as_bytes()),
        };
        self.check_begun(begun);
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
        let reason = answer.as_ref().err().map(FileError::reason);
        if matches!(reason, Some(FileError::Stalled | FileError::Damaged)) {
            self.receiver = Receiver::default();
        }
        if self.work.take().is_some() {
            self.output
                .push_back(Output::Event(Event::Answered(answer)));
        }
    }
}

/// The largest block for the receiver that a link carries in a second, so that progress shows and a stall is noticed; and
/// not much less, because the line is idle while a block is acknowledged.
fn block(board: &Capabilities, link_rate: Option<u32>) -> usize {
    let largest = stream::block_size(board.free_memory);
    let a_second = link_rate.map_or(usize::MAX, |rate| rate as usize);
    largest.min(a_second).max(stream::LEAST_BLOCK)
}

/// A program of ours may compute this long without a word: the hash of a large file, the tree of a slow card.
const QUIET_TIMEOUT: Duration = Duration::from_secs(120);
