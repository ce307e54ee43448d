//! Reports of a [`Collector`](super::Collector).

use alloc::vec::Vec;
use core::{fmt, time::Duration};

use super::{Doubt, Failure, Header, Quote, Receipt};
use crate::trace::escape;

/// Event that the application receives from the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Output of the device that is not the body of an export: echoes, logs, answers, prompts.
    /// Untrusted.
    Chatter(Vec<u8>),
    /// A boot banner: the device has restarted, and whatever it was recording has ended.
    Reset,
    /// `EXPORT` is being sent. Every [`Event::Body`] before this belongs to an earlier export.
    Asked,
    /// The header came, and it is within the limits; the body follows.
    Begun(Header),
    /// The next bytes of the body. They are not known to be right before [`Event::Finished`].
    Body(Vec<u8>),
    /// The body is whole.
    Finished(Receipt),
    /// No log was received; partial data must not be mistaken for one.
    Failed {
        /// Reason for the failure.
        failure: Failure,
        /// Doubts that [`Config::accept`] would have to name for the export to continue; empty if
        /// nothing helps. If a body came, it came whole: keep it aside as suspect.
        doubts: Vec<Doubt>,
        /// The line behind each of these doubts, where there is one.
        quotes: Vec<Quote>,
    },
    /// The link is closed; only a new connection and a new machine help.
    Closed,
}

/// Phase of an export.
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

/// Reason why a command of the application was refused. Nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandError {
    /// An export is under way; a byte sent now could end up in it.
    Busy,
    /// No export is in progress.
    NotExporting,
    /// The link is closed.
    Closed,
}

/// The waits and limits of a [`Collector`](super::Collector).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Silence of the line before an export is asked for.
    pub quiet: Duration,
    /// Limit of the wait for that silence.
    pub drain_timeout: Duration,
    /// Silence before an export is asked for while another run's answer is outstanding.
    pub late_quiet: Duration,
    /// Time in which a question may still be answered, five times the document's limit.
    pub late_limit: Duration,
    /// Longest time for the header: 120 s, as in Serial Control and Export Protocol, PC-Side Expectations.
    pub timeout: Duration,
    /// Longest silence of the device inside the body. A body that flows may take any time.
    pub idle_timeout: Duration,
    /// Time limit of a whole export, if any.
    pub total_timeout: Option<Duration>,
    /// Number of the first question to a device that reads numbers; a program with a random one is not taken for the
    /// program before it. It is not 0.
    pub first_request: u32,
    /// Silence after the device's checksum that ends an export.
    pub tail_quiet: Duration,
    /// Silence after a body without a checksum that ends an export, unless the device says `OK` or `DONE` before. A
    /// device that reads its card again for the checksum is silent for as long.
    pub checksum_wait: Duration,
    /// Longest time to look at what follows the body, beside the wait for a checksum.
    pub tail_timeout: Duration,
    /// The longest body, in bytes. A header that announces more is refused at once.
    pub size_limit: u64,
    /// True to refuse a body without the device's checksum.
    pub require_checksum: bool,
    /// Doubts that are accepted.
    pub accept: Vec<Doubt>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(50),
            drain_timeout: Duration::from_secs(1),
            late_quiet: Duration::from_secs(3),
            late_limit: Duration::from_secs(600),
            timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(10),
            total_timeout: None,
            first_request: 1,
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

/// Formats the event for transcripts and traces.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chatter(bytes) => write!(f, "Chatter {}", escape(bytes)),
            Self::Reset => f.write_str("Reset"),
            Self::Asked => f.write_str("Asked"),
            Self::Begun(header) => write!(f, "Begun {header}"),
            Self::Body(bytes) => write!(f, "Body {}", escape(bytes)),
            Self::Finished(receipt) => write!(f, "Finished {receipt}"),
            Self::Failed {
                failure, doubts, ..
            } => {
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
