//! How a request that was handed out is answered.

use alloc::string::String;

use serde_json::{Map, json};

use super::super::{
    evaluator::Outcome,
    message::{Message, Status},
};

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

pub(super) fn reply(id: String, finished: Finished) -> Message {
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
