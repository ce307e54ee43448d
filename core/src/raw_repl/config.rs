//! The waits and limits of a conversation.

use core::time::Duration;

/// The waits and limits of a [`RawRepl`](super::RawRepl).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// How long to try to reach raw mode, in all.
    pub enter_timeout: Duration,
    /// How long the board may take for an answer that no program delays.
    pub reply_timeout: Duration,
    /// How long to wait for the answer whether the board has raw-paste mode, before doing without it.
    pub probe_timeout: Duration,
    /// How long a soft reset may take; then `boot.py` is interrupted.
    pub reset_timeout: Duration,
    /// Whether to look for raw-paste mode, or to send everything in paced raw mode.
    pub raw_paste: bool,
    /// Programs up to this many bytes are sent in raw mode, paced as below, which saves one exchange. It also keeps
    /// them interruptible on the unix port, which does not take Ctrl-C for a program that came by raw-paste.
    pub short_program: usize,
    /// How many bytes paced raw mode sends at once. Some old boards hold 63, and lose what comes on top of them. A board
    /// that has told its window in raw-paste mode gets that many.
    pub pace_bytes: usize,
    /// How long paced raw mode waits between them.
    pub pace_wait: Duration,
    /// How many bytes of one traceback are kept; a longer one is taken for output.
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
