//! The PC's side of the conversation.

use alloc::{boxed::Box, collections::VecDeque, vec::Vec};
use core::mem::take;

use crate::{Input, Instant, Machine, Output};

use crate::export::collect::judge::End;
use crate::export::collect::late::Late;
use crate::export::collect::transfer::Transfer;
use crate::export::collect::unanswered::Unanswered;
use crate::export::doubt::Refusal;
use crate::export::event::{CommandError, Config, Event, Phase};
use crate::export::reply::restart::Lines;
use crate::export::{Command, Doubt, Failure, RunId};

/// A conversation with one device, from the moment its link is open.
///
/// It sends nothing unless requested, and nothing at all during an export.
///
/// ```
/// use flylead_core::{Input, Instant, Pump};
/// use flylead_core::export::{Collector, Config, Event, RunId};
///
/// let mut pump = Pump::new(Collector::new(Config::default()));
/// let run = RunId::new("run001")?;
/// pump.command(|device| device.export(Instant::START, &run))?;
///
/// let quiet = pump.deadline().expect("an end of the silence before the command");
/// pump.handle_input(quiet, Input::Timeout);
/// assert_eq!(pump.take_transmit(), b"EXPORT run_id=run001\n");
///
/// pump.handle_input(quiet, Input::Bytes(b"SIZE=8\nt,v\n0,1\n\nCRC32=351a4c1f\nOK\n"));
/// let mut log = Vec::new();
/// while let Some(event) = pump.poll_event() {
///     match event {
///         Event::Body(bytes) => log.extend_from_slice(&bytes),
///         Event::Finished(receipt) => println!("{} bytes, {}", receipt.bytes, receipt.integrity),
///         Event::Failed { failure, .. } => println!("{failure}; {}", failure.hint()),
///         Event::Chatter(_) | Event::Reset | Event::Asked | Event::Begun(_) | Event::Closed => {}
///     }
/// }
/// assert_eq!(log, b"t,v\n0,1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Receiving a log, with the one-page [driver](crate::Pump):
///
/// ```
/// use flylead_core::export::{Collector, Config, Event, RunId};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// # let (mut socket, device) = UnixStream::pair()?;
/// # std::thread::spawn(move || {
/// #     let (mut device, mut asked) = (device, [0; 64]);
/// #     device.read(&mut asked).unwrap();
/// #     device.write_all(b"SIZE=8\nt,v\n0,1\n\nCRC32=351a4c1f\nOK\n").unwrap();
/// # });
/// let mut device = Pump::new(Collector::new(Config::default()));
/// let run = RunId::new("run001")?;
/// device.command(|device| device.export(Instant::START, &run))?;
/// let mut log = Vec::new();
/// drive(&mut socket, &mut device, |_, event| match event {
///     Event::Body(bytes) => {
///         log.extend(bytes);
///         true
///     }
///     event => !matches!(event, Event::Finished(_) | Event::Failed { .. }),
/// })?;
/// assert_eq!(log, b"t,v\n0,1\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Collector {
    config: Config,
    state: State,
    lines: Lines,
    unanswered: Unanswered,
    late: Late,
    /// Number of the next request, for a device that reads numbers.
    next_request: u32,
    output: VecDeque<Output<Event>>,
}

#[derive(Debug)]
enum State {
    Idle,
    Draining {
        run_id: RunId,
        accept: Vec<Doubt>,
        began: Instant,
        /// Time of the last input from the device.
        last_input: Instant,
    },
    /// Boxed: it is far larger than the other states.
    Exporting(Box<Transfer>),
    Closed,
}

impl Collector {
    /// Creates a conversation that has not begun.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            next_request: config.first_request.max(1),
            config,
            state: State::Idle,
            lines: Lines::default(),
            unanswered: Unanswered::default(),
            late: Late::default(),
            output: VecDeque::new(),
        }
    }

    /// Asks the device to begin recording. Its answer, if any, is [`Event::Chatter`].
    ///
    /// # Errors
    /// During an export, and after the link has closed.
    pub fn start(&mut self, run_id: &RunId) -> Result<(), CommandError> {
        self.send(Command::Start(run_id.clone()).to_bytes())
    }

    /// Asks the device to end its recording. Its answer, if any, is [`Event::Chatter`].
    ///
    /// # Errors
    /// During an export, and after the link has closed.
    pub fn stop(&mut self) -> Result<(), CommandError> {
        self.send(Command::Stop.to_bytes())
    }

    /// Requests the log of a run, once the line is quiet. [`Event::Finished`] or [`Event::Failed`] follows.
    ///
    /// # Errors
    /// During another export, and after the link has closed.
    pub fn export(&mut self, now: Instant, run_id: &RunId) -> Result<(), CommandError> {
        self.export_accepting(now, run_id, &[])
    }

    /// Like [`export`](Self::export), but also accepts these doubts, in addition to those of [`Config::accept`].
    ///
    /// # Errors
    /// Those of [`export`](Self::export).
    pub fn export_accepting(
        &mut self,
        now: Instant,
        run_id: &RunId,
        doubts: &[Doubt],
    ) -> Result<(), CommandError> {
        self.check_idle()?;
        self.unanswered.forget_old(now);
        self.state = State::Draining {
            run_id: run_id.clone(),
            accept: [&self.config.accept, doubts].concat(),
            began: now,
            last_input: now,
        };
        Ok(())
    }

    /// Sends these bytes unchanged.
    ///
    /// # Errors
    /// During an export, and after the link has closed.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        self.send(bytes.to_vec())
    }

    /// Cancels the export. Nothing is sent, as the protocol has no command for it: the rest of the device's output
    /// becomes [`Event::Chatter`].
    ///
    /// # Errors
    /// If no export is in progress.
    pub fn cancel(&mut self) -> Result<(), CommandError> {
        match self.phase() {
            Phase::Idle | Phase::Closed => Err(CommandError::NotExporting),
            Phase::Draining | Phase::WaitingHeader | Phase::Receiving | Phase::Verifying => {
                if let State::Exporting(transfer) = &mut self.state {
                    self.late = Late::go_on(transfer.take_decoder());
                }
                self.end(Err(Failure::Cancelled.into()));
                Ok(())
            }
        }
    }

    /// Records an unanswered request from before this conversation, whose answer may still arrive until then.
    pub fn expect_late(&mut self, run_id: &RunId, until: Instant) {
        self.unanswered.ask(run_id, None, until);
    }

    /// Iterates over requested runs whose answer has not begun, oldest first.
    pub fn unanswered(&self) -> impl Iterator<Item = &RunId> {
        self.unanswered.runs()
    }

    /// Returns the phase of the export.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match &self.state {
            State::Idle => Phase::Idle,
            State::Draining { .. } => Phase::Draining,
            State::Exporting(transfer) => transfer.phase(),
            State::Closed => Phase::Closed,
        }
    }

    /// Returns the number of received bytes of the body, and the announced number.
    #[must_use]
    pub const fn progress(&self) -> (u64, Option<u64>) {
        match &self.state {
            State::Exporting(transfer) => transfer.progress(),
            State::Idle | State::Draining { .. } | State::Closed => (0, None),
        }
    }

    fn check_idle(&self) -> Result<(), CommandError> {
        match self.phase() {
            Phase::Idle => Ok(()),
            Phase::Closed => Err(CommandError::Closed),
            Phase::Draining | Phase::WaitingHeader | Phase::Receiving | Phase::Verifying => {
                Err(CommandError::Busy)
            }
        }
    }

    fn send(&mut self, bytes: Vec<u8>) -> Result<(), CommandError> {
        self.check_idle()?;
        if !bytes.is_empty() {
            self.output.push_back(Output::Transmit(bytes));
        }
        Ok(())
    }

    fn bytes(&mut self, now: Instant, mut bytes: &[u8]) {
        if let State::Exporting(transfer) = &mut self.state
            && let Some(end) = transfer.bytes(
                now,
                &mut bytes,
                &self.config,
                &mut self.unanswered,
                &mut self.output,
            )
        {
            self.end(end);
        }
        if let State::Draining { last_input, .. } = &mut self.state {
            *last_input = now;
        }
        self.chatter(bytes);
    }

    fn chatter(&mut self, mut bytes: &[u8]) {
        if matches!(self.state, State::Closed) {
            return;
        }
        if matches!(self.state, State::Idle | State::Draining { .. }) {
            self.late.feed(bytes, &mut self.unanswered);
        }
        while let Some(end) = self.lines.feed(bytes) {
            let (banner, rest) = bytes.split_at(end);
            self.event(Event::Chatter(banner.to_vec()));
            self.event(Event::Reset);
            self.unanswered.forget();
            self.late = Late::default();
            bytes = rest;
        }
        if !bytes.is_empty() {
            self.event(Event::Chatter(bytes.to_vec()));
        }
    }

    fn timeout(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        match &mut self.state {
            State::Draining { run_id, accept, .. } => {
                self.late = Late::default();
                let (run_id, accept) = (run_id.clone(), take(accept));
                let request = self.number();
                let until = now + self.config.late_limit;
                self.unanswered
                    .ask(&run_id, Some(request.unwrap_or_default()), until);
                let transfer = Transfer::new(now, run_id.clone(), request, accept);
                let command = Command::Export { run_id, request };
                self.output.push_back(Output::Transmit(command.to_bytes()));
                self.state = State::Exporting(Box::new(transfer));
                self.event(Event::Asked);
            }
            State::Exporting(transfer) => {
                if let Some(end) = transfer.timeout(now, &self.config, &mut self.output) {
                    self.end(end);
                }
            }
            State::Idle | State::Closed => {}
        }
    }

    /// Returns the number of a request to a device that reads it; requests to other devices follow the document.
    fn number(&mut self) -> Option<u32> {
        let request = self.next_request;
        self.unanswered.is_numbered().then(|| {
            self.next_request = request % LAST_REQUEST + 1;
            request
        })
    }

    fn closed(&mut self, now: Instant) {
        match &mut self.state {
            State::Closed => return,
            State::Idle => {}
            State::Draining { .. } => self.end(Err(Failure::PortLost.into())),
            State::Exporting(transfer) => {
                let end = transfer.closed(now, &self.config);
                self.end(end);
            }
        }
        self.state = State::Closed;
        self.event(Event::Closed);
    }

    fn end(&mut self, end: End) {
        self.state = State::Idle;
        self.event(match end {
            Ok(receipt) => Event::Finished(receipt),
            Err(Refusal {
                failure,
                doubts,
                quotes,
            }) => Event::Failed {
                failure,
                doubts,
                quotes,
            },
        });
    }

    /// Time at which the line is quiet enough for a request: normally at once, but later while an
    /// answer to an earlier question may arrive.
    fn quiet_at(&self, run_id: &RunId, began: Instant, last_input: Instant) -> Instant {
        let config = &self.config;
        if self.late.is_in_body() {
            return last_input + config.late_quiet;
        }
        match self.unanswered.other_than(run_id) {
            None => (last_input + config.quiet).min(began + config.drain_timeout),
            Some(_) => (last_input + config.late_quiet)
                .min(began + config.drain_timeout + config.late_quiet),
        }
    }

    fn event(&mut self, event: Event) {
        self.output.push_back(Output::Event(event));
    }

    fn deadline(&self) -> Option<Instant> {
        match &self.state {
            State::Draining {
                run_id,
                began,
                last_input,
                ..
            } => Some(self.quiet_at(run_id, *began, *last_input)),
            State::Exporting(transfer) => Some(transfer.deadline(&self.config)),
            State::Idle | State::Closed => None,
        }
    }
}

impl Machine for Collector {
    type Event = Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Bytes(bytes) => self.bytes(now, bytes),
            Input::Closed => self.closed(now),
            Input::Timeout => self.timeout(now),
        }
    }

    fn poll_output(&mut self) -> Output<Event> {
        match self.output.pop_front() {
            Some(output) => output,
            None => Output::Idle(self.deadline()),
        }
    }
}

/// Largest request number: numbers have at most nine digits.
const LAST_REQUEST: u32 = 999_999_999;
