//! Checks that the tools' arguments and answers match the schemas that clients read.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::mcp::answer::Fault;

/// Returns the schema of a tool's arguments, reduced to keywords that simple clients know.
pub(super) fn of_arguments<T: JsonSchema>() -> Arc<JsonObject> {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Returns the schema of a tool's answer; a field that is omitted when empty is not required.
///
/// An assistant reads every list of tools before its first word, so a tool lists only the fields that its answers can
/// have, and the fields of an error are described in words.
pub(crate) fn of_answer<T: JsonSchema>(fields: Fields) -> Arc<JsonObject> {
    let mut schema = schema::<T>(SchemaSettings::draft2020_12().for_serialize());
    let object = Arc::make_mut(&mut schema);
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        if let Fields::Only(names) = fields {
            properties.retain(|name, _| names.contains(&name.as_str()));
        }
        if let Some(error) = properties.get_mut("error") {
            *error = json!({ "type": "object", "description": ERROR });
        }
    }
    if let (Fields::Only(names), Some(Value::Array(required))) =
        (fields, object.get_mut("required"))
    {
        required.retain(|name| name.as_str().is_some_and(|name| names.contains(&name)));
    }
    schema
}

/// Fields of an answer that a tool's schema lists; others may come as well.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fields {
    All,
    /// Only these fields: the others never occur, or another listed tool describes them.
    Only(&'static [&'static str]),
}

const ERROR: &str = "code, message, retryable; accept and kept for a refused log";

fn schema<T: JsonSchema>(settings: SchemaSettings) -> Arc<JsonObject> {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    simplify(&mut schema);
    let Value::Object(mut object) = schema else {
        return Arc::default();
    };
    // A schema without `$schema` has this draft (Model Context Protocol 2025-11-25, JSON Schema Usage), and the tool's
    // title and text say the rest.
    for key in ["$schema", "title", "description"] {
        object.remove(key);
    }
    Arc::new(object)
}

/// Simplifies a schema: JSON Schema has no `"format": "uint64"`, and clients that know one type at a time refuse
/// `"type": ["string", "null"]`. Absent values are omitted here, and never null.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.retain(|key, value| match key.as_str() {
                "format" => !value.is_string(),
                // The text describes the default, and the type the minimum.
                "default" | "minimum" => !(value.is_boolean() || value.is_null() || *value == 0),
                _ => true,
            });
            if let Some(kind) = object.get_mut("type") {
                *kind = without_null(kind.take());
            }
            if let Some(Value::Array(options)) = object.get_mut("anyOf") {
                options.retain(|option| option["type"] != "null");
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without_null(kind: Value) -> Value {
    match kind {
        Value::Array(kinds) => {
            let mut kinds = kinds.into_iter().filter(|kind| *kind != "null");
            kinds.next().unwrap_or_default()
        }
        kind => kind,
    }
}

/// Reads arguments that match their schema. Errors use the words of the schema, and report one fault at a time.
pub(crate) fn read<I: DeserializeOwned>(
    schema: &JsonObject,
    mut arguments: Value,
) -> Result<I, Fault> {
    // Assistants write null for omitted arguments.
    if let Value::Object(given) = &mut arguments {
        given.retain(|_, value| !value.is_null());
    }
    check(schema, &arguments).map_err(Fault::argument)?;
    serde_json::from_value(arguments).map_err(Fault::argument)
}

fn check(schema: &JsonObject, arguments: &Value) -> Result<(), String> {
    let empty = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.unwrap_or(&empty);
    let given = arguments.as_object().unwrap_or(&empty);
    if let Some(unknown) = given.keys().find(|name| !properties.contains_key(*name)) {
        let names: Vec<_> = properties.keys().map(String::as_str).collect();
        return Err(match names.is_empty() {
            true => format!("this tool takes no arguments, but {unknown} was given"),
            false => format!(
                "there is no argument {unknown}; this tool takes {}",
                names.join(", ")
            ),
        });
    }
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if given.get(name).is_none_or(Value::is_null) {
            let about = properties[name]["description"].as_str().unwrap_or_default();
            return Err(format!("{name} is missing. {about}"));
        }
    }
    given
        .iter()
        .try_for_each(|(name, value)| check_type(name, value, &properties[name]))
}

/// Checks texts and lists. The other types report their own errors, as they accept more than their schema says.
fn check_type(name: &str, value: &Value, schema: &Value) -> Result<(), String> {
    match schema["type"].as_str() {
        Some("string") if !value.is_string() => {
            Err(format!("{name} must be a string, not {value}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::arguments::{ExportArguments, NoArguments, WriteArguments};
    use serde_json::json;

    fn refusal<T: JsonSchema + DeserializeOwned>(arguments: Value) -> String {
        let read = read::<T>(&of_arguments::<T>(), arguments);
        read.map(drop).unwrap_err().message
    }

    #[test]
    fn what_is_wrong_with_arguments_is_said_without_words_of_the_programming_language() {
        let port = |more: Value| {
            let mut arguments = json!({ "port": "COM7", "data": "STOP" });
            arguments
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            arguments
        };
        let cases = [
            (
                refusal::<WriteArguments>(json!({})),
                "port is missing. A port of serial.list_ports",
            ),
            (
                refusal::<WriteArguments>(port(json!({ "prot": 1 }))),
                "there is no argument prot; this tool takes ",
            ),
            (
                refusal::<WriteArguments>(port(json!({ "port": 5 }))),
                "port must be a string, not 5",
            ),
            (
                refusal::<WriteArguments>(port(json!({ "baud": "fast" }))),
                "this must be a non-negative whole number",
            ),
            (
                refusal::<WriteArguments>(port(json!({ "data": 5 }))),
                "data must be a string, a list of numbers",
            ),
            (
                refusal::<WriteArguments>(port(json!({ "append_newline": 1 }))),
                "this must be true or false",
            ),
            (
                refusal::<NoArguments>(json!({ "port": "COM7" })),
                "this tool takes no arguments",
            ),
            (
                refusal::<ExportArguments>(
                    json!({ "port": "COM7", "run_id": "a", "accept": ["x"] }),
                ),
                "expected one of error, late, header",
            ),
        ];
        for (message, expected) in cases {
            assert!(message.starts_with(expected), "{message}");
            for word in ["untagged", "variant", "enum", "u32", "invalid type"] {
                assert!(!message.contains(word), "{message}");
            }
        }
    }
}
