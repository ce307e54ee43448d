//! Results that a client receives for a request.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::fmt;

use serde_json::{Map, Value as Json};
use zylisp_lang::{Call, Place};

use super::go_compat;
use crate::zylisp::{
    evaluator::EvalError,
    message::{Message, Status},
};

/// Identifier of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub(super) u64);

/// Answer to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Request that was answered.
    pub request: RequestId,
    /// Outcome of the request.
    pub outcome: ReplyOutcome,
    /// Output of the evaluation; of a live one, the part after the last
    /// [`ClientEvent::Output`](super::ClientEvent::Output).
    pub output: String,
    /// All statuses that the server reported.
    pub status: Vec<Status>,
    /// Additional data of the operation, such as the whole description for `describe`.
    pub data: Map<String, Json>,
}

/// Outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyOutcome {
    /// A value; null if there is none.
    Value {
        /// Value as JSON.
        value: Json,
        /// Value as the language prints it, if the JSON does not show it.
        text: Option<String>,
    },
    /// An error of the program.
    Error(EvalError),
    /// The request was interrupted.
    Interrupted,
    /// The server refused the request.
    Refused(String),
}

impl Reply {
    pub(super) fn new(request: RequestId, message: Message) -> Self {
        let data = message.data.unwrap_or_default();
        let text = data.get("text").and_then(Json::as_str).map(String::from);
        let outcome = match (message.protocol_error, message.value) {
            _ if message.status.contains(&Status::Interrupted) => ReplyOutcome::Interrupted,
            (Some(why), _) => match go_compat::error(&why) {
                Some(error) => ReplyOutcome::Error(error),
                None => ReplyOutcome::Refused(why),
            },
            (None, Some(value)) => ReplyOutcome::of_value(value, text, &data),
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

    /// Returns true if the value has a next page.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.data.get("more") == Some(&Json::Bool(true))
    }
}

impl ReplyOutcome {
    fn of_value(value: Json, text: Option<String>, data: &Map<String, Json>) -> Self {
        if let (Some(message), Some(kind)) = (value["error"].as_str(), value["type"].as_str()) {
            let entries = data.get("trace").and_then(Json::as_array);
            let omitted = data.get("trace-omitted").and_then(Json::as_u64);
            return Self::Error(EvalError {
                kind: kind.into(),
                message: message.into(),
                trace: entries.into_iter().flatten().filter_map(call).collect(),
                omitted: omitted.unwrap_or(0).try_into().unwrap_or(usize::MAX),
                text: None,
            });
        }
        let (value, go_text) = go_compat::value(value);
        Self::Value {
            value,
            text: text.or(go_text),
        }
    }
}

/// Reads an entry of a trace, as written by the server.
fn call(entry: &Json) -> Option<Call> {
    let number = |key| u32::try_from(entry.get(key)?.as_u64()?).ok();
    let text = |key| entry.get(key)?.as_str();
    Some(Call {
        function: text("function").map(String::from),
        source: text("file").map(Arc::from),
        place: Place {
            line: number("line")?,
            column: number("column").unwrap_or(1),
        },
    })
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
