//! Time-outs and limits of a conversation.

use core::time::Duration;

use crate::machine::setters::setters;

/// Time-outs and limits of a [`RawRepl`](super::RawRepl).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Time limit of reaching raw mode, over all attempts.
    pub enter_timeout: Duration,
    /// Time limit of an answer that no program delays.
    pub reply_timeout: Duration,
    /// Time limit of the query for raw-paste mode, after which it is not used.
    pub probe_timeout: Duration,
    /// Time limit of a soft reset, after which `boot.py` is interrupted.
    pub reset_timeout: Duration,
    /// True to query for raw-paste mode; false to send everything in paced raw mode.
    pub raw_paste: bool,
    /// Length limit, in bytes, of programs sent in raw mode, with the pace below, which saves one exchange. It also
    /// keeps them interruptible on the unix port, which ignores Ctrl-C for a program sent by raw-paste.
    pub short_program: usize,
    /// Number of bytes that paced raw mode sends at once. Some old boards buffer 63, and lose the excess. A board that
    /// has reported its window in raw-paste mode gets that many bytes at once.
    pub pace_bytes: usize,
    /// Pause of paced raw mode between them.
    pub pace_wait: Duration,
    /// Limit of a traceback, in bytes; a longer one counts as output.
    pub traceback_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enter_timeout: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(10),
            probe_timeout: Duration::from_secs(2),
            reset_timeout: Duration::from_secs(10),
            raw_paste: true,
            short_program: 128,
            pace_bytes: 32,
            pace_wait: Duration::from_millis(5),
            traceback_limit: 64 * 1024,
        }
    }
}

setters! {
    Config:
    enter_timeout: Duration,
    reply_timeout: Duration,
    probe_timeout: Duration,
    reset_timeout: Duration,
    raw_paste: bool,
    short_program: usize,
    pace_bytes: usize,
    pace_wait: Duration,
    traceback_limit: usize,
}
