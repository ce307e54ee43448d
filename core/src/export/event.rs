//! What a [`Collector`](super::Collector) says.

use alloc::vec::Vec;
use core::{fmt, time::Duration};

use super::{Doubt, Failure, Header, Receipt};
use crate::trace::escape;

/// What the application learns from the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Everything the device sends that is not the body of an export: echoes, logs, answers, prompts. Untrusted.
    Chatter(Vec<u8>),
    /// A boot banner: the device has started anew, and whatever it was recording has ended.
    Reset,
    /// `EXPORT` is being sent. Every [`Event::Body`] before this belongs to an earlier export.
    Asked,
    /// The header came, and it is within the limits; the body follows.
    Begun(Header),
    /// The next bytes of the body. They are not known to be right before [`Event::Finished`].
    Body(Vec<u8>),
    /// The body is whole.
    Finished(Receipt),
    /// There is no log, and what came of one must not be taken for it.
    Failed {
        /// Why.
        failure: Failure,
        /// What [`Config::accept`] would have to name for the export to go on past this; empty when nothing helps. If
        /// a body came, it came whole: keep it aside as suspect.
        doubts: Vec<Doubt>,
    },
    /// The link is closed; only a new connection and a new machine help.
    Closed,
}

/// Where an export stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// None is under way.
    Idle,
    /// Waiting for the line to be quiet before asking.
    Draining,
    /// Asked; no header yet.
    WaitingHeader,
    /// The body comes.
    Receiving,
    /// The body is here; what follows it is looked at.
    Verifying,
    /// The link is closed.
    Closed,
}

/// Why a command of the application was refused. Nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandError {
    /// An export is under way; a byte sent now could end up in it.
    Busy,
    /// There is no export to cancel.
    NotExporting,
    /// The link is closed.
    Closed,
}

/// The waits and limits of a [`Collector`](super::Collector).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// The line's speed in bits a second, from which the longest time for a body is counted. A byte takes ten bits.
    pub baud: u32,
    /// How long the line must be silent before an export is asked for.
    pub quiet: Duration,
    /// How long to wait for that silence at most.
    pub drain_timeout: Duration,
    /// Silence before an export is asked for while another run's answer is outstanding.
    pub late_quiet: Duration,
    /// Time in which a question may still be answered, five times the document's limit.
    pub late_limit: Duration,
    /// How long the header may take, and the least that the whole may take: 120 s, as in Serial Control and Export Protocol,
    /// PC-Side Expectations.
    pub timeout: Duration,
    /// How long the device may be silent inside the body.
    pub idle_timeout: Duration,
    /// Silence after the device's checksum that ends an export.
    pub tail_quiet: Duration,
    /// Silence after a body without a checksum that ends an export, unless the device says `OK` or `DONE` before. A
    /// device that reads its card again for the checksum is silent for as long.
    pub checksum_wait: Duration,
    /// Longest time to look at what follows the body, beside the wait for a checksum.
    pub tail_timeout: Duration,
    /// The longest body, in bytes. A header that announces more is refused at once.
    pub size_limit: u64,
    /// Whether a body without the device's checksum is refused.
    pub require_checksum: bool,
    /// Which doubts do not refuse a log.
    pub accept: Vec<Doubt>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            baud: 115_200,
            quiet: Duration::from_millis(50),
            drain_timeout: Duration::from_secs(1),
            late_quiet: Duration::from_secs(3),
            late_limit: Duration::from_secs(600),
            timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(10),
            tail_quiet: Duration::from_millis(300),
            checksum_wait: Duration::from_secs(2),
            tail_timeout: Duration::from_secs(2),
            size_limit: 256 * 1024 * 1024,
            require_checksum: false,
            accept: Vec::new(),
        }
    }
}

impl Config {
    /// How long an export of so many bytes may take: the document's 120 s alone would end anything above 1.4 MB at
    /// 115,200 baud.
    #[must_use]
    pub fn total_timeout(&self, size: u64) -> Duration {
        let line = u128::from(size) * 10 * 1000 / u128::from(self.baud.max(1));
        let generous = u64::try_from(line * 3 / 2).unwrap_or(u64::MAX);
        self.timeout
            .max(Duration::from_secs(30).saturating_add(Duration::from_millis(generous)))
    }
}

impl Config {
    /// Time to wait for the checksum of a body that took so long: reading a card again takes longer for a longer log.
    pub(crate) fn wait_for_checksum(&self, body: Duration) -> Duration {
        self.checksum_wait.max((body / 4).min(self.idle_timeout))
    }
}

impl Phase {
    /// The name that programs compare.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Draining => "draining",
            Self::WaitingHeader => "waiting_header",
            Self::Receiving => "receiving",
            Self::Verifying => "verifying",
            Self::Closed => "closed",
        }
    }
}

/// As transcripts and traces have it.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chatter(bytes) => write!(f, "Chatter {}", escape(bytes)),
            Self::Reset => f.write_str("Reset"),
            Self::Asked => f.write_str("Asked"),
            Self::Begun(header) => write!(f, "Begun {header}"),
            Self::Body(bytes) => write!(f, "Body {}", escape(bytes)),
            Self::Finished(receipt) => write!(f, "Finished {receipt}"),
            Self::Failed { failure, doubts } => {
                write!(f, "Failed {} {}", failure.code(), failure.hint().as_str())?;
                doubts
                    .iter()
                    .try_for_each(|doubt| write!(f, "; accept {doubt}"))
            }
            Self::Closed => f.write_str("Closed"),
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Busy => "an export is under way; wait for it or cancel it",
            Self::NotExporting => "no export is under way",
            Self::Closed => "the port is closed; open it again",
        })
    }
}

impl core::error::Error for CommandError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f6_the_whole_may_take_two_minutes_or_half_again_what_its_line_needs() {
        let config = Config::default();
        assert_eq!(config.total_timeout(0), Duration::from_secs(120));
        assert_eq!(config.total_timeout(11_520 * 60), Duration::from_secs(120));
        assert_eq!(
            config.total_timeout(11_520 * 1000),
            Duration::from_secs(1530)
        );
        assert!(config.total_timeout(u64::MAX) > Duration::from_secs(1_000_000));
    }
}
