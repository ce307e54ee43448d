//! Events at a board, from the start of its process to the end.

use std::{process::ExitStatus, time::Instant};

use crate::Exit;

/// Event at the board of this number.
pub(super) enum Event {
    Started(usize, Instant),
    Line(usize, Output, String),
    Ended(usize, Ended),
}

/// Stream of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Stdout,
    Stderr,
}

/// Outcome of the command at one board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// It ended with this exit code.
    Code(i32),
    /// It ended without an exit code, for this reason.
    Failed(String),
    /// Ctrl-C arrived before its turn.
    NotStarted,
}

impl Ended {
    /// Converts the exit status of a process.
    pub(super) fn of(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Self::Code(code),
            None => Self::Failed(format!("its process was killed: {status}")),
        }
    }

    pub(super) const fn code(&self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(*code),
            Self::Failed(_) | Self::NotStarted => None,
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Code(code) => match Exit::with_code(*code) {
                Some(Exit::Done) => "done".into(),
                Some(exit) => format!("{} (exit code {code})", exit.code()),
                None => format!("exit code {code}"),
            },
            Self::Failed(why) => why.clone(),
            Self::NotStarted => "not started".into(),
        }
    }
}
