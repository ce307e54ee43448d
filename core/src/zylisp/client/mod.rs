//! The client's side of the protocol.

mod go_compat;
mod reply;
mod request;

use alloc::{
    boxed::Box,
    collections::{BTreeMap, VecDeque},
    format,
    string::String,
    vec::Vec,
};
use core::{fmt, mem};

use super::{
    codec::{Decoder, Encoding, Malformed, MalformedReason},
    message::{Message, Status},
};
use crate::{Input, Instant, Machine, Output};

pub use reply::{Reply, ReplyOutcome, RequestId};
pub use request::Program;

/// Sends requests and matches replies by their ids. Any number of requests may be pending.
///
/// It also supports the original Go server, whose values are wrapped in structs and whose errors are text in
/// `protocol_error`: the events are the same.
///
/// A client and its server, both with the one-page [driver](crate::Pump):
///
/// ```
/// use flylead_core::zylisp::{lang::{Budget, Limits}, *};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/driver.rs"));
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// let (mut socket, mut other) = UnixStream::pair()?;
/// std::thread::spawn(move || {
///     let language = Zylisp::factory(Limits::default(), Budget::unlimited());
///     let server = ZylispServer::new(Instant::START, ServerConfig::default(), language);
///     drive(&mut other, &mut Pump::new(server), |_, _| true)
/// });
/// let mut client = Pump::new(ZylispClient::new(Encoding::Json, 1 << 20));
/// client.command(|client| client.eval("(+ 1 2)"))?;
/// let mut reply = None;
/// drive(&mut socket, &mut client, |_, event| {
///     reply = Some(event);
///     false
/// })?;
/// let Some(ClientEvent::Reply(reply)) = reply else { panic!("{reply:?}") };
/// assert!(matches!(reply.outcome, ReplyOutcome::Value { value, .. } if value == 3));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ZylispClient {
    encoding: Encoding,
    decoder: Decoder,
    last: u64,
    pending: BTreeMap<RequestId, Pending>,
    outgoing: Outgoing,
    /// Session to use; defaults to the connection's own.
    session: Option<String>,
    events: VecDeque<ClientEvent>,
    lost: bool,
}

/// Event for the application.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientEvent {
    /// A running request printed this. Only for [live](Program::live) requests.
    Output {
        /// The request.
        request: RequestId,
        /// Output since the last such event.
        output: String,
    },
    /// A running request waits for input; [`ZylispClient::input`] sends it.
    NeedsInput {
        /// The request.
        request: RequestId,
    },
    /// A request was answered.
    Reply(Reply),
    /// A message that answers no pending request: a notice of the server, or a duplicate reply.
    Notice(Message),
    /// An invalid message arrived.
    Malformed(MalformedReason),
    /// The connection has closed.
    Lost {
        /// Requests that will not be answered. A Go server closes the connection when it cannot encode a value.
        unanswered: Vec<RequestId>,
    },
}

/// Reason why a request was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestError {
    /// The connection has closed.
    Lost,
}

/// Data to send.
#[derive(Debug)]
enum Outgoing {
    /// Over a link.
    Bytes(Vec<u8>),
    /// To a server in the same process. Boxed, because a message is large and moves often.
    Messages(VecDeque<Box<Message>>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Pending {
    Wanted,
    /// A request whose reply will be dropped.
    Cancelled,
}

impl ZylispClient {
    /// Creates a connection to a server with this encoding and messages of at most `limit` bytes.
    #[must_use]
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        Self {
            encoding,
            decoder: Decoder::new(encoding, limit),
            last: 0,
            pending: BTreeMap::new(),
            outgoing: Outgoing::Bytes(Vec::new()),
            session: None,
            events: VecDeque::new(),
            lost: false,
        }
    }

    /// Creates the client of a server in the same process: nothing is encoded. Messages leave by
    /// [`take_message`](Self::take_message), and arrive by [`handle_message`](Self::handle_message).
    #[must_use]
    pub fn in_process() -> Self {
        Self {
            outgoing: Outgoing::Messages(VecDeque::new()),
            ..Self::new(Encoding::Json, 0)
        }
    }

    /// Handles a message of a server in the same process.
    pub fn handle_message(&mut self, message: Message) {
        if !self.lost {
            self.reply(message);
        }
    }

    /// Returns the next message to a server in the same process.
    pub fn take_message(&mut self) -> Option<Box<Message>> {
        match &mut self.outgoing {
            Outgoing::Bytes(_) => None,
            Outgoing::Messages(messages) => messages.pop_front(),
        }
    }

    /// Switches all further requests to a cloned session, or to the connection's own.
    pub fn use_session(&mut self, session: Option<String>) {
        self.session = session;
    }

    /// Cancels a request: the server is asked to interrupt it, and its reply is not reported.
    pub fn cancel(&mut self, request: RequestId) {
        if let Some(pending) = self.pending.get_mut(&request) {
            *pending = Pending::Cancelled;
            if let Ok(interrupt) = self.interrupt(Some(request)) {
                self.pending.insert(interrupt, Pending::Cancelled);
            }
        }
    }

    fn request(&mut self, message: Message) -> Result<RequestId, RequestError> {
        if self.lost {
            return Err(RequestError::Lost);
        }
        self.last += 1;
        let request = RequestId(self.last);
        let message = Message {
            id: format!("{request}"),
            session: message.session.or_else(|| self.session.clone()),
            ..message
        };
        match &mut self.outgoing {
            Outgoing::Bytes(bytes) => self.encoding.encode(&message, bytes),
            Outgoing::Messages(messages) => messages.push_back(Box::new(message)),
        }
        self.pending.insert(request, Pending::Wanted);
        Ok(request)
    }

    fn found(&mut self, found: Result<Message, Malformed>) {
        match found {
            Ok(message) => self.reply(message),
            Err(malformed) => {
                let event = ClientEvent::Malformed(malformed.reason);
                self.events.push_back(event);
            }
        }
    }

    fn reply(&mut self, message: Message) {
        let request = message.id.parse().ok().map(RequestId);
        let pending = request.and_then(|request| Some((request, self.pending.get(&request)?)));
        match pending {
            // More comes for this request: it is not done yet.
            Some((request, pending)) if is_unfinished(&message) => {
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
        let event = match (pending, message.output) {
            (Pending::Cancelled, _) => return,
            _ if message.status.contains(&Status::NeedInput) => ClientEvent::NeedsInput { request },
            (Pending::Wanted, Some(output)) => ClientEvent::Output { request, output },
            (Pending::Wanted, None) => ClientEvent::Notice(Message {
                output: None,
                ..message
            }),
        };
        self.events.push_back(event);
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
                let mut all = Vec::new();
                self.decoder.push(bytes, |found| all.push(found));
                all.into_iter().for_each(|found| self.found(found));
            }
            Input::Closed => self.closed(),
            Input::Timeout => {}
        }
    }

    fn poll_output(&mut self) -> Output<ClientEvent> {
        if let Outgoing::Bytes(bytes) = &mut self.outgoing
            && !bytes.is_empty()
        {
            return Output::Transmit(mem::take(bytes));
        }
        match self.events.pop_front() {
            Some(event) => Output::Event(event),
            None => Output::Idle(None),
        }
    }
}

fn is_unfinished(message: &Message) -> bool {
    matches!(message.status[..], [] | [Status::NeedInput])
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection to the server has closed")
    }
}

impl core::error::Error for RequestError {}
