//! Jobs: each step of theirs becomes a program on the board, or bytes for one, until they are done.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::{mem, time::Duration};

use super::{
    Answer, Board, Capabilities, Error, Event, Request,
    jobs::{
        Job, JobContext, Step, quick,
        receiver::{self, Part, Receiver},
    },
    release::Release,
    work::Work,
};
use crate::{
    Instant, literal,
    raw_repl::{CommandError, FORGET, KEPT, LostReason, Mode, Outcome, Traffic, own},
};

/// Beginnings, steps and ends of jobs.
impl Board {
    pub(super) fn begin_job(&mut self, now: Instant, job: Box<dyn Job>, next: Option<Request>) {
        self.work = Some(Work {
            next,
            ..Work::new(Some(job), now)
        });
        self.ask_job(now, |job, context| job.start(context));
    }

    /// True if remains of this crate's programs are still on the board.
    pub(super) fn must_forget(&self) -> bool {
        self.has_kept && self.repl.mode() == Mode::Raw
    }

    /// Removes the remains of this crate's programs from the board, then begins the next request, if any.
    pub(super) fn forget(&mut self, now: Instant, next: Option<Request>) {
        self.forgotten();
        self.work = Some(Work {
            is_silent: next.is_none(),
            next,
            ..Work::new(Some(Box::new(Forget)), now)
        });
        self.ask_job(now, |job, context| job.start(context));
    }

    /// Records that nothing of this crate remains on the board.
    pub(super) fn forgotten(&mut self) {
        self.has_kept = false;
        self.receiver = Receiver::default();
    }

    /// Buffers input for a program that has not begun, because remains are removed first.
    pub(super) fn type_ahead(&mut self, bytes: &[u8]) -> bool {
        let Some(work) = &mut self.work else {
            return false;
        };
        let waits = matches!(work.next, Some(Request::Exec { .. }));
        let fits = waits && work.typed.len() + bytes.len() <= TYPED_LIMIT;
        if fits {
            work.typed.extend_from_slice(bytes);
        }
        fits
    }

    /// Asks the job for its next step, and carries it out.
    pub(super) fn ask_job(
        &mut self,
        now: Instant,
        ask: impl FnOnce(&mut dyn Job, &JobContext<'_>) -> Step,
    ) {
        let Some(work) = &mut self.work else { return };
        let Some(job) = work.job.as_deref_mut() else {
            return;
        };
        let unknown = Capabilities::default();
        let capabilities = self.capabilities.as_ref().unwrap_or(&unknown);
        let context = JobContext {
            now,
            capabilities,
            link_rate: self.repl.paste_rate(),
        };
        let step = ask(job, &context);
        let (content, progress) = (job.take_content(), job.progress());
        if let Some(progress) = progress.filter(|_| progress != work.reported) {
            work.reported = Some(progress);
            self.report(Event::Progress(progress));
        }
        if let Some(content) = content {
            self.report(Event::Content(content));
        }
        self.take_step(now, step);
    }

    fn take_step(&mut self, now: Instant, step: Step) {
        match step {
            Step::Wait => self.put_off_stall(now),
            Step::Ignore => {}
            Step::Run(source) => self.run_program(now, &source, SILENCE_LIMIT, Traffic::Text),
            Step::RunShort(source) => {
                self.run_program(now, &source, self.config.stall_timeout, Traffic::Text);
            }
            Step::RunFrames(source) => {
                self.run_program(now, &source, self.config.stall_timeout, Traffic::Frames);
            }
            Step::Stream { parts, call } => self.stream(now, parts, &call),
            Step::Send(bytes) => {
                self.put_off_stall(now);
                // A program that has just ended reads no more; its end gives the reason.
                let _ = self.repl.send(&bytes);
            }
            Step::Done(answer) => self.done(now, answer),
        }
    }

    /// Runs a program of this crate, which prints nothing for at most `limit` once the board has read it.
    fn run_program(&mut self, now: Instant, source: &str, limit: Duration, traffic: Traffic) {
        if source.contains(KEPT) && source != FORGET {
            // The program replaces the remains of earlier ones, or uses them itself.
            self.receiver = Receiver::default();
            self.has_kept = true;
        }
        let source = literal::to_bytes(&own(source));
        let loads = self.reads_binary() && self.repl.loads(source.len());
        let first = if loads {
            self.config.stall_timeout
        } else {
            limit
        };
        if let Some(work) = &mut self.work {
            work.parts = None;
            work.expect_within(now, Some(first));
            work.limit_when_loaded = Some(limit);
        }
        let begun = if loads {
            self.repl.exec_loading(now, &source, traffic)
        } else {
            self.repl.exec_own(now, &source, traffic)
        };
        self.check_begun(begun);
    }

    /// Calls the receiver; missing parts of it are sent with the call.
    fn stream(&mut self, now: Instant, parts: &[Part], call: &str) {
        let limit = Some(self.config.stall_timeout);
        let traffic = match parts.contains(&Part::Read) {
            true => Traffic::Frames,
            false => Traffic::BinaryInput,
        };
        let parts = self.receiver.lacks(parts);
        let known = self.capabilities.clone().unwrap_or_default();
        // Code that is loaded is checked as a whole, however short it is.
        let loads = !parts.is_empty() && self.reads_binary() && self.repl.loads(usize::MAX);
        let install = match parts.is_empty() {
            true => String::new(),
            false => receiver::install(&parts, &known, self.config.host_timeout, !loads),
        };
        let program = literal::to_bytes(&own(&(install + call)));
        self.has_kept = true;
        if let Some(work) = &mut self.work {
            work.parts = Some(parts);
            work.expect_within(now, limit);
            work.limit_when_loaded = limit;
        }
        let begun = match loads {
            true => self.repl.exec_loading(now, &program, traffic),
            false => self.repl.exec_own(now, &program, traffic),
        };
        self.check_begun(begun);
    }

    fn reads_binary(&self) -> bool {
        let known = self.capabilities.as_ref();
        !self.config.text_link && known.is_some_and(|known| known.reads_binary)
    }

    pub(super) fn check_begun(&mut self, begun: Result<(), CommandError>) {
        if begun.is_err() {
            self.finish(Err(Error::Lost(LostReason::Closed)));
        }
    }

    /// Completes a job; a probe gives way to the request that needed it.
    fn done(&mut self, now: Instant, answer: Result<Answer, Error>) {
        if let Ok(Answer::Capabilities(known)) = &answer {
            self.capabilities = Some(known.clone());
        }
        let Some(work) = &mut self.work else { return };
        if let Some(request) = work.quick.take()
            && let Err(error) = &answer
            && !quick::is_answer(&request, error)
            && !work.is_cancelled
        {
            return self.begin_fully(now, request);
        }
        let typed = mem::take(&mut work.typed);
        match work.next.take() {
            Some(_) if work.is_cancelled => self.finish(Err(Error::Cancelled)),
            Some(request) if answer.is_ok() => {
                self.begin(now, request);
                if !typed.is_empty() {
                    // A program that has already ended reads no more.
                    let _ = self.repl.send(&typed);
                }
            }
            Some(_) | None => self.finish(answer),
        }
    }

    pub(super) fn put_off_stall(&mut self, now: Instant) {
        if let Some(work) = &mut self.work {
            work.expect_within(now, work.silence_limit);
        }
    }

    /// Records that the call has begun, and with it the receiver's parts.
    pub(super) fn has_receiver(&mut self) {
        if let Some(parts) = self.work.as_mut().and_then(|work| work.parts.as_mut()) {
            self.receiver.add(parts);
        }
    }
}

/// Effects of time.
impl Board {
    /// Time at which to act if no other event occurs.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let silence = self.work.as_ref().and_then(Work::deadline);
        let release = self.release.as_ref().map(Release::deadline);
        let all = [self.repl.deadline(), silence, release];
        all.into_iter().flatten().min()
    }

    /// Handles a board that has fallen silent: ends whatever its program waits for, and brings it back to its prompt.
    pub(super) fn wake(&mut self, now: Instant) {
        let Some(work) = &mut self.work else { return };
        if work.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        let filler = work.job.as_ref().map_or(0, |job| job.filler());
        work.is_stalled = self.repl.abandon(now, filler);
        work.expect_within(now, work.silence_limit);
    }
}

/// Removes the remains on the board. If there are none, the interpreter has restarted.
#[derive(Debug)]
struct Forget;

impl Job for Forget {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        Step::RunShort(FORGET.into())
    }

    fn on_stdout(&mut self, _bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        Step::Ignore
    }

    fn on_end(&mut self, _outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(Ok(Answer::Done))
    }
}

/// Limit of input that is buffered before its program runs, in bytes.
const TYPED_LIMIT: usize = 64 * 1024;
/// Time that a program of this crate may compute without output: for the hash of a large file, or the tree of a slow
/// card.
const SILENCE_LIMIT: Duration = Duration::from_secs(120);
