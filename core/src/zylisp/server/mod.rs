//! The server's half of the protocol, for one connection.

mod config;
mod event;
mod operations;
mod reply;

use alloc::{boxed::Box, collections::VecDeque, format, string::String};
use core::mem;

use serde_json::Value as Json;

use super::{
    codec::Decoder,
    message::{Message, Status},
    outgoing::Outgoing,
};
use crate::{Input, Instant, Machine, Output};
use reply::reply;

pub use config::ServerConfig;
pub use event::{ServerEvent, ServerLost};
pub use reply::Finished;

/// Reads requests, answers what needs no evaluation, and hands out the rest one at a time.
///
/// ```text
/// requests ─► [queue] ─► Event::Eval / Event::Load ─► the application ─► finish(outcome) ─► reply
///      └─ interrupt, describe: answered at once, past the queue
/// ```
///
/// Evaluations are answered in the order they came in. Every request is answered exactly once.
#[derive(Debug)]
pub struct ZylispServer {
    config: ServerConfig,
    decoder: Decoder,
    queue: VecDeque<Message>,
    queued: usize,
    running: Option<Running>,
    authorized: bool,
    faults: usize,
    /// When a connection that has said nothing useful yet is given up.
    authorize_before: Option<Instant>,
    /// Since when a message is coming in that is not whole yet.
    unfinished_since: Option<Instant>,
    outgoing: Outgoing,
    events: VecDeque<ServerEvent>,
    lost: bool,
}

/// The request that was handed out.
#[derive(Debug)]
struct Running {
    id: String,
    streams: bool,
}

impl ZylispServer {
    /// A connection that was accepted at `now`.
    #[must_use]
    pub fn new(now: Instant, config: ServerConfig) -> Self {
        Self {
            decoder: Decoder::new(config.encoding, config.message_limit),
            queue: VecDeque::new(),
            queued: 0,
            running: None,
            authorized: config.token.is_none(),
            faults: 0,
            authorize_before: config.token.is_some().then(|| now + config.token_timeout),
            unfinished_since: None,
            outgoing: Outgoing::bytes(config.encoding),
            events: VecDeque::new(),
            lost: false,
            config,
        }
    }

    /// A connection within a process: nothing is encoded. Messages come in by
    /// [`handle_message`](Self::handle_message), and go by [`take_message`](Self::take_message).
    #[must_use]
    pub fn in_process(now: Instant, config: ServerConfig) -> Self {
        Self {
            outgoing: Outgoing::messages(),
            ..Self::new(now, config)
        }
    }

    /// Takes in a message of a client in the same process.
    pub fn handle_message(&mut self, _now: Instant, message: Message) {
        if !self.lost {
            self.request(message);
        }
    }

    /// The next message to a client in the same process.
    pub fn take_message(&mut self) -> Option<Box<Message>> {
        self.outgoing.take_message()
    }

    /// Answers the request that was handed out last, and hands out the next.
    pub fn finish(&mut self, _now: Instant, finished: Finished) {
        if let Some(running) = self.running.take() {
            self.send(reply(running.id, finished));
            self.hand_out_next();
        }
    }

    /// Whether the client wants what its evaluation prints before that has ended.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.streams)
    }

    /// Sends what was printed so far to a client that [wants it](Self::streams).
    pub fn output(&mut self, _now: Instant, output: String) {
        if let Some(running) = self.running.as_ref().filter(|running| running.streams) {
            let message = Message::output(running.id.clone(), output);
            self.send(message);
        }
    }

    /// Interrupts an evaluation for another connection: the running one, or one that waits. Whether there was one.
    pub fn interrupt(&mut self, _now: Instant, target: Option<&str>) -> bool {
        let is_running = |running: &Running| target.is_none_or(|target| target == running.id);
        if self.running.as_ref().is_some_and(is_running) {
            self.events.push_back(ServerEvent::Interrupt);
            return true;
        }
        let Some(at) = self
            .queue
            .iter()
            .position(|waiting| Some(waiting.id.as_str()) == target)
        else {
            return false;
        };
        if let Some(waiting) = self.queue.remove(at) {
            self.queued -= cost(&waiting);
            self.send(Message::reply(waiting.id, Status::Interrupted));
        }
        true
    }

    /// Answers [`ServerEvent::InterruptElsewhere`].
    pub fn interrupted(&mut self, _now: Instant, id: String, found: bool) {
        self.answer_interrupt(id, found);
    }

    /// Whether requests wait that take up the whole limit: more should be read only when some of them are answered.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.queued > self.config.message_limit || self.queue.len() > QUEUE_LIMIT
    }

    /// Whether nothing runs and nothing waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    fn receive(&mut self, now: Instant, bytes: &[u8]) {
        let mut decoder = mem::replace(&mut self.decoder, Decoder::new(self.config.encoding, 0));
        decoder.push(bytes, |found| {
            self.unfinished_since = None;
            match found {
                _ if self.lost => {}
                Ok(message) => self.request(message),
                Err(malformed) => self.malformed(malformed),
            }
        });
        if decoder.is_unfinished() {
            self.unfinished_since.get_or_insert(now);
        } else {
            self.unfinished_since = None;
        }
        self.decoder = decoder;
    }

    /// When a client that does nothing more is given up.
    fn deadline(&self) -> Option<Instant> {
        let unfinished = self
            .unfinished_since
            .map(|since| since + self.config.message_timeout);
        let deadlines = [self.authorize_before, unfinished];
        deadlines.into_iter().flatten().min().filter(|_| !self.lost)
    }

    fn time_out(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        if self.authorize_before.is_some_and(|before| now >= before) {
            self.lose(ServerLost::Unauthorized);
        } else if self.is_full() {
            // The rest may be there; it is not read while so much waits.
            self.unfinished_since = Some(now);
        } else {
            let limit = self.config.message_timeout.as_secs_f32();
            let why = format!("the message did not end within {limit} s");
            self.send(Message::protocol_error("", why));
            self.lose(ServerLost::Unfinished);
        }
    }
    fn send(&mut self, message: Message) {
        self.outgoing.push(message);
    }

    fn lose(&mut self, reason: ServerLost) {
        self.lost = true;
        self.queue.clear();
        self.queued = 0;
        self.events.push_back(ServerEvent::Lost { reason });
    }
}

impl Machine for ZylispServer {
    type Event = ServerEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            _ if self.lost => {}
            Input::Bytes(bytes) => self.receive(now, bytes),
            Input::Closed => self.events.push_back(ServerEvent::Closed),
            Input::Timeout => self.time_out(now),
        }
    }

    fn poll_output(&mut self) -> Output<ServerEvent> {
        if let Some(bytes) = self.outgoing.take_bytes() {
            return Output::Transmit(bytes);
        }
        match self.events.pop_front() {
            Some(event) => Output::Event(event),
            None => Output::Idle(self.deadline()),
        }
    }
}

/// What a request that waits takes up.
fn cost(message: &Message) -> usize {
    let data = message
        .data
        .as_ref()
        .map_or(0, |data| data.len() * size_of::<Json>());
    size_of::<Message>() + message.code.as_ref().map_or(0, String::len) + message.id.len() + data
}

/// How many requests may wait, however small they are.
const QUEUE_LIMIT: usize = 4096;
