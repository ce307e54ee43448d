//! Mounting and unmounting, by programs in the board's REPL.

use alloc::{string::String, vec::Vec};

use super::{Event, Failure};
use crate::{
    Input, Instant, Machine, Output,
    board::{
        Capabilities,
        probe::{Learned, Probe},
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
    /// Query of the board's abilities.
    Probe(Probe),
    /// The folder; the board says where it was.
    Mount(Vec<u8>),
    Unmount,
}

/// Output that others see at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The banner and the prompt.
    Prompt,
    /// The prompt, for they have seen the banner.
    PromptAlone,
    /// The prompt of raw mode, for they have seen its banner.
    Raw,
}

/// Banners expected when raw mode is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Banners {
    One,
    /// Others have asked for raw mode, too.
    Several,
}

impl Banners {
    /// Banners of a board that may still answer others, or an earlier question.
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
    /// Mounts the folder; on a board that is not known, asks it first what it can do.
    pub(super) fn mount(
        now: Instant,
        board: Option<Capabilities>,
        config: &Config,
        then: Then,
        banners: Banners,
    ) -> Self {
        // One that was said to lack what it takes is asked again: it is refused by its own word alone.
        let remembered = config.remembered.clone();
        let remembered = remembered.filter(|board| board.mounts && board.crc32);
        let mut work = Self::new(board, config, Step::Probe(Probe::new(remembered)), then);
        if banners == Banners::Several {
            work.repl.expect_banners();
        }
        // A REPL that has done nothing is not busy.
        let _ = work.go_on(now, config);
        work
    }

    /// Ends it, and goes back to this directory.
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

    /// Directory in which the board was before the folder was mounted.
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

    /// Handles the REPL's events. Returns the end if it is reached, with the board on its way to the prompt.
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

    /// The program of this step has ended.
    fn next(&mut self, now: Instant, config: &Config) -> Result<Option<Event>, Failure> {
        match &mut self.step {
            Step::Probe(probe) => match probe.end(true) {
                Learned::Known(board) => self.board = Some(board),
                Learned::AskAgain => {}
                // It says nothing that is text, and so nothing that it can.
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
