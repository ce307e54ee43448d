#![doc = include_str!("README.md")]

mod capabilities;
mod chunked;
mod error;
mod files;
mod job;
mod literal;
mod request;
mod stream;

use alloc::{boxed::Box, collections::VecDeque, string::String};
use core::{fmt, mem, time::Duration};

use crate::{
    Input, Instant, Machine, Output,
    raw_repl::{self, CommandError, LostReason, Outcome, RawRepl},
};
use capabilities::Probe;
use job::{Facts, Job, Step};

pub use capabilities::Capabilities;
pub use error::FileError;
pub use request::{Answer, Entry, EntryKind, Progress, Request, Rung, Space, Written};

/// A board: its REPL, and what one does with its files.
#[derive(Debug)]
pub struct Board {
    repl: RawRepl,
    config: Config,
    now: Instant,
    work: Option<Work>,
    capabilities: Option<Capabilities>,
    receiver: Receiver,
    link_rate: Option<u32>,
    output: VecDeque<Output<Event>>,
}

/// The waits and limits of a [`Board`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Those of its REPL.
    pub repl: raw_repl::Config,
    /// Whether the link carries text alone, as WebREPL does: then nothing is streamed.
    pub text_link: bool,
    /// A board that falls silent in the middle of a stream is given up after this long.
    pub stall_timeout: Duration,
    /// The board gives up a silent host after this long, which should be sooner.
    pub host_timeout: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            repl: raw_repl::Config::default(),
            text_link: false,
            stall_timeout: Duration::from_secs(8),
            host_timeout: Duration::from_secs(3),
        }
    }
}

/// What the application learns from a board.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Something of the REPL, while no request is under way; a loss always.
    Repl(raw_repl::Event),
    /// A transfer got on.
    Progress(Progress),
    /// A request has ended.
    Answered(Result<Answer, FileError>),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repl(event) => event.fmt(f),
            Self::Progress(progress) => write!(f, "Progress {}", progress.done),
            Self::Answered(Ok(_)) => f.write_str("Answered"),
            Self::Answered(Err(error)) => write!(f, "Failed {error:?}"),
        }
    }
}

/// A program of ours may compute this long without a word: the hash of a large file, the tree of a slow card.
const QUIET_TIMEOUT: Duration = Duration::from_secs(120);
/// A block takes about this long at most, so that progress shows and a stall is noticed.
const BLOCKS_A_SECOND: usize = 2;
const LEAST_BLOCK: usize = 512;

/// Whether the board has the streaming receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receiver {
    Missing,
    Installed { block: usize },
}

#[derive(Debug)]
struct Work {
    job: Box<dyn Job>,
    phase: Phase,
    patience: Duration,
    quiet_at: Instant,
    stalled: bool,
    told: Option<Progress>,
}

#[derive(Debug)]
enum Phase {
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
    /// A board that nothing is known of.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            repl: RawRepl::new(config.repl.clone()),
            config,
            now: Instant::START,
            work: None,
            capabilities: None,
            receiver: Receiver::Missing,
            link_rate: None,
            output: VecDeque::new(),
        }
    }

    /// Begins a request. Any number of [`Event::Progress`] and one [`Event::Answered`] follow.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while a request or a program is under way, [`CommandError::Lost`] after the end.
    pub fn request(&mut self, now: Instant, request: Request) -> Result<(), CommandError> {
        self.check_idle()?;
        self.now = now;
        if let (Request::Capabilities, Some(known)) = (&request, &self.capabilities) {
            let answer = Answer::Capabilities(known.clone());
            self.output
                .push_back(Output::Event(Event::Answered(Ok(answer))));
            return Ok(());
        }
        let (job, phase): (Box<dyn Job>, _) = match &self.capabilities {
            Some(known) => (
                files::job(request, known, !self.config.text_link),
                Phase::Running,
            ),
            _ => (Box::new(Probe::default()), Phase::Probing(Some(request))),
        };
        self.begin(job, phase);
        Ok(())
    }

    /// Ends the request under way as soon as the board can, with [`FileError::Cancelled`]; without one, Ctrl-C.
    ///
    /// # Errors
    /// [`CommandError::Lost`] after the end.
    pub fn interrupt(&mut self, now: Instant) -> Result<(), CommandError> {
        let wants_interrupt = self.work.as_mut().is_none_or(|work| work.job.cancel());
        if wants_interrupt {
            self.repl.interrupt(now)
        } else {
            Ok(())
        }
    }

    /// The REPL, for its own commands.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while a request is under way.
    pub fn repl_mut(&mut self) -> Result<&mut RawRepl, CommandError> {
        if self.work.is_some() {
            Err(CommandError::Busy)
        } else {
            Ok(&mut self.repl)
        }
    }

    /// The REPL, to look at.
    #[must_use]
    pub const fn repl(&self) -> &RawRepl {
        &self.repl
    }

    /// What the board can do, once it was asked.
    #[must_use]
    pub const fn capabilities(&self) -> Option<&Capabilities> {
        self.capabilities.as_ref()
    }

    fn check_idle(&self) -> Result<(), CommandError> {
        match self.repl.mode() {
            raw_repl::Mode::Normal | raw_repl::Mode::Raw if self.work.is_none() => Ok(()),
            raw_repl::Mode::Lost => Err(CommandError::Lost),
            _ => Err(CommandError::Busy),
        }
    }

    fn begin(&mut self, job: Box<dyn Job>, phase: Phase) {
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
    fn with_job(&mut self, ask: impl FnOnce(&mut dyn Job, &Facts<'_>) -> Step) {
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
            let free = self
                .capabilities
                .as_ref()
                .map_or(0, |known| known.free_memory);
            let block = stream::block_size(free);
            let source = stream::install(block, self.config.host_timeout);
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

    fn finish(&mut self, answer: Result<Answer, FileError>) {
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

/// The largest block for the receiver that a link carries in a fraction of a second.
fn block(receiver: Receiver, link_rate: Option<u32>) -> usize {
    let Receiver::Installed { block } = receiver else {
        return LEAST_BLOCK;
    };
    let a_moment = link_rate.map_or(usize::MAX, |rate| rate as usize / BLOCKS_A_SECOND);
    block.min(a_moment.max(LEAST_BLOCK))
}

/// What the REPL says.
impl Board {
    fn hear(&mut self, event: raw_repl::Event) {
        use raw_repl::Event as Repl;

        if matches!(
            event,
            Repl::SoftReset | Repl::Finished(Outcome::Exited | Outcome::BoardReset)
        ) {
            self.receiver = Receiver::Missing;
        }
        if self.work.is_none() {
            self.output.push_back(Output::Event(Event::Repl(event)));
            return;
        }
        self.put_off_stall();
        match event {
            Repl::Stdout(bytes) => self.hear_stdout(&bytes),
            Repl::Frame(frame) => self.with_job(|job, _| job.frame(frame)),
            Repl::Finished(outcome) => self.hear_end(outcome),
            Repl::Lost { reason } => {
                self.finish(Err(FileError::Lost(reason)));
                self.output
                    .push_back(Output::Event(Event::Repl(Repl::Lost { reason })));
            }
            _ => {}
        }
    }

    fn hear_stdout(&mut self, bytes: &[u8]) {
        let installing = matches!(
            &self.work,
            Some(Work {
                phase: Phase::Installing { .. },
                ..
            })
        );
        if !installing {
            self.with_job(|job, facts| job.stdout(bytes, facts));
        }
    }

    fn hear_end(&mut self, outcome: Outcome) {
        let Some(work) = &mut self.work else { return };
        if work.stalled {
            self.finish(Err(FileError::Stalled));
            return;
        }
        let outcome = match &self.capabilities {
            Some(board) if board.wasi_errors => error::from_wasi(outcome),
            _ => outcome,
        };
        match mem::replace(&mut work.phase, Phase::Running) {
            Phase::Installing {
                block,
                since,
                bytes,
            } => self.installed(&outcome, block, since, bytes),
            Phase::Streaming if lacks_receiver(&outcome) => {
                self.receiver = Receiver::Missing;
                self.with_job(|job, facts| job.start(facts));
            }
            phase => {
                work.phase = phase;
                self.with_job(|job, facts| job.ended(&outcome, facts));
            }
        }
    }

    fn installed(&mut self, outcome: &Outcome, block: usize, since: Instant, bytes: usize) {
        if let Some(error) = FileError::from_outcome(outcome) {
            self.finish(Err(error));
            return;
        }
        self.receiver = Receiver::Installed { block };
        self.link_rate = rate(bytes, self.now - since);
        // The job begins again, now that the block's size is known.
        self.with_job(|job, facts| job.start(facts));
    }

    /// How long the board may be silent from now on.
    fn expect_within(&mut self, patience: Duration) {
        if let Some(work) = &mut self.work {
            work.patience = patience;
            work.quiet_at = self.now + patience;
        }
    }

    fn put_off_stall(&mut self) {
        if let Some(work) = &mut self.work {
            work.quiet_at = self.now + work.patience;
        }
    }

    /// The board has fallen silent: end what its program waits for, and get it back to its prompt.
    fn wake(&mut self) {
        let Some(work) = &mut self.work else { return };
        if self.now < work.quiet_at || work.stalled {
            return;
        }
        work.stalled = self.repl.abandon(self.now, work.job.filler());
        work.quiet_at = self.now + work.patience;
    }
}

/// The receiver is gone when the interpreter started anew without our seeing it.
fn lacks_receiver(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Raised(traceback) if traceback.exception == "NameError")
}

/// Bytes a second; `None` when no time passed.
fn rate(bytes: usize, elapsed: Duration) -> Option<u32> {
    let micros = elapsed.as_micros();
    (micros > 0).then(|| u32::try_from(bytes as u128 * 1_000_000 / micros).unwrap_or(u32::MAX))
}

impl Machine for Board {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        self.wake();
        self.repl.handle_input(now, input);
    }

    fn poll_output(&mut self) -> Output<Event> {
        loop {
            if let Some(output) = self.output.pop_front() {
                return output;
            }
            match self.repl.poll_output() {
                Output::Transmit(bytes) => return Output::Transmit(bytes),
                Output::Event(event) => self.hear(event),
                Output::Idle(deadline) => return Output::Idle(self.deadline(deadline)),
            }
        }
    }
}

impl Board {
    fn deadline(&self, repl: Option<Instant>) -> Option<Instant> {
        let own = self
            .work
            .as_ref()
            .filter(|work| !work.stalled)
            .map(|work| work.quiet_at);
        match (repl, own) {
            (Some(repl), Some(own)) => Some(repl.min(own)),
            (repl, own) => repl.or(own),
        }
    }
}
