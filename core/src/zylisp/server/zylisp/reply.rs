//! Writes the replies to requests.

use alloc::{string::String, vec::Vec};

use serde_json::{Map, Value as Json, json};
use zylisp_lang::{Call, Name, NameKind, Place};

use crate::zylisp::{
    answer::Answer,
    evaluator::{EvalError, Help, Outcome},
    message::{Message, Status},
    session::Finished,
};

/// Creates the reply to a request that a session has carried out.
pub(super) fn finished(id: String, finished: Finished) -> Message {
    let mut data = Map::new();
    if finished.omitted > 0 {
        data.insert("output-omitted".into(), finished.omitted.into());
    }
    let (status, value, protocol_error) = match finished.outcome {
        Outcome::Value(answer) => (Status::Done, Some(value(answer, &mut data)), None),
        Outcome::Completed => (Status::Done, Some(Json::Null), None),
        Outcome::Help(found) => return help(id, &found),
        Outcome::Error(error) => (Status::Done, Some(failed(error, &mut data)), None),
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

fn value(answer: Answer, data: &mut Map<String, Json>) -> Json {
    if let Some(text) = answer.text {
        data.insert("text".into(), text.into());
    }
    if answer.more {
        data.insert("more".into(), true.into());
    }
    answer.value
}

fn failed(error: EvalError, data: &mut Map<String, Json>) -> Json {
    if !error.trace.is_empty() {
        let trace: Vec<_> = error.trace.iter().map(call).collect();
        data.insert("trace".into(), trace.into());
    }
    if error.omitted > 0 {
        data.insert("trace-omitted".into(), error.omitted.into());
    }
    json!({"error": error.message, "type": error.kind})
}

fn call(call: &Call) -> Json {
    let mut entry = place(call.source.as_deref(), call.place);
    if let Some(function) = &call.function {
        entry.insert("function".into(), function.as_str().into());
    }
    entry.into()
}

fn place(source: Option<&str>, Place { line, column }: Place) -> Map<String, Json> {
    let mut place = Map::new();
    if let Some(source) = source {
        place.insert("file".into(), source.into());
    }
    place.insert("line".into(), line.into());
    place.insert("column".into(), column.into());
    place
}

/// Creates a message with the known facts about names.
pub(super) fn help(id: String, help: &Help) -> Message {
    let mut reply = Message::reply(id, Status::Done);
    reply.data = Some(match help {
        Help::Names(names) => {
            let entry =
                |(name, kind): &(String, NameKind)| json!({"candidate": name, "type": kind.name()});
            let names: Vec<_> = names.iter().map(entry).collect();
            Map::from_iter([("completions".into(), names.into())])
        }
        Help::Name(Some(name)) => info(name),
        Help::Name(None) => {
            reply.status.push(Status::NoInfo);
            return reply;
        }
    });
    reply
}

fn info(name: &Name) -> Map<String, Json> {
    let mut info = match &name.defined {
        Some((source, defined)) => place(source.as_deref(), *defined),
        None => Map::new(),
    };
    info.insert("name".into(), name.name.as_str().into());
    info.insert("type".into(), name.kind.name().into());
    info.insert("usage".into(), name.usage.as_str().into());
    if let Some(meaning) = &name.meaning {
        info.insert("doc".into(), meaning.as_str().into());
    }
    info
}
