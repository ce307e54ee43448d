//! One export, from the command to its receipt.

use alloc::{collections::VecDeque, string::String, vec::Vec};

use crate::{Instant, Output};

use super::checksum::{Checksum, ChecksumKind, Tally};
use super::event::{Config, Event, Integrity, Phase, Receipt, Warning};
use super::framing::{Decoder, Framing, Header, Piece};
use super::reset::is_boot_banner;
use super::tail::{Tail, Verdict, ends_in_answer};
use super::{Command, Failure};

/// What is known between sending `EXPORT` and the end.
#[derive(Debug)]
pub(crate) struct Transfer {
    stage: Stage,
    began: Instant,
    heard: Instant,
    decoder: Decoder,
    /// The command as a device with its echo on returns it, until it did.
    echo: Option<Vec<u8>>,
    reset_seen: bool,
    tally: Tally,
    first: Vec<u8>,
    last: Vec<u8>,
}

#[derive(Debug)]
enum Stage {
    Waiting,
    Receiving {
        header: Header,
    },
    Verifying {
        header: Header,
        tail: Tail,
        ended: Instant,
    },
}

/// How an export ended.
pub(crate) type End = Result<Receipt, Failure>;
type Queue = VecDeque<Output<Event>>;

impl Transfer {
    /// An export that has just been asked for.
    pub(crate) fn new(now: Instant, command: &Command) -> Self {
        let mut echo = command.to_bytes();
        echo.pop();
        Self {
            stage: Stage::Waiting,
            began: now,
            heard: now,
            decoder: Decoder::default(),
            echo: Some(echo),
            reset_seen: false,
            tally: Tally::default(),
            first: Vec::new(),
            last: Vec::new(),
        }
    }

    pub(crate) const fn phase(&self) -> Phase {
        match self.stage {
            Stage::Waiting => Phase::WaitingHeader,
            Stage::Receiving { .. } => Phase::Receiving,
            Stage::Verifying { .. } => Phase::Verifying,
        }
    }

    /// Bytes of the body so far, and all that were announced.
    pub(crate) const fn progress(&self) -> (u64, Option<u64>) {
        (self.tally.bytes(), self.announced())
    }

    /// Takes in what came; what it does not need stays in `input` when the export ends.
    pub(crate) fn bytes(
        &mut self,
        now: Instant,
        input: &mut &[u8],
        config: &Config,
        out: &mut Queue,
    ) -> Option<End> {
        self.heard = now;
        while !matches!(self.stage, Stage::Verifying { .. }) {
            match self.piece(now, input, config, out) {
                Some(Ok(())) => {}
                Some(Err(failure)) => return Some(Err(failure)),
                None => return None,
            }
        }
        self.tail(input, out).then(|| self.judge(config))
    }

    /// Takes in what follows the body, up to the line with which the device has said all it will.
    fn tail(&mut self, input: &mut &[u8], out: &mut Queue) -> bool {
        let Stage::Verifying { tail, .. } = &mut self.stage else {
            return false;
        };
        let length = tail.push(input);
        let (heard, rest) = input.split_at(length);
        say(out, Event::Chatter, heard);
        *input = rest;
        tail.is_complete()
    }

    /// The link closed. A body that is whole may be followed by nothing.
    pub(crate) fn closed(&mut self, config: &Config) -> End {
        if matches!(self.stage, Stage::Verifying { .. }) {
            return self.judge(config);
        }
        Err(Failure::PortLost)
    }

    /// Time has passed.
    pub(crate) fn timeout(
        &mut self,
        now: Instant,
        config: &Config,
        out: &mut Queue,
    ) -> Option<End> {
        if now < self.deadline(config) {
            return None;
        }
        say(out, Event::Chatter, self.decoder.unfinished_line());
        if matches!(self.stage, Stage::Verifying { .. }) {
            return Some(self.judge(config));
        }
        Some(Err(self.overdue(now, config)))
    }

    /// When to call [`timeout`](Self::timeout).
    pub(crate) fn deadline(&self, config: &Config) -> Instant {
        match &self.stage {
            // A device that starts anew has forgotten the command.
            Stage::Waiting if self.reset_seen => {
                self.total(config).min(self.heard + config.idle_timeout)
            }
            Stage::Waiting => self.began + config.timeout,
            Stage::Receiving { .. } => self.total(config).min(self.heard + config.idle_timeout),
            Stage::Verifying { ended, .. } => {
                (*ended + config.tail_timeout).min(self.heard + config.tail_quiet)
            }
        }
    }

    fn total(&self, config: &Config) -> Instant {
        let (received, announced) = self.progress();
        self.began + config.total_timeout(announced.unwrap_or(received))
    }

    fn overdue(&self, now: Instant, config: &Config) -> Failure {
        match self.stage {
            Stage::Waiting if self.reset_seen => Failure::DeviceReset,
            Stage::Waiting => Failure::NoHeader {
                after: now - self.began,
            },
            _ if is_boot_banner(&self.last) => Failure::DeviceReset,
            _ if now >= self.total(config) => Failure::TimedOut {
                after: now - self.began,
            },
            _ => self.short(),
        }
    }

    const fn short(&self) -> Failure {
        Failure::ShortTransfer {
            received: self.tally.bytes(),
            announced: self.announced(),
        }
    }

    const fn announced(&self) -> Option<u64> {
        match &self.stage {
            Stage::Receiving { header } | Stage::Verifying { header, .. } => match header.framing {
                Framing::Sized { size } => Some(size),
                Framing::Marked { .. } => None,
            },
            Stage::Waiting => None,
        }
    }

    fn piece(
        &mut self,
        now: Instant,
        input: &mut &[u8],
        config: &Config,
        out: &mut Queue,
    ) -> Option<Result<(), Failure>> {
        match self.decoder.next(input)? {
            Piece::Noise(line) => {
                if self.echo.as_deref() == Some(without_return(line)) {
                    self.echo = None;
                } else {
                    self.reset_seen |= noise(line, out);
                }
            }
            Piece::Header(header) => return Some(self.begin(header, config, out)),
            Piece::Body(bytes) => {
                self.tally.add(bytes);
                keep_first(&mut self.first, bytes);
                keep_last(&mut self.last, bytes);
                out.push_back(Output::Event(Event::Body(bytes.to_vec())));
                return Some(self.check_limit(config));
            }
            Piece::End => self.verify(now),
            Piece::NoEnd => return Some(Err(Failure::MissingEnd)),
            Piece::BadHeader(line) => {
                let line = String::from_utf8_lossy(without_return(line)).into_owned();
                return Some(Err(Failure::BadHeader { line }));
            }
            Piece::Error(text) => return Some(Err(Failure::DeviceError { text })),
        }
        Some(Ok(()))
    }

    fn begin(&mut self, header: Header, config: &Config, out: &mut Queue) -> Result<(), Failure> {
        if let Framing::Sized { size } = header.framing
            && size > config.size_limit
        {
            return Err(Failure::TooLarge {
                size,
                limit: config.size_limit,
            });
        }
        self.stage = Stage::Receiving { header };
        out.push_back(Output::Event(Event::Begun(header)));
        Ok(())
    }

    const fn check_limit(&self, config: &Config) -> Result<(), Failure> {
        let size = self.tally.bytes();
        if size > config.size_limit {
            return Err(Failure::TooLarge {
                size,
                limit: config.size_limit,
            });
        }
        Ok(())
    }

    fn verify(&mut self, now: Instant) {
        if let Stage::Receiving { header } = self.stage {
            let tail = Tail::new(header.framing);
            self.stage = Stage::Verifying {
                header,
                tail,
                ended: now,
            };
        }
    }

    /// Decides over a body that has ended.
    fn judge(&self, config: &Config) -> End {
        let Stage::Verifying { header, tail, .. } = &self.stage else {
            return Err(self.short());
        };
        let verdict = tail.verdict(&self.last);
        let sent = match verdict {
            Verdict::Error(text) => return Err(Failure::DeviceError { text }),
            Verdict::BrokenChecksum => return Err(Failure::BrokenChecksum),
            Verdict::Fits(checksum) => header.checksum.or(checksum),
            Verdict::Moved => header.checksum,
        };
        for announced in [header.checksum, sent].into_iter().flatten() {
            self.compare(announced)?;
        }
        match sent {
            Some(checksum) => Ok(self.receipt(proven_by(checksum.kind()))),
            None if verdict == Verdict::Moved => Err(self.moved(header.framing, tail)),
            None if config.require_checksum => Err(Failure::MissingChecksum),
            None => self.unproven(header.framing),
        }
    }

    fn compare(&self, announced: Checksum) -> Result<(), Failure> {
        let counted = self.tally.checksum(announced.kind());
        match counted == announced {
            true => Ok(()),
            false if is_boot_banner(&self.last) => Err(Failure::DeviceReset),
            false => Err(Failure::ChecksumMismatch { announced, counted }),
        }
    }

    fn moved(&self, framing: Framing, tail: &Tail) -> Failure {
        match framing {
            _ if is_boot_banner(tail.bytes()) || is_boot_banner(&self.last) => Failure::DeviceReset,
            Framing::Marked { .. } => Failure::AmbiguousEnd,
            Framing::Sized { .. } if self.is_marked_too(tail) => Failure::ModeConflict,
            Framing::Sized { .. } => Failure::TrailingData,
        }
    }

    /// `BEGIN` at the start of the sized bytes and `END` behind them: their length was not counted.
    fn is_marked_too(&self, tail: &Tail) -> bool {
        let mut start = self.first.clone();
        keep_first(&mut start, tail.bytes());
        begins_marked(&start) && tail.bytes().split(|byte| *byte == b'\n').any(is_end)
    }

    /// Without a checksum a body must at least not look like one that lost something.
    fn unproven(&self, framing: Framing) -> End {
        if is_boot_banner(&self.last) {
            return Err(Failure::DeviceReset);
        }
        match framing {
            Framing::Sized { .. } if ends_in_answer(&self.last) => Err(self.short()),
            Framing::Sized { .. } => Ok(self.receipt(Integrity::LengthAndTail)),
            // A header that came twice.
            Framing::Marked { .. } if begins_marked(&self.first) => Err(Failure::AmbiguousEnd),
            Framing::Marked { lines: Some(_) } => Ok(self.receipt(Integrity::LinesAndMarkers)),
            Framing::Marked { lines: None } => Ok(self.receipt(Integrity::Markers)),
        }
    }

    fn receipt(&self, integrity: Integrity) -> Receipt {
        let ends_marked = self
            .last
            .rsplit(|byte| *byte == b'\n')
            .find(|line| !line.is_empty())
            .is_some_and(is_end);
        let odd = [
            (self.tally.bytes() == 0, Warning::Empty),
            (begins_marked(&self.first) && ends_marked, Warning::Markers),
            (self.reset_seen, Warning::ResetSeen),
        ];
        Receipt {
            bytes: self.tally.bytes(),
            crc32: self.tally.crc32(),
            sha256: self.tally.sha256(),
            integrity,
            warnings: odd
                .into_iter()
                .filter_map(|(is, warning)| is.then_some(warning))
                .collect(),
        }
    }
}

const fn proven_by(kind: ChecksumKind) -> Integrity {
    match kind {
        ChecksumKind::Crc32 => Integrity::Crc32,
        ChecksumKind::Sha256 => Integrity::Sha256,
    }
}

/// Hands out one line that is not the log's; whether it is a boot banner.
fn noise(line: &[u8], out: &mut Queue) -> bool {
    let is_banner = is_boot_banner(line);
    let mut line = line.to_vec();
    line.push(b'\n');
    out.push_back(Output::Event(Event::Chatter(line)));
    if is_banner {
        out.push_back(Output::Event(Event::Reset));
    }
    is_banner
}

fn say(out: &mut Queue, event: fn(Vec<u8>) -> Event, bytes: &[u8]) {
    if !bytes.is_empty() {
        out.push_back(Output::Event(event(bytes.to_vec())));
    }
}

fn begins_marked(first: &[u8]) -> bool {
    first.starts_with(b"BEGIN\n") || first.starts_with(b"BEGIN\r\n")
}

fn is_end(line: &[u8]) -> bool {
    without_return(line) == b"END"
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn keep_first(first: &mut Vec<u8>, bytes: &[u8]) {
    let room = b"BEGIN\r\n".len() - first.len();
    first.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

/// Keeps at least the last [`LAST`] bytes, and at most twice as many.
fn keep_last(last: &mut Vec<u8>, bytes: &[u8]) {
    let bytes = &bytes[bytes.len().saturating_sub(LAST)..];
    if last.len() + bytes.len() > 2 * LAST {
        last.drain(..last.len() - (LAST - bytes.len()).min(last.len()));
    }
    last.extend_from_slice(bytes);
}

/// Longer than what a board prints while it starts.
const LAST: usize = 4096;
