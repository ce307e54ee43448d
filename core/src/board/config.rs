//! The waits and limits of a board.

use core::time::Duration;

use super::Capabilities;
use crate::raw_repl;

/// The waits and limits of a [`Board`](super::Board).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Settings of the board's REPL.
    pub repl: raw_repl::Config,
    /// True if the link carries text alone, as WebREPL does; streaming is then off.
    pub text_link: bool,
    /// Answer of an earlier connection about what the board can do, which is used if its build is still the same.
    pub remembered: Option<Capabilities>,
    /// True to write a small file also where the board has it already.
    pub rewrites: bool,
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
            remembered: None,
            rewrites: false,
            stall_timeout: Duration::from_secs(8),
            host_timeout: Duration::from_secs(3),
        }
    }
}
