//! One board behind a wire that counts, and a tool's process on it.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use flylead_tests::{
    bench::flylead,
    boards::{Faults, Firmware, Microbit, Pico, UnixBoard, Wire, venv},
};
use tempfile::TempDir;

use super::fail;

/// Kind of board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Pico,
    Microbit,
    Unix,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Pico, Self::Microbit, Self::Unix];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Pico => "pico",
            Self::Microbit => "microbit",
            Self::Unix => "unix",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Pico => "Raspberry Pi Pico, MicroPython v1.28, emulated",
            Self::Microbit => "BBC micro:bit, MicroPython 1.9.2, emulated, at 115,200 baud",
            Self::Unix => "MicroPython's unix port at 115,200 baud",
        }
    }

    const fn baud(self) -> Option<u32> {
        match self {
            Self::Pico => None,
            Self::Microbit | Self::Unix => Some(115_200),
        }
    }
}

/// Tool whose process is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Flylead,
    Mpremote,
}

/// Cost of one process.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    pub(crate) to_board: usize,
    pub(crate) from_board: usize,
    /// Time that passed on the board.
    pub(crate) on_board: Option<Duration>,
}

/// A board, held until the benchmark ends.
#[expect(dead_code, reason = "it is held, and never looked at")]
enum Held {
    Pico(Pico),
    Microbit(Microbit),
    Unix(UnixBoard),
}

/// One board and a folder for what goes to it.
pub(crate) struct Bench {
    pub(crate) kind: Kind,
    wire: Wire,
    pub(crate) scratch: TempDir,
    /// Time that passes on the board between two questions about it.
    between: Duration,
    _board: Held,
}

impl Bench {
    pub(crate) fn start(kind: Kind) -> Result<Self, String> {
        let (board, path) = match kind {
            Kind::Pico => {
                let firmware = Firmware::of("v1.28").expect("the harness knows it");
                let image = firmware.find().ok_or(firmware.image)?;
                let board = Pico::start(&image);
                let path = board.path().to_owned();
                (Held::Pico(board), path)
            }
            Kind::Microbit => {
                let board = Microbit::start();
                let path = board.path().to_owned();
                (Held::Microbit(board), path)
            }
            Kind::Unix => {
                let board = UnixBoard::start();
                let path = board.path().to_owned();
                (Held::Unix(board), path)
            }
        };
        let faults = Faults {
            baud: kind.baud(),
            ..Faults::default()
        };
        let mut bench = Self {
            kind,
            wire: Wire::attach(&path, faults),
            scratch: tempfile::tempdir().unwrap_or_else(fail),
            between: Duration::ZERO,
            _board: board,
        };
        if kind != Kind::Microbit {
            // Asks the board what its firmware can do; the next connections know.
            bench.output(Tool::Flylead, &["fs", "df"].map(str::to_owned))?;
        }
        bench.between = bench.measure_between();
        Ok(bench)
    }

    /// Runs a tool on the board; the last line of its errors if it fails.
    pub(crate) fn run(&self, tool: Tool, words: &[String]) -> Result<Cost, String> {
        let began = self.clock();
        let carried = self.wire.carried();
        let start = Instant::now();
        self.output(tool, words)?;
        let time = start.elapsed();
        let (to_board, from_board) = self.wire.carried();
        let on_board = began.and_then(|began| {
            let ticks = self.clock()?.wrapping_sub(began) & LARGEST_TICK;
            Some(Duration::from_micros(ticks).saturating_sub(self.between))
        });
        Ok(Cost {
            time,
            to_board: to_board - carried.0,
            from_board: from_board - carried.1,
            on_board,
        })
    }

    /// Output of a tool on the board.
    pub(crate) fn output(&self, tool: Tool, words: &[String]) -> Result<Vec<u8>, String> {
        let mut command = tool.command(self.wire.path());
        let state = self.scratch.path().join("state");
        command.env("XDG_STATE_HOME", state);
        command.args(words).stdin(Stdio::null());
        let output = command.output().unwrap_or_else(fail);
        if output.status.success() {
            return Ok(output.stdout);
        }
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = errors.lines().rev().find(|line| !line.trim().is_empty());
        Err(last.unwrap_or("it fails, and says nothing").trim().into())
    }

    /// Output of a program on the board, by flylead.
    pub(crate) fn ask(&self, source: &str) -> Result<String, String> {
        let output = self.output(Tool::Flylead, &["exec".into(), source.into()])?;
        Ok(String::from_utf8_lossy(&output).trim().into())
    }

    /// The board's own clock, in microseconds, where a second of its time is not one of ours.
    fn clock(&self) -> Option<u64> {
        let source = "print(__import__('time').ticks_us())";
        (self.kind == Kind::Pico).then(|| self.ask(source).ok()?.parse().ok())?
    }

    fn measure_between(&self) -> Duration {
        let between = (0..3).filter_map(|_| {
            let began = self.clock()?;
            Some(self.clock()?.wrapping_sub(began) & LARGEST_TICK)
        });
        Duration::from_micros(between.min().unwrap_or(0))
    }
}

/// `time.ticks_us` counts to here, and begins again (MicroPython v1.28, py/mpconfig.h, `MICROPY_PY_TIME_TICKS_PERIOD`).
const LARGEST_TICK: u64 = (1 << 30) - 1;

impl Tool {
    /// Both leave the board's memory as it is: mpremote would reset it without `resume`.
    fn command(self, port: &Path) -> Command {
        let (program, words) = match self {
            Self::Flylead => (flylead(), vec!["-p"]),
            Self::Mpremote => (venv().join("bin/mpremote"), vec!["connect"]),
        };
        let mut command = Command::new(program);
        command.args(words).arg(port);
        if self == Self::Mpremote {
            command.arg("resume");
        }
        command
    }
}
