//! The current request: a command of the REPL, or a job, whose steps become such commands. Reports from the REPL go to
//! the application, or to the job.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::{mem, time::Duration};

use super::{
    Answer, Board, Capabilities, Error, Event, Progress, Request,
    dispatch::{self, Way},
    error,
    jobs::{
        Job, JobContext, Step,
        probe::Probe,
        quick,
        receiver::{self, Part, Receiver},
    },
    release::Release,
};
use crate::{
    Instant, Machine, Output, literal,
    raw_repl::{
        self, Command, CommandError, FORGET, KEPT, LostReason, Mode, Outcome, Traffic, own,
    },
};

/// A request being carried out.
#[derive(Debug)]
pub(super) struct Work {
    /// Job; `None` for a command of the REPL.
    pub(super) job: Option<Box<dyn Job>>,
    /// Next step once the job has probed the board, or has removed what earlier programs left there.
    next: Option<Request>,
    /// Request that the job tries to serve with one program, while the board's capabilities are unknown; if that fails, it is
    /// served in the ordinary way.
    quick: Option<Request>,
    /// Input typed for the next program.
    typed: Vec<u8>,
    /// True for a job that the application did not request: it has no answer.
    is_silent: bool,
    /// Parts of the receiver that are sent with the call; the board has them once the call prints its first byte.
    parts: Option<Vec<Part>>,
    /// Limit of the board's silence, now and after it has read its program; `None` for an application's program.
    silence_limit: Option<Duration>,
    limit_when_loaded: Option<Duration>,
    silent_at: Instant,
    is_stalled: bool,
    pub(super) is_cancelled: bool,
    reported: Option<Progress>,
}

impl Work {
    fn new(job: Option<Box<dyn Job>>, now: Instant) -> Self {
        Self {
            job,
            next: None,
            quick: None,
            typed: Vec::new(),
            is_silent: false,
            parts: None,
            silence_limit: None,
            limit_when_loaded: None,
            silent_at: now,
            is_stalled: false,
            is_cancelled: false,
            reported: None,
        }
    }

    /// Time at which the board has been silent for too long.
    fn deadline(&self) -> Option<Instant> {
        let is_watched = self.silence_limit.is_some() && !self.is_stalled;
        is_watched.then_some(self.silent_at)
    }

    fn expect_within(&mut self, now: Instant, limit: Option<Duration>) {
        self.silence_limit = limit;
        self.silent_at = now + limit.unwrap_or_default();
    }
}

/// Requests from the application.
impl Board {
    /// Begins a request, or first determines the board's capabilities.
    pub(super) fn begin(&mut self, now: Instant, request: Request) {
        if self.capabilities.is_none()
            && self.may_be_quick()
            && let Some(job) = quick::job(&request, &self.config)
        {
            self.work = Some(Work {
                quick: Some(request),
                ..Work::new(Some(job), now)
            });
            return self.ask_job(now, |job, context| job.start(context));
        }
        self.begin_fully(now, request);
    }

    /// Returns false if the board is remembered as one that runs no quick programs.
    fn may_be_quick(&self) -> bool {
        let remembered = self.config.remembered.as_ref();
        remembered.is_none_or(|board| board.sha256 && board.stat)
    }

    fn begin_fully(&mut self, now: Instant, request: Request) {
        let known = self.capabilities.clone();
        if let (Request::Capabilities, Some(known)) = (&request, &known) {
            return self.answer(Ok(Answer::Capabilities(known.clone())));
        }
        if self.must_forget() && request.is_of_the_application() {
            return self.forget(now, Some(request));
        }
        let (job, next): (Box<dyn Job>, _) = match known {
            None if matches!(request, Request::Capabilities) => {
                (Box::new(Probe::new(self.config.remembered.take())), None)
            }
            None if request.needs_capabilities() => {
                let probe = Probe::new(self.config.remembered.take());
                (Box::new(probe), Some(request))
            }
            known => {
                match dispatch::way(request, &known.unwrap_or_default(), self.config.text_link) {
                    Ok(Way::Command(command)) => {
                        self.work = Some(Work::new(None, now));
                        return self.command(now, &command);
                    }
                    Ok(Way::Job(job)) => (job, None),
                    Err(error) => return self.answer(Err(error)),
                }
            }
        };
        self.begin_job(now, job, next);
    }

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
    fn forgotten(&mut self) {
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
    fn ask_job(&mut self, now: Instant, ask: impl FnOnce(&mut dyn Job, &JobContext<'_>) -> Step) {
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

    fn command(&mut self, now: Instant, command: &Command) {
        let begun = self.repl.command(now, command);
        self.check_begun(begun);
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

    fn check_begun(&mut self, begun: Result<(), CommandError>) {
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

    fn finish(&mut self, answer: Result<Answer, Error>) {
        // The receiver itself may have been damaged on the way.
        let reason = answer.as_ref().err().map(Error::reason);
        if matches!(reason, Some(Error::Stalled | Error::Damaged)) {
            self.receiver = Receiver::default();
        }
        if self.work.as_ref().is_some_and(|work| work.is_silent) {
            self.work = None;
        } else if let Some(work) = &self.work {
            let answer = answer.map_err(|error| match &work.job {
                Some(job) => job.explain(error),
                None => error,
            });
            self.answer(answer);
        }
    }

    fn answer(&mut self, answer: Result<Answer, Error>) {
        self.work = None;
        self.report(Event::Answered(answer));
    }

    pub(super) fn report(&mut self, event: Event) {
        self.output.push_back(Output::Event(event));
    }
}

/// Reports from the REPL.
impl Board {
    /// Handles the REPL's output and events until none remain.
    pub(super) fn run(&mut self, now: Instant) {
        loop {
            match self.repl.poll_output() {
                Output::Transmit(bytes) => self.output.push_back(Output::Transmit(bytes)),
                Output::Event(event) => self.on_event(now, event),
                Output::Idle(_) if self.goes_on_releasing(now) => {}
                Output::Idle(_) => return,
            }
        }
    }

    /// Forwards typed input.
    pub(super) fn take_repl_output(&mut self) {
        while let Output::Transmit(bytes) = self.repl.poll_output() {
            self.output.push_back(Output::Transmit(bytes));
        }
    }

    fn on_event(&mut self, now: Instant, event: raw_repl::Event) {
        use raw_repl::Event as Repl;

        match event {
            Repl::Terminal(bytes) => self.report(Event::Terminal(bytes)),
            Repl::Stdout(bytes) if self.runs_command() => self.report(Event::Stdout(bytes)),
            Repl::Stdout(bytes) => {
                self.has_receiver();
                self.ask_job(now, |job, context| job.on_stdout(bytes, context));
            }
            Repl::Frame(frame) => {
                self.has_receiver();
                self.ask_job(now, |job, _| job.on_frame(frame));
            }
            Repl::Loaded => {
                if let Some(work) = &mut self.work {
                    work.expect_within(now, work.limit_when_loaded);
                }
            }
            Repl::Finished(outcome) => self.on_end(now, outcome),
            Repl::SoftReset => {
                self.forgotten();
                self.finish(Ok(Answer::Done));
            }
            Repl::Entered | Repl::Left => self.finish(Ok(Answer::Done)),
            Repl::Lost { reason } => self.on_loss(reason),
        }
    }

    fn runs_command(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.job.is_none())
    }

    fn put_off_stall(&mut self, now: Instant) {
        if let Some(work) = &mut self.work {
            work.expect_within(now, work.silence_limit);
        }
    }

    /// Records that the call has begun, and with it the receiver's parts.
    fn has_receiver(&mut self) {
        if let Some(parts) = self.work.as_mut().and_then(|work| work.parts.as_mut()) {
            self.receiver.add(parts);
        }
    }

    fn on_end(&mut self, now: Instant, outcome: Outcome) {
        if matches!(outcome, Outcome::Exited | Outcome::BoardReset) {
            self.forgotten();
        }
        let Some(work) = &mut self.work else { return };
        if work.job.is_none() {
            return self.finish(Ok(Answer::Ran(outcome)));
        }
        if work.is_stalled {
            return self.finish(Err(Error::Stalled));
        }
        let outcome = match &self.capabilities {
            Some(board) if board.wasi_errors => error::from_wasi(outcome),
            Some(_) | None => outcome,
        };
        if work.parts.is_some() && self.receiver.has_any() && lacks_receiver(&outcome) {
            // The interpreter has restarted unnoticed.
            self.receiver = Receiver::default();
            self.ask_job(now, |job, context| job.start(context));
        } else {
            self.ask_job(now, |job, context| job.on_end(outcome, context));
        }
    }

    fn on_loss(&mut self, reason: LostReason) {
        self.release = None;
        self.finish(Err(Error::Lost(reason.clone())));
        self.report(Event::Lost { reason });
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

/// Returns true if Python does not know `__fl__`, or not this part of it.
fn lacks_receiver(outcome: &Outcome) -> bool {
    let Outcome::Raised(traceback) = outcome else {
        return false;
    };
    matches!(traceback.exception.as_str(), "NameError" | "KeyError")
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
