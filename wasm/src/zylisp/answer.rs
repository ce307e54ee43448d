//! What a server answers.

use flylead_core::zylisp::{ReplyOutcome, text_of};
use serde::Serialize;
use serde_json::Value;
use tsify::Tsify;

use super::session::Answer;
use crate::border;

/// How an evaluation ended, and what it printed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalResult {
    /// What it printed, up to `outputLimit`.
    pub output: String,
    /// Bytes of it beyond that, at least.
    pub omitted: usize,
    /// How it ended.
    #[serde(flatten)]
    pub ended: Ended,
}

/// How an evaluation ended: with a value, with an error of the program (`type` is such as `type-error`, or a Python
/// exception's name), or by being interrupted.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Ended {
    /// With a value.
    Value {
        /// As JSON: lists are arrays, nil is `null`, functions and symbols are their text.
        #[serde(serialize_with = "border::json")]
        #[tsify(type = "Json")]
        value: Value,
        /// As the language prints it, with every digit of a long integer.
        text: String,
    },
    /// With an error of the program.
    Error {
        /// Which.
        r#type: String,
        /// For people.
        message: String,
    },
    /// It was interrupted.
    Interrupted,
}

/// What a server tells of itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Description(#[serde(serialize_with = "border::json")] pub Value);

impl From<Answer> for EvalResult {
    fn from(Answer { reply, printed }: Answer) -> Self {
        let by_server = reply.data.get("output-omitted").and_then(Value::as_u64);
        let by_server = usize::try_from(by_server.unwrap_or_default()).unwrap_or(usize::MAX);
        let ended = match reply.outcome {
            ReplyOutcome::Value { value, text } => Ended::Value {
                text: text.unwrap_or_else(|| text_of(&value)),
                value,
            },
            ReplyOutcome::Error(error) => Ended::Error {
                r#type: error.kind,
                message: error.message,
            },
            ReplyOutcome::Interrupted | ReplyOutcome::Refused(_) => Ended::Interrupted,
        };
        Self {
            output: printed.text,
            omitted: printed.omitted.saturating_add(by_server),
            ended,
        }
    }
}
