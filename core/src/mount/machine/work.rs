//! Mounts and unmounts by programs on the board.

use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};

use super::{Event, Failure};
use crate::{
    Input, Instant, Machine, Output,
    board::{self, Answer, Board, Capabilities, Error, Request},
    mount::{
        install::{self, Config, Form},
        reset::Reset,
    },
    raw_repl::{LostReason, Outcome, Traceback},
};

/// Current task, and the board that carries it out.
#[derive(Debug)]
pub(super) struct Work {
    board: Board,
    step: Step,
    then: Then,
    /// Output of the program that mounts the folder, which names the board's directory.
    said: Vec<u8>,
    transmit: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Query of the board's capabilities.
    Probe,
    Mount(Form),
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
        let mut work = Self::new(board, config, Step::Probe, then);
        if banners == Banners::Several {
            work.board.expect_banners();
        }
        // A board that has done nothing cannot be busy.
        let _ = work.board.request(now, Request::Capabilities);
        work
    }

    /// Unmounts the folder, and goes back to this directory.
    pub(super) fn unmount(now: Instant, config: &Config, directory: Option<&str>) -> Self {
        let mut work = Self::new(None, config, Step::Unmount, Then::Prompt);
        let program = install::unmount(config, directory);
        let _ = work.board.run_own(now, program);
        work
    }

    fn new(board: Option<Capabilities>, config: &Config, step: Step, then: Then) -> Self {
        // A board remembered as lacking a required feature is queried again: only its own answer can rule it out.
        let remembered = config.remembered.clone();
        let settings = board::Config {
            repl: config.repl.clone(),
            remembered: remembered.filter(|board| board.mounts && board.crc32),
            ..board::Config::default()
        };
        Self {
            board: Board::new(settings).with_capabilities(board),
            step,
            then,
            said: Vec::new(),
            transmit: Vec::new(),
        }
    }

    pub(super) const fn then(&self) -> Then {
        self.then
    }

    pub(super) const fn board(&self) -> Option<&Capabilities> {
        self.board.capabilities()
    }

    /// Returns the board's directory before the folder was mounted.
    pub(super) fn directory(&self) -> Option<String> {
        install::directory(&self.said)
    }

    pub(super) fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.board.handle_input(now, input);
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.board.deadline()
    }

    pub(super) fn take_transmit(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.transmit)
    }

    /// Handles the board's events. Returns the result once the work has ended, with the board on its way to the prompt.
    pub(super) fn run(&mut self, now: Instant, config: &Config) -> Option<Result<Event, Failure>> {
        loop {
            let done = match self.board.poll_output() {
                Output::Transmit(bytes) => {
                    self.transmit.extend(bytes);
                    continue;
                }
                Output::Event(board::Event::Content(said)) => {
                    self.said = said;
                    continue;
                }
                Output::Event(board::Event::Answered(answer)) => self.next(now, answer, config),
                Output::Event(_) => continue,
                Output::Idle(_) => return None,
            };
            if let Some(done) = done.transpose() {
                self.leave(now);
                return Some(done);
            }
        }
    }

    /// Handles the end of this step.
    fn next(
        &mut self,
        now: Instant,
        answer: Result<Answer, Error>,
        config: &Config,
    ) -> Result<Option<Event>, Failure> {
        let answer = answer.map_err(|error| failure(error, config))?;
        match (self.step, answer) {
            (Step::Probe, Answer::Capabilities(board)) => {
                self.mount_on(now, &board, config, Form::of(&board))?;
                Ok(None)
            }
            // `mount.py` says so of a file system that is not ours.
            (Step::Mount(_), Answer::Ran(outcome))
                if Error::from_outcome(&outcome) == Some(Error::Exists) =>
            {
                let at = config.at.clone();
                Err(Failure::Occupied { at })
            }
            // Firmware may lack the loader of bytecode, and a board's user may have changed `sys.path`.
            (Step::Mount(Form::Compiled), Answer::Ran(Outcome::Raised(traceback)))
                if !traceback.is_interrupt() =>
            {
                let board = self.board().cloned().unwrap_or_default();
                self.mount_on(now, &board, config, Form::Source)?;
                Ok(None)
            }
            (_, Answer::Ran(Outcome::Raised(traceback))) => Err(Failure::Raised(traceback)),
            (Step::Mount(_), Answer::Ran(Outcome::Completed)) => Ok(Some(Event::Mounted)),
            (Step::Unmount, Answer::Ran(Outcome::Completed)) => Ok(Some(Event::Unmounted)),
            _ => Err(Failure::Restarted),
        }
    }

    fn mount_on(
        &mut self,
        now: Instant,
        board: &Capabilities,
        config: &Config,
        form: Form,
    ) -> Result<(), Failure> {
        if !board.mounts {
            return Err(Failure::NoFileSystems);
        }
        if !board.crc32 {
            return Err(Failure::NoBinaryData);
        }
        self.step = Step::Mount(form);
        let begun = self.board.run_own(now, install::mount(config, board, form));
        begun.map_err(|_| Failure::Lost(LostReason::Closed))
    }

    fn leave(&mut self, now: Instant) {
        if self.then == Then::Raw || self.board.request(now, Request::Leave).is_err() {
            return;
        }
        while let Output::Transmit(bytes) = self.board.poll_output() {
            self.transmit.extend(bytes);
        }
    }
}

/// Converts the reason why a board reported nothing.
fn failure(error: Error, config: &Config) -> Failure {
    match error {
        Error::Raised(traceback) => Failure::Raised(traceback),
        Error::Restarted => Failure::Restarted,
        Error::Lost(reason) => Failure::Lost(reason),
        Error::Stalled => Failure::Lost(LostReason::TimedOut {
            after: config.repl.reply_timeout,
        }),
        error => Failure::Raised(Traceback::parse(error.to_string().as_bytes())),
    }
}
