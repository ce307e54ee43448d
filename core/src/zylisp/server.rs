//! The server's half of the protocol, for one connection.

use alloc::{
    collections::VecDeque,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{fmt, mem, time::Duration};

use serde_json::{Map, Value as Json, json};

use super::{
    codec::{Decoder, Encoding, Malformed, MalformedReason},
    evaluator::Outcome,
    message::{Message, Status},
};
use crate::{Input, Instant, Machine, Output};

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
    transmit: Vec<u8>,
    events: VecDeque<ServerEvent>,
    lost: bool,
}

/// The request that was handed out.
#[derive(Debug)]
struct Running {
    id: String,
    streams: bool,
}

/// What a [`ZylispServer`] tells of itself, and what it allows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// How messages are written.
    pub encoding: Encoding,
    /// The name of this connection's session, by which others may interrupt it. `describe` tells it.
    pub session: String,
    /// What a client has to show before anything else, with the operation `auth`.
    pub token: Option<String>,
    /// How long a client has for that.
    pub token_timeout: Duration,
    /// The longest request, in bytes. Requests that wait for their turn take no more than this either.
    pub message_limit: usize,
    /// How long a message may take from its first byte to its last.
    pub message_timeout: Duration,
    /// How many malformed messages in a row end the connection.
    pub fault_limit: usize,
    /// Which transports the server listens on, for `describe`.
    pub transports: Vec<String>,
    /// What evaluates, for `describe`.
    pub evaluator: String,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            encoding: Encoding::Json,
            session: String::new(),
            token: None,
            token_timeout: Duration::from_secs(10),
            message_limit: 4 << 20,
            message_timeout: Duration::from_secs(60),
            fault_limit: 100,
            transports: Vec::new(),
            evaluator: "zylisp".into(),
        }
    }
}

/// What the application has to do for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// Evaluate this, and [`finish`](ZylispServer::finish).
    Eval {
        /// The source.
        code: String,
    },
    /// Read this file, evaluate it, and [`finish`](ZylispServer::finish).
    Load {
        /// The path, as the client gave it.
        path: String,
    },
    /// Interrupt what runs, and [`finish`](ZylispServer::finish) it.
    Interrupt,
    /// Interrupt what another session runs, and say with
    /// [`interrupted`](ZylispServer::interrupted) whether it did.
    InterruptElsewhere {
        /// The id of the request, to be given back.
        id: String,
        /// The other session.
        session: String,
        /// The evaluation there; without it, the one that runs.
        target: Option<String>,
    },
    /// The client will send nothing more. What it has sent is still answered.
    Closed,
    /// The connection is to be closed, after what is still to be sent.
    Lost {
        /// Why.
        reason: ServerLost,
    },
}

/// Why a server gives up a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerLost {
    /// A web browser was tricked into talking to it.
    Http,
    /// No token in time, or a wrong one.
    Unauthorized,
    /// Too many malformed messages in a row.
    Garbage,
    /// A message that began and did not end in time.
    Unfinished,
}

/// How a request that was handed out has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// With what.
    pub outcome: Outcome,
    /// What was printed.
    pub output: String,
    /// How many bytes of that were left out, at least.
    pub omitted: usize,
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
            transmit: Vec::new(),
            events: VecDeque::new(),
            lost: false,
            config,
        }
    }

    /// Answers the request that was handed out last, and hands out the next.
    pub fn finish(&mut self, _now: Instant, finished: Finished) {
        if let Some(running) = self.running.take() {
            self.send(&reply(running.id, finished));
            self.hand_out();
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
            self.send(&message);
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
            self.send(&Message::reply(waiting.id, Status::Interrupted));
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
            self.send(&Message::protocol_error("", why));
            self.lose(ServerLost::Unfinished);
        }
    }

    fn request(&mut self, message: Message) {
        self.faults = 0;
        match message.op.as_str() {
            "auth" => self.authorize(message),
            _ if !self.authorized => {
                let why = "this server wants its token first: the operation `auth` with data.token";
                self.refuse(message, why);
            }
            "eval" if message.code.is_none() => self.refuse(message, "`eval` needs `code`"),
            "load-file" if message.path().is_none() => {
                self.refuse(message, "`load-file` needs `file-path` or `file`");
            }
            "eval" | "load-file" => self.enqueue(message),
            "describe" => self.describe(message),
            "interrupt" => self.interrupt_request(message),
            op if FUTURE.contains(&op) => self.refuse(message, "operation not implemented"),
            op => {
                let why = format!("unknown operation: {}", brief(op));
                self.refuse(message, why);
            }
        }
    }

    fn malformed(&mut self, malformed: Malformed) {
        let why = malformed.reason.to_string();
        self.send(&Message::protocol_error(malformed.id, why));
        self.faults += 1;
        if malformed.reason == MalformedReason::Http {
            self.lose(ServerLost::Http);
        } else if self.faults >= self.config.fault_limit {
            self.lose(ServerLost::Garbage);
        }
    }

    fn authorize(&mut self, message: Message) {
        let shown = message
            .data
            .as_ref()
            .and_then(|data| data.get("token")?.as_str());
        let wanted = self.config.token.as_deref().unwrap_or_default();
        if self.authorized || shown.is_some_and(|shown| same(shown, wanted)) {
            self.authorized = true;
            self.authorize_before = None;
            self.send(&Message::reply(message.id, Status::Done));
        } else {
            self.refuse(message, "this is not the token of this server");
            self.lose(ServerLost::Unauthorized);
        }
    }

    fn enqueue(&mut self, message: Message) {
        self.queued += cost(&message);
        self.queue.push_back(message);
        self.hand_out();
    }

    fn hand_out(&mut self) {
        if self.running.is_some() {
            return;
        }
        let Some(message) = self.queue.pop_front() else {
            return;
        };
        self.queued -= cost(&message);
        let path = message.path().map(String::from);
        let event = match (message.code, path) {
            (Some(code), _) if message.op == "eval" => ServerEvent::Eval { code },
            (_, path) => ServerEvent::Load {
                path: path.unwrap_or_default(),
            },
        };
        self.running = Some(Running {
            id: message.id,
            streams: message.stream,
        });
        self.events.push_back(event);
    }

    fn interrupt_request(&mut self, message: Message) {
        match message.session {
            Some(session) if session != self.config.session && !session.is_empty() => {
                self.events.push_back(ServerEvent::InterruptElsewhere {
                    id: message.id,
                    session,
                    target: message.interrupt_id,
                });
            }
            _ => {
                let found = self.interrupt(Instant::START, message.interrupt_id.as_deref());
                self.answer_interrupt(message.id, found);
            }
        }
    }

    fn answer_interrupt(&mut self, id: String, found: bool) {
        let mut reply = Message::reply(id, Status::Done);
        if !found {
            reply.status.push(Status::SessionIdle);
        }
        self.send(&reply);
    }

    fn describe(&mut self, message: Message) {
        let data = json!({
            "versions": {"zylisp": "0.1.0", "protocol": "0.1.0"},
            "ops": ["eval", "load-file", "describe", "interrupt", "auth"],
            "transports": self.config.transports,
            "server": {"name": "flylead", "version": env!("CARGO_PKG_VERSION")},
            "encoding": self.config.encoding.name(),
            "stream": true,
            "evaluator": self.config.evaluator,
            "session": self.config.session,
            "limits": {"message": self.config.message_limit},
        });
        self.send(&Message {
            data: data.as_object().cloned(),
            ..Message::reply(message.id, Status::Done)
        });
    }

    fn refuse(&mut self, message: Message, why: impl Into<String>) {
        self.send(&Message::protocol_error(message.id, why));
    }

    fn send(&mut self, message: &Message) {
        self.config.encoding.encode(message, &mut self.transmit);
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
        if !self.transmit.is_empty() {
            return Output::Transmit(mem::take(&mut self.transmit));
        }
        match self.events.pop_front() {
            Some(event) => Output::Event(event),
            None => Output::Idle(self.deadline()),
        }
    }
}

fn reply(id: String, finished: Finished) -> Message {
    let mut data = Map::new();
    if finished.omitted > 0 {
        data.insert("output-omitted".into(), finished.omitted.into());
    }
    let (status, value, protocol_error) = match finished.outcome {
        Outcome::Value(answer) => {
            data.extend(answer.text.map(|text| ("text".into(), text.into())));
            (Status::Done, Some(answer.value), None)
        }
        Outcome::Error(error) => {
            let value = json!({"error": error.message, "type": error.kind});
            (Status::Done, Some(value), None)
        }
        Outcome::Interrupted => (Status::Interrupted, None, None),
        Outcome::Failed(why) => (Status::Error, None, Some(why)),
    };
    Message {
        value,
        protocol_error,
        output: Some(finished.output),
        data: (!data.is_empty()).then_some(data),
        ..Message::reply(id, status)
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

/// Compares every byte whatever the first difference is, so that the time taken tells nothing of the token.
fn same(shown: &str, wanted: &str) -> bool {
    let difference = shown
        .bytes()
        .zip(wanted.bytes())
        .fold(0, |difference, (a, b)| difference | (a ^ b));
    difference == 0 && shown.len() == wanted.len()
}

fn brief(op: &str) -> &str {
    &op[..op.floor_char_boundary(100)]
}

/// How many requests may wait, however small they are.
const QUEUE_LIMIT: usize = 4096;

/// What the design names for later.
const FUTURE: [&str; 8] = [
    "complete",
    "info",
    "eldoc",
    "lookup",
    "stdin",
    "ls-sessions",
    "clone",
    "close",
];

impl fmt::Display for ServerLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "a web browser talked to it",
            Self::Unauthorized => "the client did not show the token",
            Self::Garbage => "the client sends nothing that can be read",
            Self::Unfinished => "the client began a message and did not end it",
        })
    }
}

impl core::error::Error for ServerLost {}
