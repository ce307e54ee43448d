#![doc = include_str!("README.md")]

mod answers;
mod capabilities;
mod chunked;
mod config;
mod error;
mod event;
mod files;
mod hear;
mod job;
mod literal;
mod one_by_one;
mod pack;
mod request;
mod stream;
mod work;

use alloc::{boxed::Box, collections::VecDeque};

use crate::{
    Input, Instant, Machine, Output,
    raw_repl::{self, CommandError, RawRepl},
};
use capabilities::Probe;
use job::Job;
use work::{Phase, Receiver, Work};

pub use capabilities::Capabilities;
pub use config::Config;
pub use error::FileError;
pub use event::Event;
pub use request::{Answer, Entry, EntryKind, NewEntry, Progress, Request, Rung, Space, Written};

/// A board: its REPL, and what one does with its files.
#[derive(Debug)]
pub struct Board {
    repl: RawRepl,
    config: Config,
    now: Instant,
    work: Option<Work>,
    capabilities: Option<Capabilities>,
    receiver: Receiver,
    output: VecDeque<Output<Event>>,
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
            receiver: Receiver::default(),
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
