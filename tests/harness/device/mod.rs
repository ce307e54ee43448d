//! The other half: a board as MicroPython's `pyexec.c` makes it behave, without the Python.
//!
//! It is written from that behavior and shares no code with the client. Bytes and time go in, bytes come out; its
//! programs are scripts, known by their source, so a byte lost on the way is a program that it does not know.

mod program;
mod prompt;
mod running;

use std::{collections::VecDeque, mem, time::Duration};

use fastrand::Rng;
use flylead_core::Instant;

pub use program::{Ending, Program, Step};
use running::{Home, Running};

/// Traits of a board.
#[derive(Debug, Clone)]
pub struct Traits {
    /// Raw-paste mode.
    pub raw_paste: RawPaste,
    /// True if `print` converts `\n` to `\r\n`.
    pub cooks: bool,
    /// The line that announces a soft reset, without its end.
    pub reboot: &'static str,
    /// True if `SystemExit` in raw mode resets.
    pub resets_on_exit: bool,
    /// Number of received bytes that it buffers while it is busy; more are lost.
    pub input_room: usize,
    /// Time to read a byte of source.
    pub byte_time: Duration,
    /// Time after opening in which it ignores input.
    pub boot_time: Duration,
    /// Time of a soft reset.
    pub reset_time: Duration,
    /// Output of `boot.py`.
    pub boot_output: &'static [u8],
    /// `main.py`, which runs after booting and after a soft reset at the friendly prompt.
    pub main: Option<Program>,
    /// Temper of the board.
    pub temper: Temper,
}

/// Support for raw-paste mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawPaste {
    /// It has it, with a window of this many bytes.
    Window(u16),
    /// It knows the question, and refuses.
    Refused,
    /// It is too old for the question.
    Unknown,
}

/// Temper of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temper {
    /// Correct behavior.
    Sound,
    /// It never says anything.
    Mute,
    /// It answers every byte with random ones.
    Mad {
        /// Seed of the random numbers.
        seed: u64,
    },
}

impl Default for Traits {
    fn default() -> Self {
        Self {
            raw_paste: RawPaste::Window(128),
            cooks: true,
            reboot: "MPY: soft reboot",
            resets_on_exit: true,
            input_room: 512,
            byte_time: Duration::from_micros(10),
            boot_time: Duration::ZERO,
            reset_time: Duration::from_millis(30),
            boot_output: b"",
            main: None,
            temper: Temper::Sound,
        }
    }
}

/// A board.
#[derive(Debug)]
pub struct Device {
    traits: Traits,
    programs: Vec<Program>,
    state: State,
    input: VecDeque<u8>,
    output: Vec<u8>,
    /// Time at which it is ready for its next byte.
    busy_until: Instant,
    rng: Rng,
    history: History,
}

/// History of a board, for a test to compare with the client's view.
#[derive(Debug, Default)]
pub struct History {
    /// Ends of all programs, in order.
    pub endings: Vec<Past>,
    /// Output of each program, as it was sent.
    pub outputs: Vec<Vec<u8>>,
    /// Number of received bytes lost for lack of space.
    pub overruns: usize,
    /// Number of restarts of the interpreter.
    pub resets: usize,
}

/// Actual end of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Past {
    /// At its last line.
    Returned,
    /// With an exception, of which this is the text.
    Raised(String),
    /// With `SystemExit`.
    Exited,
    /// It is none of those that the device knows: it was changed on the way.
    Unknown(Vec<u8>),
}

#[derive(Debug)]
enum State {
    Booting {
        until: Instant,
        then: Mode,
        is_deaf: bool,
    },
    Friendly {
        line: Vec<u8>,
    },
    Raw {
        line: Vec<u8>,
    },
    Paste {
        source: Vec<u8>,
        window: u16,
        left: u16,
    },
    /// The compiler has given up; the rest of the paste is thrown away.
    Aborted {
        fault: String,
    },
    Running(Running),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Friendly,
    Raw,
}

const RAW_BANNER: &str = "raw REPL; CTRL-B to exit\r\n";
const FRIENDLY_BANNER: &str =
    "MicroPython v1.28.0 on 2026-01-01; simulated\r\nType \"help()\" for more information.\r\n";

impl Device {
    /// A board that is opened at `now`.
    #[must_use]
    pub fn new(now: Instant, traits: Traits, programs: Vec<Program>) -> Self {
        let seed = match traits.temper {
            Temper::Mad { seed } => seed,
            _ => 0,
        };
        let until = now + traits.boot_time;
        Self {
            traits,
            programs,
            state: State::Booting {
                until,
                then: Mode::Friendly,
                is_deaf: true,
            },
            input: VecDeque::new(),
            output: Vec::new(),
            busy_until: now,
            rng: Rng::with_seed(seed),
            history: History::default(),
        }
    }

    /// History of the board.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Its reset button is pressed: it boots from nothing.
    pub fn restart(&mut self, now: Instant) {
        self.input.clear();
        self.state = State::Booting {
            until: now + self.traits.boot_time,
            then: Mode::Friendly,
            is_deaf: true,
        };
    }

    /// Bytes arrive.
    pub fn receive(&mut self, now: Instant, bytes: &[u8]) {
        self.wake(now);
        for &byte in bytes {
            self.arrive(now, byte);
            self.wake(now);
        }
    }

    /// Does what is due at `now`.
    pub fn wake(&mut self, now: Instant) {
        while self.traits.temper == Temper::Sound && self.step(now) {}
    }

    /// Time at which it must be woken.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            _ if self.traits.temper != Temper::Sound => None,
            State::Booting { until, .. } => Some(*until),
            State::Running(running) => running.wake_at(&self.input),
            _ => (!self.input.is_empty()).then_some(self.busy_until),
        }
    }

    /// Returns the output since the last call.
    pub fn take_output(&mut self) -> Vec<u8> {
        mem::take(&mut self.output)
    }

    /// The serial port's interrupt: it hears Ctrl-C while code runs, and keeps everything else.
    fn arrive(&mut self, now: Instant, byte: u8) {
        match &mut self.state {
            _ if self.traits.temper == Temper::Mute => {}
            _ if matches!(self.traits.temper, Temper::Mad { .. }) => self.rave(),
            State::Booting { is_deaf: true, .. } => {}
            State::Running(running) if byte == 0x03 => running.interrupt(now),
            _ if self.input.len() < self.traits.input_room => self.input.push_back(byte),
            _ => self.history.overruns += 1,
        }
    }

    fn rave(&mut self) {
        let count = self.rng.usize(0..40);
        let bytes: Vec<u8> = (0..count).map(|_| self.rng.u8(..)).collect();
        self.output.extend(bytes);
    }

    /// One thing that is due; false when there is none.
    fn step(&mut self, now: Instant) -> bool {
        match &self.state {
            State::Booting { until, then, .. } => {
                let (is_due, then) = (*until <= now, *then);
                if is_due {
                    self.boot(now, then);
                }
                is_due
            }
            State::Running(_) => self.step_program(now),
            _ => self.read_one(now),
        }
    }

    fn boot(&mut self, now: Instant, then: Mode) {
        self.busy_until = now;
        self.print(self.traits.boot_output);
        match (then, self.traits.main.clone()) {
            (Mode::Raw, _) => self.enter_raw(),
            (Mode::Friendly, Some(main)) => {
                self.state = State::Running(Running::new(now, main, Home::Main));
            }
            (Mode::Friendly, None) => self.enter_friendly(),
        }
    }

    fn enter_friendly(&mut self) {
        self.say(FRIENDLY_BANNER);
        self.say(">>> ");
        self.state = State::Friendly { line: Vec::new() };
    }

    fn enter_raw(&mut self) {
        self.say(RAW_BANNER);
        self.prompt_raw();
    }

    fn prompt_raw(&mut self) {
        self.say(">");
        self.state = State::Raw { line: Vec::new() };
    }

    fn soft_reset(&mut self, now: Instant, then: Mode) {
        self.history.resets += 1;
        self.say(self.traits.reboot);
        self.say("\r\n");
        let until = now + self.traits.reset_time;
        self.state = State::Booting {
            until,
            then,
            is_deaf: false,
        };
    }

    /// Text as MicroPython's C code prints it: as it is.
    fn say(&mut self, text: &str) {
        self.output.extend_from_slice(text.as_bytes());
    }

    /// Text as Python prints it.
    fn print(&mut self, text: &[u8]) {
        let cooked = self.cook(text);
        self.output.extend(cooked);
    }

    fn cook(&self, text: &[u8]) -> Vec<u8> {
        let mut cooked = Vec::with_capacity(text.len());
        for &byte in text {
            if byte == b'\n' && self.traits.cooks {
                cooked.push(b'\r');
            }
            cooked.push(byte);
        }
        cooked
    }
}

impl History {
    fn remember(&mut self, past: Past, output: Vec<u8>) {
        self.endings.push(past);
        self.outputs.push(output);
    }

    fn correct_last(&mut self, past: Past) {
        self.endings.pop();
        self.endings.push(past);
    }
}
