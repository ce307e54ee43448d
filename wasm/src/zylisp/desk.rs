//! Where a server's replies meet the promises that wait for them.

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeMap,
    ops::ControlFlow,
};

use flylead_core::zylisp::{
    ClientEvent, Reply, ReplyOutcome, RequestId, Status, ZylispClient, text_of,
};
use js_sys::{JSON, Promise};
use serde_json::Value as Json;
use wasm_bindgen::JsValue;

use crate::{
    deferred::Deferred,
    driver::{Application, Driver},
    error,
    queue::Queue,
    streams::object,
};

/// One session's side of the border: what is under way, and why it ended.
#[derive(Debug)]
pub(super) struct Desk {
    output_limit: usize,
    lost: Deferred,
    waiting: RefCell<BTreeMap<RequestId, (Wanted, Deferred)>>,
    /// What every request is answered with once the session is over.
    over: OnceCell<JsValue>,
    /// What the server said last that answers nothing: why it hangs up, as a rule.
    notice: RefCell<Option<String>>,
}

/// What a promise is to be resolved with.
#[derive(Debug)]
pub(super) enum Wanted {
    /// How an evaluation ended.
    Evaluation {
        output: Queue,
        /// Its output so far, up to the limit, and how many bytes there were beyond.
        printed: String,
        omitted: usize,
    },
    /// What belongs to the operation.
    Data,
    /// Whether there was something to interrupt.
    Found,
}

impl Desk {
    pub(super) fn new(output_limit: usize) -> Self {
        Self {
            output_limit,
            lost: Deferred::new(),
            waiting: RefCell::default(),
            over: OnceCell::new(),
            notice: RefCell::default(),
        }
    }

    pub(super) fn lost(&self) -> Promise {
        self.lost.promise.clone()
    }

    pub(super) fn queue(&self) -> Queue {
        Queue::new(self.output_limit)
    }

    /// Whether anything may be asked for at all.
    pub(super) fn check(&self) -> Result<(), JsValue> {
        self.over.get().cloned().map_or(Ok(()), Err)
    }

    pub(super) fn wait(&self, request: RequestId, wanted: Wanted, answer: Deferred) {
        self.waiting.borrow_mut().insert(request, (wanted, answer));
    }

    pub(super) fn waits(&self, request: RequestId) -> bool {
        self.waiting.borrow().contains_key(&request)
    }

    /// Ends everything because the page closed the session.
    pub(super) fn close(&self) {
        if self.over.set(error::closed_session()).is_ok() {
            self.abandon(&error::closed_session());
            self.lost.settle(Ok(JsValue::UNDEFINED));
        }
    }

    fn end(&self, error: JsValue) -> ControlFlow<()> {
        if self.over.set(error.clone()).is_ok() {
            self.abandon(&error);
            self.lost.settle(Ok(error));
        }
        ControlFlow::Break(())
    }

    fn abandon(&self, error: &JsValue) {
        for (wanted, answer) in self.waiting.take().into_values() {
            if let Wanted::Evaluation { output, .. } = wanted {
                output.end(Err(error.clone()));
            }
            answer.settle(Err(error.clone()));
        }
    }

    fn printed(&self, request: RequestId, text: &str) {
        if let Some((wanted, _)) = self.waiting.borrow_mut().get_mut(&request) {
            wanted.print(text, self.output_limit);
        }
    }

    fn reply(&self, reply: Reply) {
        let waiting = self.waiting.borrow_mut().remove(&reply.request);
        if let Some((mut wanted, answer)) = waiting {
            wanted.print(&reply.output, self.output_limit);
            answer.settle(wanted.result(reply));
        }
    }
}

impl Application<ZylispClient> for Desk {
    fn event(&self, driver: &Driver<ZylispClient>, event: ClientEvent) -> ControlFlow<()> {
        match event {
            ClientEvent::Output { request, output } => self.printed(request, &output),
            ClientEvent::Reply(reply) => self.reply(reply),
            ClientEvent::Notice(notice) => drop(self.notice.replace(notice.protocol_error)),
            ClientEvent::Malformed(reason) => {
                return self.end(error::unreadable(&reason.to_string()));
            }
            ClientEvent::Lost { .. } => {
                let notice = self.notice.take();
                return self.end(error::disconnected(notice.as_deref(), driver.fault()));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Wanted {
    fn print(&mut self, text: &str, limit: usize) {
        let Self::Evaluation {
            output,
            printed,
            omitted,
        } = self
        else {
            return;
        };
        if text.is_empty() {
            return;
        }
        output.push(text.as_bytes().to_vec());
        let room = text.floor_char_boundary(limit.saturating_sub(printed.len()));
        printed.push_str(&text[..room]);
        *omitted += text.len() - room;
    }

    fn result(self, reply: Reply) -> Result<JsValue, JsValue> {
        let refused = match &reply.outcome {
            ReplyOutcome::Refused(why) => Some(error::refused_by_server(why)),
            _ => None,
        };
        if let Self::Evaluation { output, .. } = &self {
            // Who only reads the output learns here why there is none.
            output.end(refused.clone().map_or(Ok(()), Err));
        }
        match (refused, self) {
            (Some(error), _) => Err(error),
            (None, Self::Data) => Ok(to_js(&Json::Object(reply.data))),
            (None, Self::Found) => Ok((!reply.status.contains(&Status::SessionIdle)).into()),
            (
                None,
                Self::Evaluation {
                    printed, omitted, ..
                },
            ) => Ok(ended(reply, printed, omitted)),
        }
    }
}

/// `EvalResult` of the declarations.
fn ended(reply: Reply, printed: String, omitted: usize) -> JsValue {
    let by_server = reply.data.get("output-omitted").and_then(Json::as_f64);
    let omitted = omitted as f64 + by_server.unwrap_or(0.0);
    let result = object(&[("output", printed.into()), ("omitted", omitted.into())]);
    let entries: &[(&str, JsValue)] = match reply.outcome {
        ReplyOutcome::Value { value, text } => &[
            ("kind", "value".into()),
            ("value", to_js(&value)),
            ("text", text.unwrap_or_else(|| text_of(&value)).into()),
        ],
        ReplyOutcome::Error(error) => &[
            ("kind", "error".into()),
            ("type", error.kind.into()),
            ("message", error.message.into()),
        ],
        _ => &[("kind", "interrupted".into())],
    };
    for (key, value) in entries {
        crate::streams::set(&result, key, value);
    }
    result.into()
}

/// What JSON can say, JavaScript can hold; long integers lose digits, which are in the text.
fn to_js(value: &Json) -> JsValue {
    JSON::parse(&value.to_string()).unwrap_or(JsValue::NULL)
}
