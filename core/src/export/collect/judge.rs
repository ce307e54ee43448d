//! Decides whether a complete body is the requested log.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
    vec::Vec,
};
use core::time::Duration;

use crate::export::doubt::{Doubts, Refusal};
use crate::export::event::Config;
use crate::export::reply::body::{Body, is_end};
use crate::export::reply::checksum::{Checksum, ChecksumKind};
use crate::export::reply::header::{Framing, Header};
use crate::export::reply::line::Closing;
use crate::export::reply::restart::is_boot_banner;
use crate::export::reply::tail::{Tail, Verdict, closing};
use crate::export::{Command, Doubt, Failure, Integrity, Receipt, RunId, Warning};

/// Result of an export.
pub(crate) type End = Result<Receipt, Refusal>;

/// Everything known once the body and the data after it have arrived.
pub(crate) struct Evidence<'a> {
    pub(crate) header: &'a Header,
    pub(crate) body: &'a Body,
    pub(crate) tail: &'a Tail,
    /// Doubts that the application accepts.
    pub(crate) accept: &'a [Doubt],
    /// Doubts that arose before the body.
    pub(crate) doubts: &'a Doubts,
    /// True if a boot banner came before the header.
    pub(crate) reset_seen: bool,
    /// Another run to which this log may belong.
    pub(crate) late: Option<&'a RunId>,
    /// Time since the end of the body.
    pub(crate) waited: Duration,
}

impl Evidence<'_> {
    pub(crate) fn judge(&self, config: &Config) -> End {
        let mut doubts = self.doubts.clone();
        // Doubts are collected: a person wants to know all of them at once.
        let mut raise = |doubt, failure, line: &str| {
            drop(doubts.raise(self.accept, doubt, failure, line));
        };
        if let Some(run_id) = self.late {
            let run_id = run_id.clone();
            let question = Command::Export {
                run_id: run_id.clone(),
                request: None,
            };
            raise(
                Doubt::Late,
                Failure::LateAnswer { run_id },
                &question.to_string(),
            );
        }
        let verdict = self.tail.verdict(self.body.last());
        let proof = self.proof(&verdict, &mut raise);
        let before = self.doubts.accepted().len();
        if proof.is_none() {
            self.look(&verdict, &mut raise);
        }
        doubts.check()?;
        match proof {
            None if config.require_checksum => {
                Err(Failure::MissingChecksum { after: self.waited }.into())
            }
            // A checksum proves that the log is complete, but not to which run it belongs.
            _ if self.late.is_some() => Ok(self.receipt(Integrity::Accepted, &doubts)),
            None if doubts.accepted().len() > before => {
                Ok(self.receipt(Integrity::Accepted, &doubts))
            }
            None => Ok(self.receipt(unproven(self.header.framing), &doubts)),
            Some(kind) => Ok(self.receipt(proven_by(kind), &doubts)),
        }
    }

    /// Returns the checksum that the device sent, if it matches the body.
    fn proof(
        &self,
        verdict: &Verdict,
        raise: &mut impl FnMut(Doubt, Failure, &str),
    ) -> Option<ChecksumKind> {
        let after = match verdict {
            Verdict::Error(text) => {
                let failure = Failure::DeviceError { text: text.clone() };
                raise(Doubt::DeviceError, failure, text);
                None
            }
            Verdict::BrokenChecksum(line) => {
                let failure = Failure::BrokenChecksum { line: line.clone() };
                raise(Doubt::Checksum, failure, line);
                return None;
            }
            Verdict::Fits { checksum, .. } => *checksum,
            Verdict::Moved => None,
        };
        let sent = [self.header.checksum, after];
        for announced in sent.into_iter().flatten() {
            if let Err(failure) = self.compare(announced) {
                raise(Doubt::Checksum, failure, &announced.to_string());
                return None;
            }
        }
        sent.into_iter().flatten().next().map(|sum| sum.kind())
    }

    fn compare(&self, announced: Checksum) -> Result<(), Failure> {
        let counted = self.body.digest.checksum(announced.kind());
        match announced.fits(counted) {
            true => Ok(()),
            false if self.body.has_restart() => Err(Failure::DeviceReset),
            false => Err(Failure::ChecksumMismatch { announced, counted }),
        }
    }

    /// Examines a body without a checksum for signs of lost data.
    fn look(&self, verdict: &Verdict, raise: &mut impl FnMut(Doubt, Failure, &str)) {
        if self.body.has_restart() || is_boot_banner(self.tail.bytes()) {
            let line = self.body.restart_line().map(Cow::Owned);
            let line = line.unwrap_or_else(|| self.first_of_tail());
            raise(Doubt::Restart, Failure::DeviceReset, &line);
        }
        let is_sized = self.header.framing.size().is_some();
        if *verdict == Verdict::Moved {
            raise(Doubt::Tail, self.moved(), &self.first_of_tail());
        } else if !is_sized && self.body.begins_marked(b"") {
            // The header was repeated.
            raise(Doubt::Tail, Failure::AmbiguousEnd, "BEGIN");
        }
        if let Some(line) = self.body.stray_line() {
            let failure = Failure::StrayLine { line: line.into() };
            raise(Doubt::StrayLine, failure, line);
        }
        // A device that ends with its answer has sent what is before it; one that starts again does not answer.
        let is_answered = matches!(verdict, Verdict::Fits { answered: true, .. });
        if is_sized {
            self.look_at_the_end(is_answered, raise);
        }
    }

    fn look_at_the_end(&self, is_answered: bool, raise: &mut impl FnMut(Doubt, Failure, &str)) {
        let last = closing(self.body.last());
        let is_checksum = matches!(last, Closing::Checksum(_) | Closing::BrokenChecksum(_));
        if is_checksum || !is_answered && last != Closing::Unknown {
            raise(Doubt::LastLine, self.short(), &last_line(self.body.last()));
        } else if is_answered {
            // The last line belongs to the log in any case.
        } else if let Some(line) = self.body.odd_last_line() {
            let failure = Failure::OddLastLine { line: line.clone() };
            raise(Doubt::LastLine, failure, &line);
        }
    }

    /// Returns the first line after the body, which may be the only explanation.
    fn first_of_tail(&self) -> Cow<'_, str> {
        first_line(self.tail.bytes())
    }

    const fn short(&self) -> Failure {
        Failure::ShortTransfer {
            received: self.body.digest.bytes(),
            announced: self.header.framing.size(),
        }
    }

    fn moved(&self) -> Failure {
        match self.header.framing {
            Framing::Marked { .. } => Failure::AmbiguousEnd,
            Framing::Sized { .. } if self.is_marked_too() => Failure::ModeConflict,
            Framing::Sized { .. } => Failure::TrailingData,
        }
    }

    /// Returns true for `BEGIN` at the start of the sized bytes and `END` after them: their length was not counted.
    fn is_marked_too(&self) -> bool {
        let tail = self.tail.bytes();
        self.body.begins_marked(tail) && tail.split(|byte| *byte == b'\n').any(is_end)
    }

    fn receipt(&self, integrity: Integrity, doubts: &Doubts) -> Receipt {
        let Body { digest, .. } = self.body;
        Receipt {
            bytes: digest.bytes(),
            crc32: digest.crc32(),
            sha256: digest.sha256(),
            integrity,
            accepted: doubts.accepted().to_vec(),
            warnings: self.warnings(),
            checksum_wait: (!integrity.is_proof()).then_some(self.waited),
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        let is_marked = self.body.begins_marked(b"") && self.body.ends_marked();
        let odd = [
            (self.body.digest.bytes() == 0, Warning::Empty),
            (is_marked, Warning::Markers),
            (self.reset_seen, Warning::ResetSeen),
        ];
        odd.into_iter()
            .filter_map(|(is, warning)| is.then_some(warning))
            .collect()
    }
}

fn first_line(bytes: &[u8]) -> Cow<'_, str> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty());
    String::from_utf8_lossy(line.unwrap_or_default())
}

fn last_line(bytes: &[u8]) -> Cow<'_, str> {
    let line = bytes.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    String::from_utf8_lossy(line.unwrap_or_default())
}

const fn proven_by(kind: ChecksumKind) -> Integrity {
    match kind {
        ChecksumKind::Crc32 => Integrity::Crc32,
        ChecksumKind::Sha256 => Integrity::Sha256,
    }
}

const fn unproven(framing: Framing) -> Integrity {
    match framing {
        Framing::Sized { .. } => Integrity::LengthAndTail,
        Framing::Marked { lines: Some(_) } => Integrity::LinesAndMarkers,
        Framing::Marked { lines: None } => Integrity::Markers,
    }
}
