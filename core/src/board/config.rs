//! The waits and limits of a board.

use core::time::Duration;

use super::Capabilities;
use crate::{machine::setters::setters, raw_repl};

/// The waits and limits of a [`Board`](super::Board).
///
/// ```
/// use core::time::Duration;
/// use flylead_core::{board, raw_repl};
///
/// let repl = raw_repl::Config::default().enter_timeout(Duration::from_secs(3));
/// let config = board::Config::default().repl(repl).text_link(true);
/// assert!(config.text_link && !config.rewrites);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Settings of the board's REPL.
    pub repl: raw_repl::Config,
    /// True if the link carries text alone, as WebREPL does; streaming is then off.
    pub text_link: bool,
    /// Capabilities reported on an earlier connection, used if the board's build is still the same.
    pub remembered: Option<Capabilities>,
    /// True to write a small file even if the board already has it.
    pub rewrites: bool,
    /// Limit of a board's silence in the middle of a stream; the transfer is then given up.
    pub stall_timeout: Duration,
    /// Limit of the host's silence, after which the board gives up; it should be shorter.
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

setters! {
    Config:
    repl: raw_repl::Config,
    text_link: bool,
    remembered: Option<Capabilities>,
    rewrites: bool,
    stall_timeout: Duration,
    host_timeout: Duration,
}
