//! Tools that are compared, and their command lines.

use std::process::Command;

use flylead_tests::{
    bench::{flylead, flylead_before},
    boards::venv,
};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Flylead,
    /// Another build of it.
    Before,
    Mpremote,
    /// It sends folders, and only to a board.
    Belay,
}

impl Tool {
    pub(crate) fn ours() -> Vec<Self> {
        let before = flylead_before().map(|_| Self::Before);
        [Self::Flylead].into_iter().chain(before).collect()
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Flylead => "flylead",
            Self::Before => "flylead, before",
            Self::Mpremote => "mpremote",
            Self::Belay => "belay",
        }
    }

    pub(crate) fn command(self, port: &str, words: &[&str]) -> Command {
        let (program, first) = match self {
            Self::Flylead => (flylead(), vec!["-p", port]),
            Self::Before => (flylead_before().unwrap_or_default(), vec!["-p", port]),
            Self::Mpremote => (venv().join("bin/mpremote"), vec!["connect", port, "resume"]),
            Self::Belay => (venv().join("bin/python"), vec!["-c", BELAY]),
        };
        let mut command = Command::new(program);
        command.args(first).args(words);
        command
    }
}

/// Belay resets the board first, which the unix port takes for its end; without that it works.
const BELAY: &str = "import sys
from belay import pyboard
enter = pyboard.Pyboard.enter_raw_repl
pyboard.Pyboard.enter_raw_repl = lambda board, soft_reset=True: enter(board, False)
from belay.cli.main import run_app
sys.exit(run_app())";
