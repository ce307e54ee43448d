//! Reports from a [`Collector`](super::Collector).

use alloc::vec::Vec;
use core::{fmt, time::Duration};

use super::{Doubt, Failure, Header, Quote, Receipt};
use crate::{machine::setters::setters, trace::escape};

/// Event that the application receives from the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Output of the device that is not the body of an export: echoes, logs, answers, prompts.
    /// Untrusted.
    Chatter(Vec<u8>),
    /// A boot banner: the device has restarted, and whatever it was recording has ended.
    Reset,
    /// `EXPORT` is being sent. Every earlier [`Event::Body`] belongs to an earlier export.
    Asked,
    /// A header within the limits has arrived; the body follows.
    Begun(Header),
    /// The next bytes of the body. They are unverified until [`Event::Finished`].
    Body(Vec<u8>),
    /// The body is complete.
    Finished(Receipt),
    /// No log was received; do not mistake partial data for one.
    Failed {
        /// Reason for the failure.
        failure: Failure,
        /// Doubts that [`Config::accept`] would have to name for the export to continue; empty if nothing helps. If a
        /// body was received, it is complete: set it aside as suspect.
        doubts: Vec<Doubt>,
        /// The line that caused each of these doubts, where there is one.
        quotes: Vec<Quote>,
    },
    /// The link is closed; continuing requires a new connection and a new machine.
    Closed,
}

/// Phase of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No export is in progress.
    Idle,
    /// Waiting for the line to be quiet before asking.
    Draining,
    /// Requested; no header yet.
    WaitingHeader,
    /// Receiving the body.
    Receiving,
    /// The body has arrived; the data after it is being examined.
    Verifying,
    /// The link is closed.
    Closed,
}

/// Reason why a command of the application was refused. Nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandError {
    /// An export is in progress; a byte sent now could end up in it.
    Busy,
    /// No export is in progress.
    NotExporting,
    /// The link is closed.
    Closed,
}

/// Time-outs and limits of a [`Collector`](super::Collector).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Silence of the line before an export is requested.
    pub quiet: Duration,
    /// Limit of the wait for that silence.
    pub drain_timeout: Duration,
    /// Silence before an export is requested while another run's answer is outstanding.
    pub late_quiet: Duration,
    /// Time in which a request may still be answered, five times the document's limit.
    pub late_limit: Duration,
    /// Longest time for the header: 120 s, as in Serial Control and Export Protocol, PC-Side Expectations.
    pub timeout: Duration,
    /// Longest silence of the device inside the body. A body that keeps arriving may take any time.
    pub idle_timeout: Duration,
    /// Time limit of a whole export, if any.
    pub total_timeout: Option<Duration>,
    /// Number of the first request to a device that reads numbers; a random number distinguishes a program from its
    /// predecessor. It is not 0.
    pub first_request: u32,
    /// Silence after the device's checksum that ends an export.
    pub tail_quiet: Duration,
    /// Silence after a body without a checksum that ends an export, unless the device sends `OK` or `DONE` before. A
    /// device that reads its card again to compute the checksum is silent for that time.
    pub checksum_wait: Duration,
    /// Longest time to examine the data after the body, in addition to the wait for a checksum.
    pub tail_timeout: Duration,
    /// Size limit of a body, in bytes. A header that announces more is refused immediately.
    pub size_limit: u64,
    /// True to refuse a body without the device's checksum.
    pub require_checksum: bool,
    /// Doubts that the application accepts.
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

setters! {
    Config:
    quiet: Duration,
    drain_timeout: Duration,
    late_quiet: Duration,
    late_limit: Duration,
    timeout: Duration,
    idle_timeout: Duration,
    total_timeout: Option<Duration>,
    first_request: u32,
    tail_quiet: Duration,
    checksum_wait: Duration,
    tail_timeout: Duration,
    size_limit: u64,
    require_checksum: bool,
    accept: Vec<Doubt>,
}

impl Config {
    /// Returns the time to wait for the checksum of a body that took this long: rereading a card takes longer for a
    /// longer log.
    pub(crate) fn wait_for_checksum(&self, body: Duration) -> Duration {
        self.checksum_wait.max((body / 4).min(self.idle_timeout))
    }
}

impl Phase {
    /// Returns the name that programs compare.
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
