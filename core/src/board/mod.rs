#![doc = include_str!("README.md")]

mod capabilities;
mod config;
mod dispatch;
mod error;
mod event;
mod jobs;
mod release;
mod request;
mod runner;
#[cfg(test)]
mod tests;
mod ticket;
mod work;

use alloc::collections::VecDeque;
use core::time::Duration;

use crate::{
    Input, Instant, Machine, Output,
    raw_repl::{CommandError, Mode, RawRepl},
};
use jobs::receiver::Receiver;
use release::{Goal, Release};
use work::Work;

pub use capabilities::Capabilities;
pub use config::Config;
pub use error::Error;
pub use event::Event;
pub use jobs::quick::CONTENT_LIMIT;
pub use request::{
    Answer, Entry, EntryKind, NewEntry, Progress, Request, Space, TransferMethod, Written,
};
pub use ticket::Ticket;

/// A board: its REPL, and operations on its files.
///
/// Running a program, with the one-page [driver](crate::Pump):
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
    /// True if programs of this crate have left something on the board for later ones.
    has_kept: bool,
    output: VecDeque<Output<Event>>,
}

impl Board {
    /// Creates a board about which nothing is known.
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

    /// Ends the current request as soon as the board can: a program raises `KeyboardInterrupt`, a transfer fails with
    /// [`Error::Cancelled`]. Without a request, sends Ctrl-C.
    ///
    /// # Errors
    /// [`CommandError::Lost`] after the connection was lost.
    pub fn interrupt(&mut self, now: Instant) -> Result<(), CommandError> {
        self.interrupt_work(now)?;
        self.run(now);
        Ok(())
    }

    /// Ends the current request, which is still answered, by calling [`interrupt`](Self::interrupt) each second until
    /// it has ended. [`Event::Stopped`] follows: immediately if there is no request, and within the time `within`
    /// otherwise, unless the board is lost or released before. A second call in the meantime restarts that time; only
    /// one event follows then.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while the board is being released, [`CommandError::Lost`] after the connection was lost.
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
    /// [`CommandError::Busy`] during a request for files, [`CommandError::NotRunning`] if nothing reads the bytes,
    /// [`CommandError::Lost`] after the connection was lost.
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

    /// Releases the board: ends the current request, which is still answered, and goes to the normal prompt.
    /// [`Event::Released`] follows within the time `within`, unless the board is lost before.
    ///
    /// # Errors
    /// [`CommandError::Lost`] after the connection was lost.
    pub fn release(&mut self, now: Instant, within: Duration) -> Result<(), CommandError> {
        if self.mode() == Mode::Lost {
            return Err(CommandError::Lost);
        }
        self.release = Some(Release::new(now, Goal::Prompt, within));
        self.run(now);
        Ok(())
    }

    /// State of the connection. A request for files consists of many short programs, and counts as a running program.
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

    /// Sets the capabilities learned on an earlier connection; see [`Config::remembered`].
    pub fn remember(&mut self, capabilities: Capabilities) {
        self.config.remembered = Some(capabilities);
    }

    /// Sets whether small files that the board already has are written again; see [`Config::rewrites`].
    pub const fn rewrite(&mut self, rewrites: bool) {
        self.config.rewrites = rewrites;
    }

    /// True while the board is being released.
    fn is_released(&self) -> bool {
        self.release.as_ref().is_some_and(Release::is_for_prompt)
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
