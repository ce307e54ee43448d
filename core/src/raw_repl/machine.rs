//! The conversation itself: operations of the application, the board and the clock.

use alloc::{vec, vec::Vec};
use core::{mem, time::Duration};

use super::{
    Command, CommandError, Config, Event, LostReason, Mode,
    command::check_source,
    context::Context,
    control::EXIT_RAW,
    running::{Launch, Traffic},
    sending::loading,
    state::{Goal, Program, State},
};
use crate::{Input, Instant, Machine, Output};

/// A conversation with one board, from the moment its link is open.
///
/// It starts in [`Mode::Normal`] and sends nothing unless requested. Any bytes, split anywhere, give the same events,
/// except for the places where the text of [`Event::Stdout`] and [`Event::Terminal`] is cut.
///
/// Running a program, with the one-page [driver](crate::Pump):
///
/// ```
/// use flylead_core::raw_repl::{Config, Event, Outcome, RawRepl};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// # let (mut socket, mut board) = UnixStream::pair()?;
/// # board.write_all(b"\r\nraw REPL; CTRL-B to exit\r\n>OK42\r\n\x04\x04>")?;
/// let mut repl = Pump::new(RawRepl::new(Config::default()));
/// repl.command(|repl| repl.exec(Instant::START, b"print(6 * 7)", None))?;
/// let mut printed = Vec::new();
/// drive(&mut socket, &mut repl, |_, event| match event {
///     Event::Stdout(output) => {
///         printed.extend(output);
///         true
///     }
///     event => event != Event::Finished(Outcome::Completed),
/// })?;
/// assert_eq!(printed, b"42\r\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RawRepl {
    state: State,
    context: Context,
}

impl RawRepl {
    /// Creates a conversation that has not begun.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            state: State::Normal,
            context: Context::new(config),
        }
    }

    /// Returns the state of the conversation.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.state.mode()
    }

    /// Returns true if the board has raw-paste mode; `None` while that is unknown.
    #[must_use]
    pub const fn has_raw_paste(&self) -> Option<bool> {
        self.context.has_raw_paste
    }

    /// Returns the rate at which the board accepts bytes per second, as measured in raw-paste mode: at most the link's,
    /// and less if each credit is late.
    pub(crate) const fn paste_rate(&self) -> Option<u32> {
        self.context.paste_rate
    }

    /// Gives a command as a value.
    ///
    /// # Errors
    /// Those of the command's own method.
    pub fn command(&mut self, now: Instant, command: &Command) -> Result<(), CommandError> {
        match command {
            Command::Enter => self.enter(now),
            Command::Exec { source, timeout } => self.exec(now, source, *timeout),
            Command::Interrupt => self.interrupt(now),
            Command::SoftReset => self.soft_reset(now),
            Command::Leave => self.leave(),
            Command::Send(bytes) => self.send(bytes),
        }
    }

    /// Enters raw mode, interrupting any running program. [`Event::Entered`] follows.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while another command is in progress, [`CommandError::Lost`] after the connection was
    /// lost.
    pub fn enter(&mut self, now: Instant) -> Result<(), CommandError> {
        self.start(now, Goal::Report(Event::Entered))
    }

    /// Runs a program, entering raw mode first if necessary. [`Event::Stdout`] and [`Event::Finished`] follow. A
    /// program that runs longer than `timeout`, if given, is interrupted.
    ///
    /// # Errors
    /// [`CommandError::ControlByte`] for a source that raw mode cannot carry, and the errors of
    /// [`enter`](Self::enter).
    pub fn exec(
        &mut self,
        now: Instant,
        source: &[u8],
        timeout: Option<Duration>,
    ) -> Result<(), CommandError> {
        // Ctrl-D on an empty line would be a soft reset.
        let source = if source.is_empty() { b"\n" } else { source };
        self.exec_program(now, source, timeout, Traffic::Any)
    }

    /// Runs a program of this crate. It may read binary data, which [`send`](Self::send) sends, and its output may
    /// begin with [frames](super::DataFrame), reported as [`Event::Frame`].
    ///
    /// A program with binary data is sent in raw-paste mode if available, however short it is: the unix port leaves the
    /// terminal cooked for a program sent in raw mode, and would take Ctrl-C out of the data.
    pub(crate) fn exec_own(
        &mut self,
        now: Instant,
        source: &[u8],
        traffic: Traffic,
    ) -> Result<(), CommandError> {
        self.exec_program(now, source, None, traffic)
    }

    /// Returns true if a program, for a board that reads binary data, is better sent as data: in
    /// one exchange instead of one for each window of raw-paste mode, and not byte by byte.
    pub(crate) fn loads(&self, length: usize) -> bool {
        self.context.has_raw_paste == Some(true) && length >= loading::LOADED_FROM
    }

    /// Runs a program of this crate that is sent as data. [`Event::Loaded`] comes once the board has it.
    #[cfg(feature = "board")]
    pub(crate) fn exec_loading(
        &mut self,
        now: Instant,
        source: &[u8],
        traffic: Traffic,
    ) -> Result<(), CommandError> {
        check_source(source)?;
        let launch = Launch {
            timeout: None,
            traffic,
            load: Some(source.to_vec()),
            interrupted: false,
            typed: Vec::new(),
        };
        let source = crate::literal::to_bytes(&loading::loader(source));
        self.start(now, Goal::Run(Program { source, launch }))
    }

    fn exec_program(
        &mut self,
        now: Instant,
        source: &[u8],
        timeout: Option<Duration>,
        traffic: Traffic,
    ) -> Result<(), CommandError> {
        check_source(source)?;
        let launch = Launch {
            timeout,
            traffic,
            load: None,
            interrupted: false,
            typed: Vec::new(),
        };
        let source = source.to_vec();
        self.start(now, Goal::Run(Program { source, launch }))
    }

    /// Abandons a program that does not react to Ctrl-C because it reads data: `filler` zero bytes complete its read,
    /// then raw mode is entered again. [`Event::Finished`] with `KeyboardInterrupt` follows, or the loss of the board.
    ///
    /// Returns false if no program runs: any other work has a time-out of its own.
    pub(crate) fn abandon(&mut self, now: Instant, filler: usize) -> bool {
        let State::Running(running) = &self.state else {
            return false;
        };
        self.context.transmit(vec![0; running.filler(filler)]);
        self.state = State::enter(now, Goal::ReportInterrupted, &mut self.context);
        true
    }

    /// Sends Ctrl-C: ends a running program with `KeyboardInterrupt`, which it may catch; stops the sending of a
    /// program; clears a half-typed line. A program that waits for raw mode is not run, and ends immediately;
    /// otherwise, nothing is sent while raw mode is being entered, as that already interrupts.
    ///
    /// # Errors
    /// [`CommandError::Lost`] after the connection was lost.
    pub fn interrupt(&mut self, now: Instant) -> Result<(), CommandError> {
        if self.mode() == Mode::Lost {
            return Err(CommandError::Lost);
        }
        self.change(|state, context| state.interrupt(now, context));
        Ok(())
    }

    /// Restarts the interpreter in raw mode, running `boot.py` but not `main.py`. [`Event::SoftReset`] follows.
    ///
    /// # Errors
    /// Those of [`enter`](Self::enter).
    pub fn soft_reset(&mut self, now: Instant) -> Result<(), CommandError> {
        self.start(now, Goal::Reset)
    }

    /// Returns to the normal prompt. [`Event::Left`] follows immediately: a board may have any prompt, so none is
    /// awaited.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while another command is in progress, [`CommandError::Lost`] after the connection was
    /// lost.
    pub fn leave(&mut self) -> Result<(), CommandError> {
        match self.mode() {
            Mode::Normal if !self.context.is_unanswered => {}
            Mode::Normal | Mode::Raw => {
                self.context.transmit(EXIT_RAW);
                self.state = State::Normal;
            }
            Mode::Lost => return Err(CommandError::Lost),
            Mode::Entering | Mode::Running | Mode::Resetting => return Err(CommandError::Busy),
        }
        self.context.report(Event::Left);
        Ok(())
    }

    /// Types bytes: at the normal prompt, or into the running program's stdin. For a program that is still being sent,
    /// up to 64 KiB are buffered until it runs; bytes that a program has not read at its end are dropped.
    ///
    /// # Errors
    /// [`CommandError::NotRunning`] if nothing reads the bytes, [`CommandError::Lost`] after the connection was lost.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        match self.state.send(bytes, &mut self.context) {
            true => Ok(()),
            false if self.mode() == Mode::Lost => Err(CommandError::Lost),
            false => Err(CommandError::NotRunning),
        }
    }

    /// Expects more than one banner: others have requested raw mode without an answer.
    pub(crate) const fn expect_banners(&mut self) {
        self.context.is_unanswered = true;
    }

    /// Returns the time at which the machine must be woken.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.state.deadline()
    }

    fn start(&mut self, now: Instant, goal: Goal) -> Result<(), CommandError> {
        let is_settled = matches!(self.state, State::Raw { settled: true });
        match self.mode() {
            Mode::Normal | Mode::Raw => {}
            Mode::Lost => return Err(CommandError::Lost),
            Mode::Entering | Mode::Running | Mode::Resetting => return Err(CommandError::Busy),
        }
        self.state = match is_settled {
            true => State::begin(now, goal, &mut self.context),
            false => State::enter(now, goal, &mut self.context),
        };
        Ok(())
    }

    fn change(&mut self, change: impl FnOnce(State, &mut Context) -> State) {
        let state = mem::replace(&mut self.state, State::Lost);
        self.state = change(state, &mut self.context);
    }

    fn receive(&mut self, now: Instant, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let mut used = 0;
            self.change(|state, context| {
                let (next, count) = state.receive(now, bytes, context);
                used = count;
                next
            });
            bytes = &bytes[used..];
        }
    }
}

impl Machine for RawRepl {
    type Event = Event;

    /// Time comes first: work due at `now` is done before the bytes of `now` are read.
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            self.change(|state, context| state.wake(now, context));
        }
        match input {
            Input::Bytes(bytes) => self.receive(now, bytes),
            Input::Closed if self.mode() != Mode::Lost => {
                self.state = State::lose(LostReason::Closed, &mut self.context);
            }
            Input::Closed | Input::Timeout => {}
        }
    }

    fn poll_output(&mut self) -> Output<Event> {
        let output = self.context.pop();
        output.unwrap_or_else(|| Output::Idle(self.deadline()))
    }
}
