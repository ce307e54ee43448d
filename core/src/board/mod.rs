#![doc = include_str!("README.md")]

mod answer;
mod capabilities;
mod checked;
mod config;
mod dispatch;
mod error;
mod event;
mod job;
pub(crate) mod probe;
mod query;
mod quick;
mod receiver;
mod release;
mod request;
mod runner;
#[cfg(test)]
mod tests;
mod transfer;

use alloc::collections::VecDeque;
use core::time::Duration;

use crate::{
    Input, Instant, Machine, Output,
    raw_repl::{CommandError, Mode, RawRepl, check_source},
};
use receiver::Receiver;
use release::{Goal, Release};
use runner::Work;

pub use capabilities::Capabilities;
pub use config::Config;
pub use error::Error;
pub use event::Event;
pub use request::{
    Answer, Entry, EntryKind, NewEntry, Progress, Request, Space, TransferMethod, Written,
};

/// A board: its REPL, and what one does with its files.
///
/// A program, by the [driver](crate::Pump) of one page:
///
/// ```
/// use flylead_core::board::{Answer, Board, Config, Event, Request};
/// use flylead_core::raw_repl::Outcome;
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// # let (mut socket, mut wire) = UnixStream::pair()?;
/// # wire.write_all(b"\r\nraw REPL; CTRL-B to exit\r\n>OK42\r\n\x04\x04>")?;
/// let mut board = Pump::new(Board::new(Config::default()));
/// let exec = Request::Exec { source: b"print(6 * 7)".to_vec(), timeout: None };
/// board.command(|board| board.request(Instant::START, exec))?;
/// let mut answer = None;
/// drive(&mut socket, &mut board, |_, event| {
///     if let Event::Answered(answered) = event {
///         answer = Some(answered);
///     }
///     answer.is_none()
/// })?;
/// assert_eq!(answer, Some(Ok(Answer::Ran(Outcome::Completed))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Board {
    repl: RawRepl,
    config: Config,
    work: Option<Work>,
    release: Option<Release>,
    capabilities: Option<Capabilities>,
    receiver: Receiver,
    /// True if programs of ours have left something on the board for the next ones.
    has_kept: bool,
    output: VecDeque<Output<Event>>,
}

impl Board {
    /// A board that nothing is known of.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            repl: RawRepl::new(config.repl.clone()),
            config,
            work: None,
            release: None,
            capabilities: None,
            receiver: Receiver::default(),
            has_kept: false,
            output: VecDeque::new(),
        }
    }

    /// Begins a request. Exactly one [`Event::Answered`] follows, after any number of [`Event::Stdout`] and
    /// [`Event::Progress`].
    ///
    /// # Errors
    /// [`CommandError::Busy`] while a request is under way, [`CommandError::Lost`] after the end,
    /// [`CommandError::ControlByte`] for a program that raw mode cannot carry. Nothing was sent then.
    pub fn request(&mut self, now: Instant, request: Request) -> Result<(), CommandError> {
        self.check_idle()?;
        if let Request::Exec { source, .. } = &request {
            check_source(source)?;
        }
        self.begin(now, request);
        self.run(now);
        Ok(())
    }

    /// Ends the request under way as soon as the board can: a program raises `KeyboardInterrupt`, a transfer fails with
    /// [`Error::Cancelled`]. Without one, Ctrl-C.
    ///
    /// # Errors
    /// [`CommandError::Lost`] after the end.
    pub fn interrupt(&mut self, now: Instant) -> Result<(), CommandError> {
        self.interrupt_work(now)?;
        self.run(now);
        Ok(())
    }

    /// Ends the request under way, which is still answered: [`interrupt`](Self::interrupt)s it, again each second, until it
    /// has ended. [`Event::Stopped`] follows, at once if there is none, and within the time `within`, unless the board is
    /// lost or given back before. A second call meanwhile restarts that time; one event follows then.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while the board is given back, [`CommandError::Lost`] after the end.
    pub fn stop(&mut self, now: Instant, within: Duration) -> Result<(), CommandError> {
        if self.mode() == Mode::Lost {
            return Err(CommandError::Lost);
        }
        if self.is_released() {
            return Err(CommandError::Busy);
        }
        self.release = Some(Release::new(now, Goal::Idle, within));
        self.run(now);
        Ok(())
    }

    /// Types bytes: at the normal prompt, or into the running program's stdin.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while a request for files is under way, [`CommandError::NotRunning`] when nothing reads,
    /// [`CommandError::Lost`] after the end.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        if self.work.as_ref().is_some_and(|work| work.job.is_some()) {
            return match self.type_ahead(bytes) {
                true => Ok(()),
                false => Err(CommandError::Busy),
            };
        }
        self.repl.send(bytes)?;
        self.take_repl_output();
        Ok(())
    }

    /// Gives the board back: ends the request under way, which is still answered, and goes to the normal prompt.
    /// [`Event::Released`] follows within the time `within`, unless the board is lost before.
    ///
    /// # Errors
    /// [`CommandError::Lost`] after the end.
    pub fn release(&mut self, now: Instant, within: Duration) -> Result<(), CommandError> {
        if self.mode() == Mode::Lost {
            return Err(CommandError::Lost);
        }
        self.release = Some(Release::new(now, Goal::Prompt, within));
        self.run(now);
        Ok(())
    }

    /// State of the conversation. A request for files is many short programs, and counts as one
    /// that runs.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match (self.repl.mode(), &self.work) {
            (Mode::Lost, _) => Mode::Lost,
            (_, Some(work)) if work.job.is_some() => Mode::Running,
            (mode, _) => mode,
        }
    }

    /// Capabilities of the board, once queried.
    #[must_use]
    pub const fn capabilities(&self) -> Option<&Capabilities> {
        self.capabilities.as_ref()
    }

    /// Takes what an earlier connection has learned of the board; see [`Config::remembered`].
    pub fn remember(&mut self, capabilities: Capabilities) {
        self.config.remembered = Some(capabilities);
    }

    /// Chooses whether to write small files that the board has already; see [`Config::rewrites`].
    pub const fn rewrite(&mut self, rewrites: bool) {
        self.config.rewrites = rewrites;
    }

    /// True while the board is being released.
    fn is_released(&self) -> bool {
        self.release.as_ref().is_some_and(Release::is_for_prompt)
    }

    fn check_idle(&self) -> Result<(), CommandError> {
        match self.repl.mode() {
            Mode::Lost => Err(CommandError::Lost),
            Mode::Normal | Mode::Raw if self.work.is_none() && !self.is_released() => Ok(()),
            Mode::Normal | Mode::Raw | Mode::Entering | Mode::Running | Mode::Resetting => {
                Err(CommandError::Busy)
            }
        }
    }
}

impl Machine for Board {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.wake(now);
        self.repl.handle_input(now, input);
        self.run(now);
    }

    fn poll_output(&mut self) -> Output<Event> {
        self.output
            .pop_front()
            .unwrap_or_else(|| Output::Idle(self.deadline()))
    }
}
