//! The common structure of all messages.

use alloc::{
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use serde_json::{Map, Value as Json};

/// A request or a reply. Fields that are `None` or empty are omitted, except for the id.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Message {
    /// Name of the operation. Empty in a reply.
    #[serde(
        skip_serializing_if = "String::is_empty",
        deserialize_with = "null_as_empty"
    )]
    pub op: String,
    /// Identifier of the request, or of the answered one. A number is read as its digits.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    /// Session to use; defaults to the connection's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Code to evaluate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// File to load: a path on the server's side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// File to load, under the name that some clients use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Name to give to the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// Id of the evaluation to interrupt; defaults to the running one. A number is read as its digits.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "optional_text_or_number"
    )]
    pub interrupt_id: Option<String>,
    /// True to send the output of the evaluation as it is produced, in messages without a status, before the reply.
    /// Otherwise, each request has exactly one reply.
    #[serde(
        skip_serializing_if = "core::ops::Not::not",
        deserialize_with = "null_as_empty"
    )]
    pub stream: bool,
    /// Value of the evaluation. `Some(Null)` is nil, `None` is no value.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub value: Option<Json>,
    /// Output of the evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Status of the request.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "null_as_empty"
    )]
    pub status: Vec<Status>,
    /// Fault of the request or the connection. Errors of a program are in [`value`](Self::value).
    #[serde(rename = "protocol_error", skip_serializing_if = "Option::is_none")]
    pub protocol_error: Option<String>,
    /// Further data of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Json>>,
}

/// Status of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The request is done.
    Done,
    /// The request failed; `protocol_error` gives the reason.
    Error,
    /// The request was interrupted.
    Interrupted,
    /// The program waits for input.
    NeedInput,
    /// The session has nothing running.
    SessionIdle,
    /// An evaluation is running, but its id differs from the one to interrupt.
    InterruptIdMismatch,
    /// Nothing is known about the requested name.
    NoInfo,
    /// A word that this version does not know.
    Other(String),
}

impl Message {
    /// Creates a request.
    #[must_use]
    pub fn request(op: &str, id: impl Into<String>) -> Self {
        Self {
            op: op.into(),
            id: id.into(),
            ..Self::default()
        }
    }

    /// Creates a reply to the request `id`.
    #[must_use]
    pub fn reply(id: impl Into<String>, status: Status) -> Self {
        Self {
            id: id.into(),
            status: vec![status],
            ..Self::default()
        }
    }

    /// Creates a message with output of the request `id`: more follows for it.
    #[must_use]
    pub fn output(id: impl Into<String>, output: String) -> Self {
        Self {
            id: id.into(),
            output: Some(output),
            ..Self::default()
        }
    }

    /// Creates a refusal of the request `id`.
    #[must_use]
    pub fn protocol_error(id: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            protocol_error: Some(why.into()),
            ..Self::reply(id, Status::Error)
        }
    }

    /// Returns true if the message has this status.
    #[must_use]
    pub fn is(&self, status: &Status) -> bool {
        self.status.contains(status)
    }
}

impl Status {
    /// Returns the word on the wire.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Done => "done",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
            Self::NeedInput => "need-input",
            Self::SessionIdle => "session-idle",
            Self::InterruptIdMismatch => "interrupt-id-mismatch",
            Self::NoInfo => "no-info",
            Self::Other(name) => name,
        }
    }
}

impl From<String> for Status {
    fn from(name: String) -> Self {
        match name.as_str() {
            "done" => Self::Done,
            "error" => Self::Error,
            "interrupted" => Self::Interrupted,
            "need-input" => Self::NeedInput,
            "session-idle" => Self::SessionIdle,
            "interrupt-id-mismatch" => Self::InterruptIdMismatch,
            "no-info" => Self::NoInfo,
            _ => Self::Other(name),
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// Returns an id as the server echoes it: a string, or the digits of a number, or nothing.
pub(super) fn id_of(id: &Json) -> Option<String> {
    match id {
        Json::Null => Some(String::new()),
        Json::String(id) => Some(id.clone()),
        Json::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_any(Id)
}

fn optional_text_or_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    text_or_number(deserializer).map(Some)
}

struct Id;

impl Visitor<'_> for Id {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`id` as a string or a number")
    }

    fn visit_str<E: de::Error>(self, id: &str) -> Result<String, E> {
        Ok(id.into())
    }

    fn visit_string<E: de::Error>(self, id: String) -> Result<String, E> {
        Ok(id)
    }

    fn visit_u64<E: de::Error>(self, id: u64) -> Result<String, E> {
        Ok(id.to_string())
    }

    fn visit_i64<E: de::Error>(self, id: i64) -> Result<String, E> {
        Ok(id.to_string())
    }

    fn visit_f64<E: de::Error>(self, id: f64) -> Result<String, E> {
        Ok(Json::from(id).to_string())
    }

    fn visit_unit<E: de::Error>(self) -> Result<String, E> {
        Ok(String::new())
    }
}

fn null_as_empty<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}
