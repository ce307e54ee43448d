//! Kinds of boards, so that one test can be about each of them.

use std::{env, fmt, path::Path};

use crate::boards::{BrowserBoard, Firmware, Microbit, Pico, UnixBoard};

/// Kind of board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// MicroPython 1.28, the unix port.
    Unix,
    /// MicroPython 1.9.2 on an emulated BBC micro:bit.
    Microbit,
    /// MicroPython 1.29 as the page has it.
    Page,
    /// The makers' firmware on an emulated Raspberry Pi Pico.
    Pico(Firmware),
}

/// A board of any kind.
#[derive(Debug)]
pub enum AnyBoard {
    /// [`Kind::Unix`].
    Unix(UnixBoard),
    /// [`Kind::Microbit`].
    Microbit(Microbit),
    /// [`Kind::Page`].
    Page(BrowserBoard),
    /// [`Kind::Pico`].
    Pico(Pico),
}

impl Kind {
    /// Picos with each firmware whose image can be had. The others are named in a line that `cargo xtask test` shows.
    pub fn picos() -> impl Iterator<Item = Self> {
        Firmware::present().map(Self::Pico)
    }

    /// Starts a board of this kind.
    ///
    /// # Panics
    ///
    /// When it does not come up within half a minute, or its firmware is not there.
    #[must_use]
    pub fn start(self) -> AnyBoard {
        match self {
            Self::Unix => AnyBoard::Unix(UnixBoard::start()),
            Self::Microbit => AnyBoard::Microbit(Microbit::start()),
            Self::Page => AnyBoard::Page(BrowserBoard::start()),
            Self::Pico(firmware) => {
                let image = firmware.find().expect("it was there a moment ago");
                AnyBoard::Pico(Pico::start(&image))
            }
        }
    }

    /// Returns true if the board has folders, raw-paste mode and room: all but the micro:bit.
    #[must_use]
    pub fn is_modern(self) -> bool {
        self != Self::Microbit
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix => f.write_str("unix"),
            Self::Microbit => f.write_str("microbit"),
            Self::Page => f.write_str("page"),
            Self::Pico(firmware) => write!(f, "pico {}", firmware.version),
        }
    }
}

impl AnyBoard {
    /// The pty to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Unix(board) => board.path(),
            Self::Microbit(board) => board.path(),
            Self::Page(board) => board.path(),
            Self::Pico(board) => board.path(),
        }
    }
}

/// Returns true if a step on an emulator is to be run whole, and not in a sample that is quick: `FLYLEAD_WHOLE=1 cargo xtask test pico`.
#[must_use]
pub fn is_whole() -> bool {
    env::var_os("FLYLEAD_WHOLE").is_some()
}
