//! One export, from the command to its receipt.

use alloc::{collections::VecDeque, format, string::String, vec::Vec};
use core::{mem, time::Duration};

use crate::{Instant, Output};

use crate::export::collect::judge::{End, Evidence};
use crate::export::collect::unanswered::Unanswered;
use crate::export::doubt::{Doubts, Refusal};
use crate::export::event::{Config, Event, Phase};
use crate::export::reply::body::{Body, without_return};
use crate::export::reply::decoder::{Decoder, Piece};
use crate::export::reply::header::Header;
use crate::export::reply::naming::Name;
use crate::export::reply::restart::is_boot_banner;
use crate::export::reply::tail::Tail;
use crate::export::{Command, Doubt, Failure, Naming, RunId};

/// State between sending `EXPORT` and the end.
#[derive(Debug)]
pub(crate) struct Transfer {
    stage: Stage,
    run_id: RunId,
    /// Number of the request, if it has one.
    request: Option<u32>,
    /// Content of the last line `RUN=…`.
    named: Option<Naming>,
    /// Run in the last line with `EXPORT run_id=…`.
    hinted: Option<RunId>,
    /// Another run, which the device may have answered instead.
    late: Option<RunId>,
    began: Instant,
    /// Time of the last input from the device.
    last_input: Instant,
    decoder: Decoder,
    /// The command as echoed by a device, until the echo has arrived.
    echo: Option<Vec<u8>>,
    reset_seen: bool,
    said: Said,
    /// Doubts that the application accepts.
    accept: Vec<Doubt>,
    doubts: Doubts,
    body: Body,
}

#[derive(Debug)]
enum Stage {
    Waiting,
    /// The answer to an earlier request is being skipped.
    Skipping,
    Receiving {
        header: Header,
        began: Instant,
    },
    Verifying {
        header: Header,
        tail: Tail,
        ended: Instant,
        /// Silence that ends the wait for a checksum.
        checksum_wait: Duration,
    },
}

type Queue = VecDeque<Output<Event>>;

impl Transfer {
    /// Creates an export that was just requested.
    pub(crate) fn new(
        now: Instant,
        run_id: RunId,
        request: Option<u32>,
        accept: Vec<Doubt>,
    ) -> Self {
        let command = Command::Export {
            run_id: run_id.clone(),
            request,
        };
        let mut echo = command.to_bytes();
        echo.pop();
        Self {
            stage: Stage::Waiting,
            run_id,
            request,
            named: None,
            hinted: None,
            late: None,
            began: now,
            last_input: now,
            decoder: Decoder::default(),
            echo: Some(echo),
            reset_seen: false,
            said: Said::default(),
            accept,
            doubts: Doubts::default(),
            body: Body::default(),
        }
    }

    /// Returns the decoder, for an answer that continues after the export.
    pub(crate) fn take_decoder(&mut self) -> Decoder {
        match self.stage {
            Stage::Waiting | Stage::Skipping | Stage::Receiving { .. } => {
                mem::take(&mut self.decoder)
            }
            Stage::Verifying { .. } => Decoder::default(),
        }
    }

    pub(crate) const fn phase(&self) -> Phase {
        match self.stage {
            Stage::Waiting | Stage::Skipping => Phase::WaitingHeader,
            Stage::Receiving { .. } => Phase::Receiving,
            Stage::Verifying { .. } => Phase::Verifying,
        }
    }

    /// Returns the number of body bytes so far, and the announced number.
    pub(crate) const fn progress(&self) -> (u64, Option<u64>) {
        (self.body.digest.bytes(), self.announced())
    }

    /// Takes received bytes; unused ones stay in `input` when the export ends.
    pub(crate) fn bytes(
        &mut self,
        now: Instant,
        input: &mut &[u8],
        config: &Config,
        unanswered: &mut Unanswered,
        out: &mut Queue,
    ) -> Option<End> {
        self.last_input = now;
        while !matches!(self.stage, Stage::Verifying { .. }) {
            match self.piece(now, input, config, unanswered, out) {
                Some(Ok(())) => {}
                Some(Err(refusal)) => return Some(Err(refusal)),
                None => return None,
            }
        }
        self.tail(input, out).then(|| self.judge(now, config))
    }

    /// Takes the data after the body, up to the device's final line.
    fn tail(&mut self, input: &mut &[u8], out: &mut Queue) -> bool {
        let Stage::Verifying { tail, .. } = &mut self.stage else {
            return false;
        };
        let length = tail.push(input);
        let (taken, rest) = input.split_at(length);
        chatter(out, taken);
        *input = rest;
        tail.is_complete()
    }

    /// Handles the end of the link. A complete body needs no tail.
    pub(crate) fn closed(&mut self, now: Instant, config: &Config) -> End {
        if matches!(self.stage, Stage::Verifying { .. }) {
            return self.judge(now, config);
        }
        Err(Failure::PortLost.into())
    }

    /// Handles the deadline.
    pub(crate) fn timeout(
        &mut self,
        now: Instant,
        config: &Config,
        out: &mut Queue,
    ) -> Option<End> {
        self.said.add(self.decoder.unfinished_line());
        chatter(out, self.decoder.unfinished_line());
        if matches!(self.stage, Stage::Verifying { .. }) {
            return Some(self.judge(now, config));
        }
        Some(Err(self.overdue(now, config).into()))
    }

    /// Time at which to call [`timeout`](Self::timeout).
    pub(crate) fn deadline(&self, config: &Config) -> Instant {
        match &self.stage {
            // A device that restarts has forgotten the command.
            Stage::Waiting if self.reset_seen => {
                (self.began + config.timeout).min(self.last_input + config.idle_timeout)
            }
            Stage::Waiting => self.began + config.timeout,
            Stage::Skipping => self.last_input + config.idle_timeout,
            Stage::Receiving { .. } => {
                let silent = self.last_input + config.idle_timeout;
                self.total(config).map_or(silent, |total| total.min(silent))
            }
            Stage::Verifying {
                header,
                tail,
                ended,
                checksum_wait,
            } => {
                let is_here = header.checksum.is_some() || tail.has_checksum();
                let quiet = match is_here {
                    true => config.tail_quiet,
                    false => *checksum_wait,
                };
                (*ended + quiet + config.tail_timeout).min(self.last_input + quiet)
            }
        }
    }

    fn total(&self, config: &Config) -> Option<Instant> {
        config.total_timeout.map(|total| self.began + total)
    }

    fn overdue(&self, now: Instant, config: &Config) -> Failure {
        let after = now - self.began;
        match self.stage {
            Stage::Waiting if self.reset_seen => Failure::DeviceReset,
            Stage::Waiting | Stage::Skipping => Failure::NoHeader {
                after,
                said: self.said.0.clone(),
            },
            Stage::Receiving { .. } | Stage::Verifying { .. } if self.body.has_restart() => {
                Failure::DeviceReset
            }
            Stage::Receiving { .. } | Stage::Verifying { .. }
                if self.total(config).is_some_and(|total| now >= total) =>
            {
                Failure::TimedOut { after }
            }
            Stage::Receiving { .. } | Stage::Verifying { .. } => self.short(),
        }
    }

    const fn short(&self) -> Failure {
        Failure::ShortTransfer {
            received: self.body.digest.bytes(),
            announced: self.announced(),
        }
    }

    const fn announced(&self) -> Option<u64> {
        match &self.stage {
            Stage::Receiving { header, .. } | Stage::Verifying { header, .. } => {
                header.framing.size()
            }
            Stage::Waiting | Stage::Skipping => None,
        }
    }

    fn piece(
        &mut self,
        now: Instant,
        input: &mut &[u8],
        config: &Config,
        unanswered: &mut Unanswered,
        out: &mut Queue,
    ) -> Option<Result<(), Refusal>> {
        let (doubt, failure, line) = match self.decoder.next(input)? {
            Piece::Noise(line) => {
                if self.echo.as_deref() == Some(without_return(line)) {
                    self.echo = None;
                } else {
                    self.said.add(line);
                    match Name::read(line) {
                        Some(Name::Sure(naming)) => self.named = Some(naming),
                        Some(Name::Hint(run_id)) => self.hinted = Some(run_id),
                        None => {}
                    }
                    if noise(line, out) {
                        self.reset_seen = true;
                        (self.named, self.hinted) = (None, None);
                        unanswered.forget();
                    }
                }
                return Some(Ok(()));
            }
            Piece::Header(header) => {
                return Some(match self.is_ours(header.naming.clone(), unanswered) {
                    true => self.begin(now, header, config, out),
                    false => {
                        chatter(out, format!("{header}\n").as_bytes());
                        self.stage = Stage::Skipping;
                        Ok(())
                    }
                });
            }
            Piece::Body(bytes) if matches!(self.stage, Stage::Skipping) => {
                chatter(out, bytes);
                return Some(Ok(()));
            }
            Piece::End | Piece::NoEnd if matches!(self.stage, Stage::Skipping) => {
                // The device reads the next request only now.
                self.began = now;
                self.decoder = Decoder::default();
                self.stage = Stage::Waiting;
                return Some(Ok(()));
            }
            Piece::Body(bytes) => {
                self.body.add(bytes);
                out.push_back(Output::Event(Event::Body(bytes.to_vec())));
                return Some(check_size(self.body.digest.bytes(), config));
            }
            Piece::End => {
                self.verify(now, config);
                return Some(Ok(()));
            }
            Piece::NoEnd => {
                self.verify(now, config);
                // Judged together with the data after it, if that is accepted.
                let failure = Failure::MissingEnd;
                return Some(Doubts::default().raise(&self.accept, Doubt::Tail, failure, ""));
            }
            Piece::BadHeader(line) => {
                if !self.accept.contains(&Doubt::Header) {
                    unanswered.answer();
                }
                let text = String::from_utf8_lossy(without_return(line)).into_owned();
                (
                    Doubt::Header,
                    Failure::BadHeader { line: text.clone() },
                    text,
                )
            }
            Piece::Error(text) => {
                let is_accepted = self.accept.contains(&Doubt::DeviceError);
                if !is_accepted && !self.is_ours(None, unanswered) {
                    noise(text.as_bytes(), out);
                    return Some(Ok(()));
                }
                if let Some(run_id) = self.late.take() {
                    return Some(Err(Failure::LateAnswer { run_id }.into()));
                }
                let failure = Failure::DeviceError { text: text.clone() };
                (Doubt::DeviceError, failure, text)
            }
        };
        let raised = self.doubts.raise(&self.accept, doubt, failure, &line);
        if raised.is_ok() {
            noise(line.as_bytes(), out);
        }
        Some(raised)
    }

    /// Counts an answer that begins here, and returns true if it may be ours. It is certainly late if the device names
    /// another request, and possibly if an earlier request for another run has no answer yet.
    fn is_ours(&mut self, said: Option<Naming>, unanswered: &mut Unanswered) -> bool {
        let hinted = self.hinted.take().filter(|run_id| *run_id != self.run_id);
        if let Some(named) = said.or(self.named.take()) {
            self.named = None;
            unanswered.answer_named(&named);
            let ours = self.request.unwrap_or_default();
            return named.run_id == self.run_id && named.request.is_none_or(|its| its == ours);
        }
        self.late = hinted.or_else(|| unanswered.other_than(&self.run_id).cloned());
        unanswered.answer();
        true
    }

    fn begin(
        &mut self,
        now: Instant,
        header: Header,
        config: &Config,
        out: &mut Queue,
    ) -> Result<(), Refusal> {
        check_size(header.framing.size().unwrap_or_default(), config)?;
        self.body = Body::after(header.framing);
        out.push_back(Output::Event(Event::Begun(header.clone())));
        self.stage = Stage::Receiving { header, began: now };
        Ok(())
    }

    fn verify(&mut self, now: Instant, config: &Config) {
        if let Stage::Receiving { header, began } = &self.stage {
            self.stage = Stage::Verifying {
                header: header.clone(),
                tail: Tail::new(header.framing, config.require_checksum),
                ended: now,
                checksum_wait: config.wait_for_checksum(now - *began),
            };
        }
    }

    /// Judges a body that has ended.
    fn judge(&self, now: Instant, config: &Config) -> End {
        let Stage::Verifying {
            header,
            tail,
            ended,
            ..
        } = &self.stage
        else {
            return Err(self.short().into());
        };
        let evidence = Evidence {
            header,
            body: &self.body,
            tail,
            accept: &self.accept,
            doubts: &self.doubts,
            reset_seen: self.reset_seen,
            late: self.late.as_ref(),
            waited: now - *ended,
        };
        evidence.judge(config)
    }
}

/// The device's line most similar to a header, or its last one: it shows a person why no header was found.
#[derive(Debug, Default)]
struct Said(Option<String>);

impl Said {
    fn add(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        let is_near = |line: &[u8]| {
            NEAR_HEADERS.iter().any(|word| {
                line.get(..word.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(word))
            })
        };
        let is_nearer = self
            .0
            .as_ref()
            .is_none_or(|known| !is_near(known.as_bytes()));
        if !line.is_empty() && (is_nearer || is_near(line)) {
            let line = &line[..line.len().min(LONGEST_SAID)];
            self.0 = Some(String::from_utf8_lossy(line).into_owned());
        }
    }
}

fn check_size(size: u64, config: &Config) -> Result<(), Refusal> {
    let limit = config.size_limit;
    if size > limit {
        return Err(Failure::TooLarge { size, limit }.into());
    }
    Ok(())
}

/// Reports a line that is not part of the log; returns true for a boot banner.
fn noise(line: &[u8], out: &mut Queue) -> bool {
    let is_banner = is_boot_banner(line);
    chatter(out, &[line, b"\n"].concat());
    if is_banner {
        out.push_back(Output::Event(Event::Reset));
    }
    is_banner
}

fn chatter(out: &mut Queue, bytes: &[u8]) {
    if !bytes.is_empty() {
        out.push_back(Output::Event(Event::Chatter(bytes.to_vec())));
    }
}

/// Starts of lines that may be meant as a header.
const NEAR_HEADERS: [&[u8]; 4] = [b"SIZE", b"BEGIN", b"LEN", b"BYTES"];
/// Length limit in bytes.
const LONGEST_SAID: usize = 200;
