//! The waits and limits of a board.

use core::time::Duration;

use crate::raw_repl;

/// The waits and limits of a [`Board`](super::Board).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Those of its REPL.
    pub repl: raw_repl::Config,
    /// Whether the link carries text alone, as WebREPL does: then nothing is streamed.
    pub text_link: bool,
    /// A board that falls silent in the middle of a stream is given up after this long.
    pub stall_timeout: Duration,
    /// The board gives up a silent host after this long, which should be sooner.
    pub host_timeout: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            repl: raw_repl::Config::default(),
            text_link: false,
            stall_timeout: Duration::from_secs(8),
            host_timeout: Duration::from_secs(3),
        }
    }
}
