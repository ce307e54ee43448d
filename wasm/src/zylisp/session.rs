//! Callers that wait for a server's replies.

use std::{cell::RefCell, collections::BTreeMap, ops::ControlFlow};

use flylead_core::zylisp::{ClientEvent, Reply, ReplyOutcome, RequestId, ZylispClient};
use futures::channel::oneshot;

use crate::{
    binding::channel::{Bytes, Sender},
    binding::ending::Ending,
    binding::error::{Error, ErrorKind},
    driver::{Application, Driver},
    types::LostReason,
};

/// State of one session: its pending requests, and its end.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) output_limit: usize,
    pub(super) ending: Ending,
    requests: RefCell<BTreeMap<RequestId, Request>>,
    /// Last unsolicited message of the server: usually its reason for hanging up.
    notice: RefCell<Option<String>>,
}

/// Pending request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) sender: oneshot::Sender<Result<Answer, Error>>,
    /// Receiver of an evaluation's output as it is produced.
    pub(super) output: Option<Sender<Bytes>>,
    pub(super) printed: Printed,
}

/// Result of a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) printed: Printed,
}

/// Output up to a limit, and the number of bytes beyond it.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) omitted: usize,
}

impl Session {
    pub(super) fn new(output_limit: usize) -> Self {
        Self {
            output_limit,
            ending: Ending::default(),
            requests: RefCell::default(),
            notice: RefCell::default(),
        }
    }

    pub(super) fn begin(&self, id: RequestId, request: Request) {
        self.requests.borrow_mut().insert(id, request);
    }

    pub(super) fn is_under_way(&self, request: RequestId) -> bool {
        self.requests.borrow().contains_key(&request)
    }

    /// Ends all requests because the application closed the session.
    pub(super) fn close(&self) {
        if self.ending.end(None) {
            self.requests.take();
        }
    }

    fn lose(&self, error: &Error) -> ControlFlow<()> {
        if self.ending.end(Some(error.clone())) {
            for request in self.requests.take().into_values() {
                // Refused if the receiver is gone.
                let _ = request.sender.send(Err(error.clone()));
            }
        }
        ControlFlow::Break(())
    }

    fn printed(&self, request: RequestId, text: &str) {
        if let Some(request) = self.requests.borrow_mut().get_mut(&request) {
            request.print(text, self.output_limit);
        }
    }

    fn replied(&self, reply: Reply) {
        let request = self.requests.borrow_mut().remove(&reply.request);
        if let Some(mut request) = request {
            request.print(&reply.output, self.output_limit);
            request.end(reply);
        }
    }

    fn disconnected(&self, driver: &Driver<ZylispClient>) -> Error {
        let notice = self.notice.take();
        let why = notice.as_deref().unwrap_or(DISCONNECTED);
        Error::lost(LostReason::Closed, driver.fault(), why)
    }
}

impl Application<ZylispClient> for Session {
    fn event(&self, driver: &Driver<ZylispClient>, event: ClientEvent) -> ControlFlow<()> {
        match event {
            ClientEvent::Output { request, output } => self.printed(request, &output),
            // There is no interactive input: it is at its end.
            ClientEvent::NeedsInput { .. } => {
                // Refused only once the connection has closed.
                let _ = driver.command(|client, _| client.input(""));
            }
            ClientEvent::Reply(reply) => self.replied(reply),
            ClientEvent::Notice(notice) => drop(self.notice.replace(notice.protocol_error)),
            ClientEvent::Malformed(reason) => {
                let why = format_args!("{UNREADABLE}: {reason}");
                return self.lose(&Error::lost(LostReason::Garbage, None, why));
            }
            ClientEvent::Lost { .. } => return self.lose(&self.disconnected(driver)),
        }
        ControlFlow::Continue(())
    }
}

impl Request {
    fn print(&mut self, text: &str, limit: usize) {
        if let (Some(output), false) = (&mut self.output, text.is_empty()) {
            output.send(text.as_bytes().to_vec());
            self.printed.print(text, limit);
        }
    }

    fn end(self, reply: Reply) {
        let printed = self.printed;
        let answer = match &reply.outcome {
            ReplyOutcome::Refused(why) => Err(Error::new(ErrorKind::Refused, why)),
            ReplyOutcome::Value { .. } | ReplyOutcome::Error(_) | ReplyOutcome::Interrupted => {
                Ok(Answer { reply, printed })
            }
        };
        // Refused if the receiver is gone.
        let _ = self.sender.send(answer);
    }
}

impl Printed {
    fn print(&mut self, text: &str, limit: usize) {
        let room = limit.saturating_sub(self.text.len());
        let room = text.floor_char_boundary(room);
        self.text.push_str(&text[..room]);
        self.omitted += text.len() - room;
    }
}

pub(super) const DISCONNECTED: &str = "the connection to the server has closed";
const UNREADABLE: &str = "the server sent a message that this client cannot read";
