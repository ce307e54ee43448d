//! What each operation does.

use alloc::{
    format,
    string::{String, ToString},
};

use serde_json::json;

use super::{
    super::{
        codec::{Encoding, Malformed, MalformedReason},
        message::{Message, Status},
    },
    Running, ServerEvent, ServerLost, ZylispServer, cost,
};
use crate::Instant;

impl ZylispServer {
    pub(super) fn request(&mut self, message: Message) {
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

    pub(super) fn malformed(&mut self, malformed: Malformed) {
        let why = malformed.reason.to_string();
        self.send(Message::protocol_error(malformed.id, why));
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
            self.send(Message::reply(message.id, Status::Done));
        } else {
            self.refuse(message, "this is not the token of this server");
            self.lose(ServerLost::Unauthorized);
        }
    }

    fn enqueue(&mut self, message: Message) {
        if self.running.is_none() {
            return self.hand_out(message);
        }
        self.queued += cost(&message);
        self.queue.push_back(message);
    }

    pub(super) fn hand_out_next(&mut self) {
        if let Some(message) = self.queue.pop_front() {
            self.queued -= cost(&message);
            self.hand_out(message);
        }
    }

    fn hand_out(&mut self, message: Message) {
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

    pub(super) fn answer_interrupt(&mut self, id: String, found: bool) {
        let mut reply = Message::reply(id, Status::Done);
        if !found {
            reply.status.push(Status::SessionIdle);
        }
        self.send(reply);
    }

    fn describe(&mut self, message: Message) {
        let data = json!({
            "versions": {"zylisp": "0.1.0", "protocol": "0.1.0"},
            "ops": ["eval", "load-file", "describe", "interrupt", "auth"],
            "transports": self.config.transports,
            "server": {"name": "flylead", "version": env!("CARGO_PKG_VERSION")},
            "encoding": self.outgoing.encoding().map_or("none", Encoding::name),
            "stream": true,
            "evaluator": self.config.evaluator,
            "session": self.config.session,
            "limits": {"message": self.config.message_limit},
        });
        self.send(Message {
            data: data.as_object().cloned(),
            ..Message::reply(message.id, Status::Done)
        });
    }

    fn refuse(&mut self, message: Message, why: impl Into<String>) {
        self.send(Message::protocol_error(message.id, why));
    }
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
