//! Answers of a server.

use flylead_core::zylisp::{EvalError, Reply, ReplyOutcome, Status, lang::Call, text_of};
use serde::Serialize;
use serde_json::{Map, Value};
use tsify::Tsify;

use super::session::Answer;
use crate::binding::values;

/// Result of an evaluation, and its output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalResult {
    /// Output, up to `outputLimit`.
    pub output: String,
    /// Minimum number of bytes beyond that limit.
    pub omitted: usize,
    /// End of the evaluation.
    #[serde(flatten)]
    pub ended: Ended,
}

/// End of an evaluation: a value, an error of the program (`type` is such as `type-error`, or a
/// Python exception's name), or an interruption.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Ended {
    /// The source has a value.
    Value {
        /// Value as JSON: lists are arrays, nil is `null`, functions and symbols are their text.
        #[serde(serialize_with = "values::json")]
        #[tsify(type = "Json")]
        value: Value,
        /// Value as the language prints it, with every digit of a long integer; truncated if it is too long.
        text: String,
        /// True if the text continues: `more` returns the next page.
        more: bool,
    },
    /// The program has an error.
    Error {
        /// Type of the error.
        r#type: String,
        /// Message for the user.
        message: String,
        /// Place of the error: the running calls, innermost first. A syntax error has one entry; a server that does not
        /// report it has none.
        trace: Vec<TraceEntry>,
        /// Number of calls left out of the middle of a long trace.
        trace_omitted: usize,
    },
    /// The evaluation was interrupted.
    Interrupted,
}

/// Running call, and its position in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct TraceEntry {
    /// Function, `"lambda"` if it has no name; `undefined` for a program itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional, type = "string")]
    pub function: Option<String>,
    /// Name of the source: a file, or the given `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(optional, type = "string")]
    pub file: Option<String>,
    /// Line, from 1.
    pub line: u32,
    /// Byte in that line, from 1, in UTF-8.
    pub column: u32,
}

/// Names with a common prefix, as the server lists them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Completions(#[serde(serialize_with = "values::json")] pub Value);

/// Facts about a name, if the server knows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct NameInfo(#[serde(serialize_with = "values::json")] pub Map<String, Value>);

/// Description of a server.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Description(#[serde(serialize_with = "values::json")] pub Value);

impl From<Answer> for EvalResult {
    fn from(Answer { reply, printed }: Answer) -> Self {
        let by_server = reply.data.get("output-omitted").and_then(Value::as_u64);
        let by_server = usize::try_from(by_server.unwrap_or_default()).unwrap_or(usize::MAX);
        Self {
            output: printed.text,
            omitted: printed.omitted.saturating_add(by_server),
            ended: reply.into(),
        }
    }
}

impl From<Reply> for Ended {
    fn from(reply: Reply) -> Self {
        let more = reply.has_more();
        match reply.outcome {
            ReplyOutcome::Value { value, text } => Self::Value {
                text: text.unwrap_or_else(|| text_of(&value)),
                value,
                more,
            },
            ReplyOutcome::Error(error) => error.into(),
            ReplyOutcome::Interrupted | ReplyOutcome::Refused(_) => Self::Interrupted,
        }
    }
}

impl From<EvalError> for Ended {
    fn from(error: EvalError) -> Self {
        Self::Error {
            r#type: error.kind,
            message: error.message,
            trace: error.trace.into_iter().map(TraceEntry::from).collect(),
            trace_omitted: error.omitted,
        }
    }
}

impl From<Call> for TraceEntry {
    fn from(call: Call) -> Self {
        Self {
            function: call.function,
            file: call.source.as_deref().map(String::from),
            line: call.place.line,
            column: call.place.column,
        }
    }
}

impl From<Answer> for Completions {
    fn from(mut answer: Answer) -> Self {
        let names = answer.reply.data.remove("completions");
        Self(names.unwrap_or_else(|| Value::Array(Vec::new())))
    }
}

impl NameInfo {
    pub(super) fn of(answer: Answer) -> Option<Self> {
        let is_known = !answer.reply.status.contains(&Status::NoInfo);
        is_known.then_some(Self(answer.reply.data))
    }
}
