#![doc = include_str!("README.md")]

mod banner;
mod config;
mod enter;
mod event;
mod frames;
mod loading;
mod notation;
mod paste;
mod receive;
mod reply;
mod running;
mod state;
#[cfg(test)]
mod tests;
mod traceback;

use alloc::{collections::VecDeque, vec, vec::Vec};
use core::time::Duration;

use crate::{Input, Instant, Machine, Output};
use banner::RawBanner;
use enter::{ENTER, Entering};
use loading::{LOADED_FROM, loader};
use paste::{PROBE, Probe};
pub(crate) use running::check_source;
use state::{PasteSupport, Program, State, Task};

pub use config::Config;
pub use event::{CommandError, Event, LostReason, Mode, Outcome};
pub use frames::DataFrame;
pub use notation::Command;
pub use traceback::{ErrorKind, Frame, Recovery, Traceback};

const EXIT_RAW: u8 = 0x02;
const INTERRUPT: u8 = 0x03;
const EXECUTE: u8 = 0x04;
const RAW_PASTE: u8 = 0x05;

/// A conversation with one board, from the moment its link is open.
///
/// It starts in [`Mode::Normal`] and sends nothing until it is asked to. Any bytes, split anywhere, give the same
/// events, but for where the text of [`Event::Stdout`] and [`Event::Terminal`] is cut.
#[derive(Debug)]
pub struct RawRepl {
    config: Config,
    state: State,
    paste: PasteSupport,
    /// A program that the board will ask for.
    load: Option<Vec<u8>>,
    /// The most bytes a second that a program was sent at.
    paste_rate: Option<u32>,
    output: VecDeque<Output<Event>>,
}

impl RawRepl {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let paste = if config.raw_paste {
            PasteSupport::Unknown
        } else {
            PasteSupport::No
        };
        Self {
            config,
            state: State::Normal,
            paste,
            load: None,
            paste_rate: None,
            output: VecDeque::new(),
        }
    }

    /// Where the conversation stands.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        match self.state {
            State::Normal => Mode::Normal,
            State::Entering { .. } => Mode::Entering,
            State::Raw { .. } => Mode::Raw,
            State::Resetting { .. } => Mode::Resetting,
            State::Lost => Mode::Lost,
            _ => Mode::Running,
        }
    }

    /// Whether the board has raw-paste mode, once that is known.
    #[must_use]
    pub const fn has_raw_paste(&self) -> Option<bool> {
        match self.paste {
            PasteSupport::Unknown => None,
            PasteSupport::Yes => Some(true),
            PasteSupport::No => Some(false),
        }
    }

    /// How many bytes a second the board takes, as far as raw-paste mode has shown: no more than the link carries, and
    /// less where each credit comes late.
    pub(crate) const fn paste_rate(&self) -> Option<u32> {
        self.paste_rate
    }

    /// Goes into raw mode, interrupting whatever runs. [`Event::Entered`] follows.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while another command is under way, [`CommandError::Lost`] after the end.
    pub fn enter(&mut self, now: Instant) -> Result<(), CommandError> {
        self.start(now, Task::Wait)
    }

    /// Runs a program, entering raw mode first if need be. [`Event::Stdout`] and [`Event::Finished`] follow. A
    /// program that runs longer than `timeout`, if there is one, is interrupted.
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
        self.exec_program(now, source, timeout, false)
    }

    /// Runs a program of ours that exchanges binary data: it reads from its stdin what [`send`](Self::send) sends,
    /// and its output begins with any number of [frames](DataFrame), told as [`Event::Frame`].
    ///
    /// It goes in raw-paste mode where there is one, however short: the unix port leaves the terminal cooked for a
    /// program sent in raw mode, and would take Ctrl-C out of the data.
    pub(crate) fn exec_transfer(
        &mut self,
        now: Instant,
        source: &[u8],
    ) -> Result<(), CommandError> {
        self.exec_program(now, source, None, true)
    }

    /// Whether a program, for a board that reads binary data, is better sent as data itself: in one exchange instead of
    /// one for each window of raw-paste mode, and not byte by byte.
    pub(crate) fn loads(&self, source: &str) -> bool {
        self.paste == PasteSupport::Yes && source.len() >= LOADED_FROM
    }

    /// Runs a program of ours that is sent as data. [`Event::Loaded`] comes when the board has it.
    pub(crate) fn exec_loading(
        &mut self,
        now: Instant,
        source: &[u8],
        transfer: bool,
    ) -> Result<(), CommandError> {
        check_source(source)?;
        self.exec_program(now, loader(source).as_bytes(), None, transfer)?;
        self.load = Some(source.to_vec());
        Ok(())
    }

    fn exec_program(
        &mut self,
        now: Instant,
        source: &[u8],
        timeout: Option<Duration>,
        transfer: bool,
    ) -> Result<(), CommandError> {
        check_source(source)?;
        self.start(
            now,
            Task::Exec(Program {
                source: source.to_vec(),
                timeout,
                transfer,
            }),
        )
    }

    /// Gives up a program that does not react to Ctrl-C because it reads data: `filler` zero bytes end what it waits
    /// for, then raw mode is entered anew. [`Event::Finished`] with `KeyboardInterrupt` follows, or a loss.
    ///
    /// `false` when no program runs: what is under way then has a time-out of its own.
    pub(crate) fn abandon(&mut self, now: Instant, filler: usize) -> bool {
        let State::Running(running) = &self.state else {
            return false;
        };
        let filler = filler.max(running.loading.as_ref().map_or(0, |loading| loading.length));
        self.transmit(&vec![0; filler]);
        self.resync(now, Task::Interrupted);
        true
    }

    /// Sends Ctrl-C: ends a running program with `KeyboardInterrupt`, which it may catch; stops the sending of one;
    /// clears a half-typed line. While raw mode is being entered it does nothing, as that interrupts already.
    ///
    /// # Errors
    /// [`CommandError::Lost`] after the end.
    pub fn interrupt(&mut self, now: Instant) -> Result<(), CommandError> {
        self.load = None;
        match &mut self.state {
            State::Lost => return Err(CommandError::Lost),
            State::Normal | State::Raw { .. } | State::Running(_) | State::Resetting { .. } => {
                self.transmit(&[INTERRUPT]);
            }
            State::Entering { task, .. } => task.interrupt(),
            State::Probing { .. } => self.resync(now, Task::Interrupted),
            State::Pacing { .. } => self.abandon_pacing(),
            State::Confirming { launch, .. } => launch.interrupted = true,
            State::Pasting { paste, launch, .. } if paste.has_ended() => launch.interrupted = true,
            State::Pasting { paste, .. } => {
                let bytes = paste.interrupt();
                self.transmit(&bytes);
            }
        }
        Ok(())
    }

    /// Restarts the interpreter, in raw mode: `boot.py` runs, `main.py` does not. [`Event::SoftReset`] follows.
    ///
    /// # Errors
    /// Those of [`enter`](Self::enter).
    pub fn soft_reset(&mut self, now: Instant) -> Result<(), CommandError> {
        self.start(now, Task::Reset)
    }

    /// Goes back to the normal prompt. [`Event::Left`] follows at once: a board may have any prompt, so none is
    /// waited for.
    ///
    /// # Errors
    /// [`CommandError::Busy`] while another command is under way, [`CommandError::Lost`] after the end.
    pub fn leave(&mut self) -> Result<(), CommandError> {
        match self.state {
            State::Normal => {}
            State::Raw { .. } => {
                self.transmit(&[EXIT_RAW]);
                self.state = State::Normal;
            }
            State::Lost => return Err(CommandError::Lost),
            _ => return Err(CommandError::Busy),
        }
        self.tell(Event::Left);
        Ok(())
    }

    /// Types bytes: at the normal prompt, or into the running program's stdin.
    ///
    /// # Errors
    /// [`CommandError::NotRunning`] when nothing reads, [`CommandError::Lost`] after the end.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        match self.state {
            State::Normal | State::Running(_) => self.transmit(bytes),
            State::Lost => return Err(CommandError::Lost),
            _ => return Err(CommandError::NotRunning),
        }
        Ok(())
    }

    fn start(&mut self, now: Instant, task: Task) -> Result<(), CommandError> {
        self.load = None;
        match self.state {
            State::Raw { settled: true } => self.begin(now, task),
            State::Normal | State::Raw { settled: false } => self.resync(now, task),
            State::Lost => return Err(CommandError::Lost),
            _ => return Err(CommandError::Busy),
        }
        Ok(())
    }

    /// Enters raw mode, from wherever the board is, and does `task` there.
    fn resync(&mut self, now: Instant, task: Task) {
        self.transmit(ENTER);
        self.state = State::Entering {
            entering: Entering::new(now, self.config.enter_timeout),
            task,
        };
    }

    fn begin(&mut self, now: Instant, task: Task) {
        match task {
            Task::Wait => self.settle(Event::Entered),
            Task::AfterReset(event) => self.settle(event),
            Task::Interrupted => self.settle(interrupted()),
            Task::Reset => self.reset(now),
            Task::Exec(program) if self.paste == PasteSupport::No || self.is_short(&program) => {
                self.state = State::Pacing {
                    program,
                    sent: 0,
                    next_at: now,
                };
                self.pace(now);
            }
            Task::Exec(program) => self.probe(now, program, 0),
        }
    }

    /// The board waits for a command, and the application learns why.
    fn settle(&mut self, event: Event) {
        self.state = State::Raw { settled: true };
        self.tell(event);
    }

    fn is_short(&self, program: &Program) -> bool {
        !program.transfer && program.source.len() <= self.config.short_program
    }

    fn reset(&mut self, now: Instant) {
        // Ctrl-C clears the line without a word: only an empty one turns Ctrl-D into a reset.
        self.transmit(&[INTERRUPT, EXECUTE]);
        self.await_reset(now, Event::SoftReset);
    }

    fn await_reset(&mut self, now: Instant, then: Event) {
        let deadline = now + self.config.reset_timeout;
        self.state = State::Resetting {
            banner: RawBanner::default(),
            then,
            deadline,
        };
    }

    fn probe(&mut self, now: Instant, program: Program, banners: u8) {
        self.transmit(PROBE);
        let deadline = now + self.config.probe_timeout;
        self.state = State::Probing {
            probe: Probe::default(),
            program,
            deadline,
            banners,
        };
    }

    fn transmit(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.output.push_back(Output::Transmit(bytes.to_vec()));
        }
    }

    fn tell(&mut self, event: Event) {
        self.output.push_back(Output::Event(event));
    }

    fn tell_stdout(&mut self, stdout: Vec<u8>) {
        if !stdout.is_empty() {
            self.tell(Event::Stdout(stdout));
        }
    }

    fn lose(&mut self, reason: LostReason) {
        if !matches!(self.state, State::Lost) {
            self.state = State::Lost;
            self.tell(Event::Lost { reason });
        }
    }
}

impl Machine for RawRepl {
    type Event = Event;

    /// Time comes first: what is due at `now` is done before the bytes of `now` are read.
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.wake(now);
        match input {
            Input::Bytes(bytes) => self.receive(now, bytes),
            Input::Closed => self.lose(LostReason::Closed),
            Input::Timeout => {}
        }
    }

    fn poll_output(&mut self) -> Output<Event> {
        self.output
            .pop_front()
            .unwrap_or_else(|| Output::Idle(self.deadline()))
    }
}

/// The end of a program that was stopped before it ran. The board says nothing then, so the words are ours, after
/// MicroPython's.
fn interrupted() -> Event {
    Event::Finished(Outcome::Raised(Traceback::parse(b"KeyboardInterrupt: \n")))
}
