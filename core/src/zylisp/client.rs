//! The client's half of the protocol.

use alloc::{
    boxed::Box,
    collections::{BTreeMap, VecDeque},
    format,
    string::String,
    vec::Vec,
};
use core::{fmt, mem};

use serde_json::{Map, Value as Json, json};

use super::{
    codec::{Decoder, Encoding, MalformedReason},
    evaluator::EvalError,
    go,
    message::{Message, Status},
    outgoing::Outgoing,
};
use crate::{Input, Instant, Machine, Output};

/// Sends requests and tells the replies apart by their ids. Any number may be under way.
///
/// It understands the original Go server too, whose values are wrapped in structs and whose errors are words in
/// `protocol_error`: the events are the same.
#[derive(Debug)]
pub struct ZylispClient {
    encoding: Encoding,
    decoder: Decoder,
    last: u64,
    pending: BTreeMap<RequestId, Pending>,
    outgoing: Outgoing,
    events: VecDeque<ClientEvent>,
    lost: bool,
}

/// Which request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(u64);

/// What the application learns.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClientEvent {
    /// A request that is under way printed this. Only for those that were made [live](ZylispClient::eval_live).
    Output {
        /// The request.
        request: RequestId,
        /// What it printed since the last of these.
        output: String,
    },
    /// A request is answered.
    Reply(Reply),
    /// A message that answers nothing that was asked: a notice of the server, or a reply that came twice.
    Notice(Message),
    /// Something came in that is no message.
    Malformed(MalformedReason),
    /// The connection is over.
    Lost {
        /// Requests that will not be answered. A Go server closes like this when it cannot encode a value.
        unanswered: Vec<RequestId>,
    },
}

/// The answer to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The request.
    pub request: RequestId,
    /// What came of it.
    pub outcome: ReplyOutcome,
    /// What the evaluation printed; of a live one, what came after the last [`ClientEvent::Output`].
    pub output: String,
    /// Every status the server gave.
    pub status: Vec<Status>,
    /// Whatever else belongs to the operation: all of `describe`.
    pub data: Map<String, Json>,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ReplyOutcome {
    /// A value; null if there is none.
    Value {
        /// As JSON.
        value: Json,
        /// As the language prints it, when the JSON does not tell.
        text: Option<String>,
    },
    /// An error of the program.
    Error(EvalError),
    /// It was interrupted.
    Interrupted,
    /// The server refused the request.
    Refused(String),
}

/// Why a request was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// The connection is over.
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Pending {
    Wanted,
    /// Its reply is to be dropped.
    Cancelled,
}

impl ZylispClient {
    /// A connection to a server that writes messages like this, none longer than `limit` bytes.
    #[must_use]
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        Self {
            encoding,
            decoder: Decoder::new(encoding, limit),
            last: 0,
            pending: BTreeMap::new(),
            outgoing: Outgoing::bytes(encoding),
            events: VecDeque::new(),
            lost: false,
        }
    }

    /// The client of a server in the same process: nothing is encoded. Messages go by
    /// [`take_message`](Self::take_message), and come in by [`handle_message`](Self::handle_message).
    #[must_use]
    pub fn in_process() -> Self {
        Self {
            outgoing: Outgoing::messages(),
            ..Self::new(Encoding::Json, 0)
        }
    }

    /// Takes in a message of a server in the same process.
    pub fn handle_message(&mut self, _now: Instant, message: Message) {
        if !self.lost {
            self.reply(message);
        }
    }

    /// The next message to a server in the same process.
    pub fn take_message(&mut self) -> Option<Box<Message>> {
        self.outgoing.take_message()
    }

    /// Evaluates a source.
    pub fn eval(
        &mut self,
        _now: Instant,
        code: impl Into<String>,
    ) -> Result<RequestId, RequestError> {
        self.request(Message {
            code: Some(code.into()),
            ..Message::request("eval", "")
        })
    }

    /// Evaluates a source, and wants what it prints as it comes. Servers that know nothing of that send all of it with
    /// the reply.
    pub fn eval_live(
        &mut self,
        _now: Instant,
        code: impl Into<String>,
    ) -> Result<RequestId, RequestError> {
        self.request(Message {
            code: Some(code.into()),
            stream: true,
            ..Message::request("eval", "")
        })
    }

    /// Evaluates a file that is on the server's side.
    pub fn load_file(&mut self, now: Instant, path: &str) -> Result<RequestId, RequestError> {
        self.load(now, path, false)
    }

    /// The same, and wants what it prints as it comes.
    pub fn load_file_live(&mut self, now: Instant, path: &str) -> Result<RequestId, RequestError> {
        self.load(now, path, true)
    }

    /// Asks what the server is and can do.
    pub fn describe(&mut self, _now: Instant) -> Result<RequestId, RequestError> {
        self.request(Message::request("describe", ""))
    }

    /// Shows the server's token, which has to come before anything else if there is one.
    pub fn authorize(&mut self, _now: Instant, token: &str) -> Result<RequestId, RequestError> {
        self.request(Message {
            data: json!({"token": token}).as_object().cloned(),
            ..Message::request("auth", "")
        })
    }

    /// Interrupts an evaluation of this connection; without a request, the one that runs.
    pub fn interrupt(
        &mut self,
        _now: Instant,
        target: Option<RequestId>,
    ) -> Result<RequestId, RequestError> {
        self.request(Message {
            interrupt_id: target.map(|target| format!("{target}")),
            ..Message::request("interrupt", "")
        })
    }

    /// Interrupts what another session runs, by the name that its `describe` tells.
    pub fn interrupt_session(
        &mut self,
        _now: Instant,
        session: &str,
        target: Option<&str>,
    ) -> Result<RequestId, RequestError> {
        self.request(Message {
            session: Some(session.into()),
            interrupt_id: target.map(String::from),
            ..Message::request("interrupt", "")
        })
    }

    /// Gives a request up: the server is asked to interrupt it, and no reply to it is told.
    pub fn cancel(&mut self, now: Instant, request: RequestId) {
        if let Some(pending) = self.pending.get_mut(&request) {
            *pending = Pending::Cancelled;
            if let Ok(interrupt) = self.interrupt(now, Some(request)) {
                self.pending.insert(interrupt, Pending::Cancelled);
            }
        }
    }

    fn load(&mut self, _now: Instant, path: &str, stream: bool) -> Result<RequestId, RequestError> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        self.request(Message {
            file: Some(path.into()),
            file_path: Some(path.into()),
            file_name: Some(name.into()),
            // Where the Go server looks.
            data: json!({"file": path}).as_object().cloned(),
            stream,
            ..Message::request("load-file", "")
        })
    }

    fn request(&mut self, message: Message) -> Result<RequestId, RequestError> {
        if self.lost {
            return Err(RequestError::Lost);
        }
        self.last += 1;
        let request = RequestId(self.last);
        let message = Message {
            id: format!("{request}"),
            ..message
        };
        self.outgoing.push(message);
        self.pending.insert(request, Pending::Wanted);
        Ok(request)
    }

    fn reply(&mut self, message: Message) {
        let request = message.id.parse().ok().map(RequestId);
        let pending = request.and_then(|request| Some((request, self.pending.get(&request)?)));
        match pending {
            // More may come for this request: it is not done yet.
            Some((request, pending)) if message.status.is_empty() => {
                let pending = *pending;
                self.unfinished(request, pending, message);
            }
            Some((request, Pending::Cancelled)) => drop(self.pending.remove(&request)),
            Some((request, Pending::Wanted)) => {
                self.pending.remove(&request);
                self.events
                    .push_back(ClientEvent::Reply(Reply::new(request, message)));
            }
            None => self.events.push_back(ClientEvent::Notice(message)),
        }
    }

    fn unfinished(&mut self, request: RequestId, pending: Pending, message: Message) {
        match (pending, message.output) {
            (Pending::Cancelled, _) => {}
            (Pending::Wanted, Some(output)) => self
                .events
                .push_back(ClientEvent::Output { request, output }),
            (Pending::Wanted, None) => self.events.push_back(ClientEvent::Notice(Message {
                output: None,
                ..message
            })),
        }
    }

    fn closed(&mut self) {
        self.lost = true;
        let unanswered = mem::take(&mut self.pending)
            .into_iter()
            .filter(|(_, pending)| *pending == Pending::Wanted)
            .map(|(request, _)| request)
            .collect();
        self.events.push_back(ClientEvent::Lost { unanswered });
    }
}

impl Machine for ZylispClient {
    type Event = ClientEvent;

    fn handle_input(&mut self, _now: Instant, input: Input<'_>) {
        match input {
            _ if self.lost => {}
            Input::Bytes(bytes) => {
                let mut decoder = mem::replace(&mut self.decoder, Decoder::new(self.encoding, 0));
                decoder.push(bytes, |found| match found {
                    Ok(message) => self.reply(message),
                    Err(malformed) => self
                        .events
                        .push_back(ClientEvent::Malformed(malformed.reason)),
                });
                self.decoder = decoder;
            }
            Input::Closed => self.closed(),
            Input::Timeout => {}
        }
    }

    fn poll_output(&mut self) -> Output<ClientEvent> {
        if let Some(bytes) = self.outgoing.take_bytes() {
            return Output::Transmit(bytes);
        }
        match self.events.pop_front() {
            Some(event) => Output::Event(event),
            None => Output::Idle(None),
        }
    }
}

impl Reply {
    fn new(request: RequestId, message: Message) -> Self {
        let data = message.data.unwrap_or_default();
        let text = data.get("text").and_then(Json::as_str).map(String::from);
        let outcome = match (message.protocol_error, message.value) {
            _ if message.status.contains(&Status::Interrupted) => ReplyOutcome::Interrupted,
            (Some(why), _) => match go::error(&why) {
                Some(error) => ReplyOutcome::Error(error),
                None => ReplyOutcome::Refused(why),
            },
            (None, Some(value)) => ReplyOutcome::of_value(value, text),
            (None, None) => ReplyOutcome::Value {
                value: Json::Null,
                text,
            },
        };
        Self {
            request,
            outcome,
            output: message.output.unwrap_or_default(),
            status: message.status,
            data,
        }
    }
}

impl ReplyOutcome {
    fn of_value(value: Json, text: Option<String>) -> Self {
        if let (Some(message), Some(kind)) = (value["error"].as_str(), value["type"].as_str()) {
            return Self::Error(EvalError {
                kind: kind.into(),
                message: message.into(),
            });
        }
        let (value, go_text) = go::value(value);
        Self::Value {
            value,
            text: text.or(go_text),
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection to the server is over")
    }
}

impl core::error::Error for RequestError {}
