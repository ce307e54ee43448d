//! Mounts and unmounts by programs in the board's REPL.

use alloc::{string::String, vec::Vec};

use super::{Event, Failure};
use crate::{
    Input, Instant, Machine, Output,
    board::{
        Capabilities,
        jobs::probe::{Learned, Probe},
    },
    mount::{
        install::{self, Config},
        reset::Reset,
    },
    raw_repl::{self, CommandError, Outcome, RawRepl, Traffic, own},
};

/// Current task, and the REPL that runs it.
#[derive(Debug)]
pub(super) struct Work {
    repl: RawRepl,
    step: Step,
    then: Then,
    board: Option<Capabilities>,
    transmit: Vec<u8>,
}

#[derive(Debug)]
enum Step {
    /// Query of the board's capabilities.
    Probe(Probe),
    /// The program that mounts the folder; collects the board's output, which names its directory.
    Mount(Vec<u8>),
    Unmount,
}

/// Output that the client sees at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The banner and the prompt.
    Prompt,
    /// The prompt alone, since the client has seen the banner.
    PromptAlone,
    /// The prompt of raw mode, since the client has seen its banner.
    Raw,
}

/// Banners expected when raw mode is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Banners {
    One,
    /// The client has requested raw mode as well.
    Several,
}

impl Banners {
    /// Returns the banners of a board that may still answer the client, or an earlier request.
    pub(super) const fn after(may_answer: bool) -> Self {
        match may_answer {
            true => Self::Several,
            false => Self::One,
        }
    }
}

impl Then {
    pub(super) const fn after(reset: Reset) -> Self {
        match reset {
            Reset::Raw => Self::Raw,
            Reset::Normal => Self::PromptAlone,
        }
    }
}

impl Work {
    /// Mounts the folder; an unknown board is first queried for its capabilities.
    pub(super) fn mount(
        now: Instant,
        board: Option<Capabilities>,
        config: &Config,
        then: Then,
        banners: Banners,
    ) -> Self {
        // A board remembered as lacking a required feature is queried again: only its own answer can rule it out.
        let remembered = config.remembered.clone();
        let remembered = remembered.filter(|board| board.mounts && board.crc32);
        let mut work = Self::new(board, config, Step::Probe(Probe::new(remembered)), then);
        if banners == Banners::Several {
            work.repl.expect_banners();
        }
        // A REPL that has done nothing cannot be busy.
        let _ = work.go_on(now, config);
        work
    }

    /// Unmounts the folder, and goes back to this directory.
    pub(super) fn unmount(now: Instant, config: &Config, directory: Option<&str>) -> Self {
        let mut work = Self::new(None, config, Step::Unmount, Then::Prompt);
        let _ = work.exec(now, &install::unmount(config, directory));
        work
    }

    fn new(board: Option<Capabilities>, config: &Config, step: Step, then: Then) -> Self {
        Self {
            repl: RawRepl::new(config.repl.clone()),
            step,
            then,
            board,
            transmit: Vec::new(),
        }
    }

    pub(super) const fn then(&self) -> Then {
        self.then
    }

    pub(super) const fn board(&self) -> Option<&Capabilities> {
        self.board.as_ref()
    }

    /// Returns the board's directory before the folder was mounted.
    pub(super) fn directory(&self) -> Option<String> {
        match &self.step {
            Step::Mount(said) => install::directory(said),
            Step::Probe(_) | Step::Unmount => None,
        }
    }

    pub(super) fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.repl.handle_input(now, input);
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.repl.deadline()
    }

    pub(super) fn take_transmit(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.transmit)
    }

    /// Handles the REPL's events. Returns the result once the work has ended, with the board on its way to the prompt.
    pub(super) fn run(&mut self, now: Instant, config: &Config) -> Option<Result<Event, Failure>> {
        loop {
            let done = match self.repl.poll_output() {
                Output::Transmit(bytes) => {
                    self.transmit.extend(bytes);
                    continue;
                }
                Output::Event(event) => self.take(now, event, config),
                Output::Idle(_) => return None,
            };
            if let Some(done) = done {
                self.leave();
                return Some(done);
            }
        }
    }

    fn take(
        &mut self,
        now: Instant,
        event: raw_repl::Event,
        config: &Config,
    ) -> Option<Result<Event, Failure>> {
        use raw_repl::Event as Repl;
        match event {
            Repl::Stdout(text) => {
                match &mut self.step {
                    Step::Probe(probe) => probe.push(&text),
                    Step::Mount(said) if said.len() + text.len() <= LONGEST_ANSWER => {
                        said.extend(text);
                    }
                    Step::Mount(_) | Step::Unmount => {}
                }
                None
            }
            Repl::Finished(Outcome::Completed) => self.next(now, config).transpose(),
            Repl::Finished(Outcome::Raised(traceback)) => {
                let asks_again = match &mut self.step {
                    Step::Probe(probe) => probe.end(false) == Learned::AskAgain,
                    Step::Mount(_) | Step::Unmount => false,
                };
                match asks_again {
                    true => self.go_on(now, config).err().map(Err),
                    false => Some(Err(Failure::Raised(traceback))),
                }
            }
            Repl::Finished(_) | Repl::SoftReset => Some(Err(Failure::Restarted)),
            Repl::Lost { reason } => Some(Err(Failure::Lost(reason))),
            Repl::Terminal(_) | Repl::Entered | Repl::Loaded | Repl::Frame(_) | Repl::Left => None,
        }
    }

    /// Handles the end of this step's program.
    fn next(&mut self, now: Instant, config: &Config) -> Result<Option<Event>, Failure> {
        match &mut self.step {
            Step::Probe(probe) => match probe.end(true) {
                Learned::Known(board) => self.board = Some(board),
                Learned::AskAgain => {}
                // The answer is not text, so the board has no known capabilities.
                Learned::Nothing => self.board = Some(Capabilities::default()),
            },
            Step::Mount(_) => return Ok(Some(Event::Mounted)),
            Step::Unmount => return Ok(Some(Event::Unmounted)),
        }
        self.go_on(now, config)?;
        Ok(None)
    }

    fn go_on(&mut self, now: Instant, config: &Config) -> Result<(), Failure> {
        let program = match &self.board {
            None => match &self.step {
                Step::Probe(probe) => probe.program().into(),
                Step::Mount(_) | Step::Unmount => return Ok(()),
            },
            Some(board) if !board.mounts => return Err(Failure::NoFileSystems),
            Some(board) if !board.crc32 => return Err(Failure::NoBinaryData),
            Some(board) => {
                self.step = Step::Mount(Vec::new());
                install::mount(config, board)
            }
        };
        let begun = self.exec(now, &program);
        begun.map_err(|_| Failure::Lost(raw_repl::LostReason::Closed))
    }

    fn exec(&mut self, now: Instant, program: &str) -> Result<(), CommandError> {
        let loads = self.board.as_ref().is_some_and(|board| board.reads_binary);
        let program = own(program);
        let loads = loads && self.repl.loads(program.len());
        let program = program.as_bytes();
        match loads {
            true => self.repl.exec_loading(now, program, Traffic::Text),
            false => self.repl.exec_own(now, program, Traffic::Text),
        }
    }

    fn leave(&mut self) {
        if self.then == Then::Raw || self.repl.leave().is_err() {
            return;
        }
        while let Output::Transmit(bytes) = self.repl.poll_output() {
            self.transmit.extend(bytes);
        }
    }
}

/// Limit of a board's answer, in bytes.
const LONGEST_ANSWER: usize = 4096;
