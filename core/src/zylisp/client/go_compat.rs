//! Interprets replies of the original Go server, which sends other structures in place of values and errors.

use alloc::{format, string::String, vec::Vec};

use serde_json::Value as Json;

use crate::zylisp::{answer::text_of, evaluator::EvalError};

/// Returns a value without the structs that leak through Go's encoder, and its text where that contains more. The
/// language has no maps, so every object is such a struct; other values stay unchanged.
pub(super) fn value(value: Json) -> (Json, Option<String>) {
    let Json::Object(object) = &value else {
        return (value, None);
    };
    if object.is_empty() {
        return (Json::Null, None);
    }
    if let ([Some(inner)], 1) = ([object.get("Value")], object.len()) {
        return (inner.clone(), None);
    }
    if let (Some(Json::String(name)), 1) = (object.get("Name"), object.len()) {
        return (name.clone().into(), Some(name.clone()));
    }
    if object.contains_key("Params") && object.contains_key("Body") {
        return ("<function>".into(), Some("<function>".into()));
    }
    match (object.get("Elements"), object.len()) {
        (Some(Json::Null), 1) => (Json::Array(Vec::new()), None),
        (Some(Json::Array(elements)), 1) => list(elements),
        _ => (value, None),
    }
}

fn list(elements: &[Json]) -> (Json, Option<String>) {
    let elements: Vec<_> = elements.iter().cloned().map(value).collect();
    let plain = elements.iter().all(|(_, text)| text.is_none());
    let texts: Vec<_> = elements
        .iter()
        .map(|(value, text)| text.clone().unwrap_or_else(|| text_of(value)))
        .collect();
    let values = elements.into_iter().map(|(value, _)| value).collect();
    let text = (!plain).then(|| format!("({})", texts.join(" ")));
    (Json::Array(values), text)
}

/// Returns the program's error that a Go server reports as an error of the protocol.
pub(super) fn error(protocol_error: &str) -> Option<EvalError> {
    let error = protocol_error.strip_prefix("evaluator error: ")?;
    let (stage, message) = error.split_once(": ").unwrap_or(("", error));
    let kind = match stage {
        "tokenize error" | "parse error" => "syntax-error",
        "eval error" => kind(message),
        _ => "runtime-error",
    };
    let message = message
        .strip_prefix("/: division")
        .map_or_else(|| String::from(message), |rest| format!("division{rest}"));
    Some(EvalError::new(kind, message))
}

fn kind(message: &str) -> &'static str {
    let counts = |word| message.contains(word) && message.contains("argument");
    if message.starts_with("undefined variable") {
        "unbound-variable"
    } else if message.ends_with("division by zero") {
        "arithmetic-error"
    } else if counts("requires") || counts("expects") {
        "arity-error"
    } else {
        "type-error"
    }
}
