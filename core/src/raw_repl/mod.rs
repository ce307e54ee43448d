//! MicroPython's REPL as a client speaks it: normal, raw and raw-paste mode.

mod event;
mod notation;
mod traceback;

use alloc::{collections::VecDeque, vec::Vec};
use core::time::Duration;

use crate::{Input, Instant, Machine, Output};

pub use event::{CommandError, Event, LostReason, Mode, Outcome};
pub use notation::Command;
pub use traceback::{ErrorKind, Frame, Recovery, Traceback};

/// A conversation with one board, from the moment its link is open.
///
/// It starts in [`Mode::Normal`] and sends nothing until it is asked to.
#[derive(Debug)]
pub struct RawRepl {
    config: Config,
    mode: Mode,
    output: VecDeque<Output<Event>>,
}

/// The waits and limits of a [`RawRepl`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// How long to try to reach raw mode, in all.
    pub enter_timeout: Duration,
    /// How long the board may take for an answer that no program delays.
    pub reply_timeout: Duration,
    /// Whether to look for raw-paste mode, or to send everything in paced raw mode.
    pub raw_paste: bool,
    /// How many bytes of one traceback are kept.
    pub traceback_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enter_timeout: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(5),
            raw_paste: true,
            traceback_limit: 64 * 1024,
        }
    }
}

impl RawRepl {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            mode: Mode::Normal,
            output: VecDeque::new(),
        }
    }

    /// Where the conversation stands.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Goes into raw mode, interrupting whatever runs. [`Event::Entered`] follows.
    pub fn enter(&mut self, _now: Instant) -> Result<(), CommandError> {
        Ok(())
    }

    /// Runs a program, entering raw mode first if need be; past `timeout`, if there is one, it is interrupted.
    /// [`Event::Stdout`] and [`Event::Finished`] follow.
    pub fn exec(
        &mut self,
        _now: Instant,
        _source: &[u8],
        _timeout: Option<Duration>,
    ) -> Result<(), CommandError> {
        Ok(())
    }

    /// Sends Ctrl-C: ends a running program with `KeyboardInterrupt`, clears a half-typed line.
    pub fn interrupt(&mut self, _now: Instant) -> Result<(), CommandError> {
        Ok(())
    }

    /// Restarts the interpreter, in raw mode: `boot.py` runs, `main.py` does not. [`Event::SoftReset`] follows.
    pub fn soft_reset(&mut self, _now: Instant) -> Result<(), CommandError> {
        Ok(())
    }

    /// Goes back to the normal prompt. [`Event::Left`] follows.
    pub fn leave(&mut self, _now: Instant) -> Result<(), CommandError> {
        Ok(())
    }

    /// Types bytes: at the normal prompt, or into the running program's stdin.
    pub fn send(&mut self, _now: Instant, _bytes: &[u8]) -> Result<(), CommandError> {
        Ok(())
    }
}

impl Machine for RawRepl {
    type Event = Event;

    fn handle_input(&mut self, _now: Instant, input: Input<'_>) {
        if let Input::Bytes(bytes) = input {
            self.output
                .push_back(Output::Event(Event::Terminal(Vec::from(bytes))));
        }
        let _ = &self.config;
    }

    fn poll_output(&mut self) -> Output<Event> {
        self.output.pop_front().unwrap_or(Output::Idle(None))
    }
}
