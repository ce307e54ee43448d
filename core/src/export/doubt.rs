//! Doubts about a log that no checksum proves; the application may accept them.

use alloc::{string::String, vec::Vec};
use core::{fmt, str::FromStr};

use super::Failure;

/// Reason why a log is refused although it may be complete.
/// [`Config::accept`](super::Config::accept) takes such a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// A line before the header, or after the body, begins with `ERROR` or `ERR`.
    DeviceError,
    /// An earlier request for another run was not answered: this may be its answer.
    Late,
    /// A line before the header is an invalid header, such as `SIZE=small`.
    Header,
    /// A boot banner occurs in the body or after it.
    Restart,
    /// The last line of the body is an answer of the device, or has a different number of columns than the first lines.
    LastLine,
    /// A line between `BEGIN` and `END` belongs to the device itself: an `ERROR`, another `BEGIN`, a line of its
    /// logger.
    StrayLine,
    /// Unexpected data follows the body.
    Tail,
    /// The device's checksum is malformed, or does not match the body.
    Checksum,
}

impl Doubt {
    /// All doubts.
    pub const ALL: [Self; 8] = [
        Self::DeviceError,
        Self::Late,
        Self::Header,
        Self::Restart,
        Self::LastLine,
        Self::StrayLine,
        Self::Tail,
        Self::Checksum,
    ];

    /// Returns the name used by programs and command lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DeviceError => "error",
            Self::Late => "late",
            Self::Header => "header",
            Self::Restart => "restart",
            Self::LastLine => "last-line",
            Self::StrayLine => "stray-line",
            Self::Tail => "tail",
            Self::Checksum => "checksum",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error: the word does not name a [`Doubt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownDoubt;

impl fmt::Display for UnknownDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected one of error, late, header, restart, last-line, stray-line, tail and checksum",
        )
    }
}

impl core::error::Error for UnknownDoubt {}

impl FromStr for Doubt {
    type Err = UnknownDoubt;

    fn from_str(name: &str) -> Result<Self, UnknownDoubt> {
        let named = |doubt: &Self| doubt.as_str() == name;
        Self::ALL.into_iter().find(named).ok_or(UnknownDoubt)
    }
}

/// The line of a device that caused a doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The doubt.
    pub doubt: Doubt,
    /// The line, or its beginning. Untrusted.
    pub line: String,
}

/// Reason why there is no log, and the doubts that would have to be accepted to get one; empty if nothing helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) failure: Failure,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) quotes: Vec<Quote>,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            doubts: Vec::new(),
            quotes: Vec::new(),
        }
    }
}

/// The doubts of one export, as they arise.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doubts {
    failure: Option<Failure>,
    open: Vec<Doubt>,
    accepted: Vec<Doubt>,
    quotes: Vec<Quote>,
}

impl Doubts {
    /// Records a doubt and the line that caused it: the export is refused with this failure, unless the application
    /// accepts the doubt.
    pub(crate) fn raise(
        &mut self,
        accept: &[Doubt],
        doubt: Doubt,
        failure: Failure,
        line: &str,
    ) -> Result<(), Refusal> {
        if accept.contains(&doubt) {
            add(&mut self.accepted, doubt);
        } else {
            self.failure.get_or_insert(failure);
            add(&mut self.open, doubt);
            self.quote(doubt, line);
        }
        self.check()
    }

    fn quote(&mut self, doubt: Doubt, line: &str) {
        let is_known = self.quotes.iter().any(|quote| quote.doubt == doubt);
        if !line.is_empty() && !is_known {
            let line = line.chars().take(LONGEST_QUOTE).collect();
            self.quotes.push(Quote { doubt, line });
        }
    }

    /// Returns the doubts accepted so far.
    pub(crate) fn accepted(&self) -> &[Doubt] {
        &self.accepted
    }

    /// Returns the first failure, with every remaining doubt.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        match &self.failure {
            None => Ok(()),
            Some(failure) => Err(Refusal {
                failure: failure.clone(),
                doubts: self.open.clone(),
                quotes: self.quotes.clone(),
            }),
        }
    }
}

fn add(doubts: &mut Vec<Doubt>, doubt: Doubt) {
    if !doubts.contains(&doubt) {
        doubts.push(doubt);
    }
}

/// Limit of a quote, in characters.
const LONGEST_QUOTE: usize = 200;
