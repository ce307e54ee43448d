//! Arguments of the tools; the JSON schemas shown to clients derive from these types.

use std::borrow::Cow;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use flylead_core::export::Doubt;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

/// A port, and its speed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct PortArguments {
    /// A port of serial.list_ports, such as COM7 or /dev/ttyUSB0.
    pub(super) port: String,
    /// Bits per second; 115200 by default.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) baud: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WriteArguments {
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// Text, such as "STOP", or binary data.
    pub(super) data: Option<Data>,
    /// False to add no line end.
    #[serde(default = "yes", deserialize_with = "flag")]
    pub(super) append_newline: bool,
    /// True asserts DTR, before RTS and data; false clears it.
    #[serde(default, deserialize_with = "choice")]
    #[schemars(with = "Option<bool>")]
    pub(super) dtr: Option<bool>,
    /// RTS likewise.
    #[serde(default, deserialize_with = "choice")]
    #[schemars(with = "Option<bool>")]
    pub(super) rts: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WaitArguments {
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// The text to wait for; it may be a part of a line.
    pub(super) text: String,
    /// True to read the text as a regular expression for one line, such as "T=[0-9.]+".
    #[serde(default, deserialize_with = "flag")]
    pub(super) regex: bool,
    /// Time to wait in seconds, at most 50; defaults to 10.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) timeout_s: Option<u32>,
    /// A command to send first; only output after it is examined.
    pub(super) send: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ExportArguments {
    /// The name of the run, such as 20260115_2112_run001.
    pub(super) run_id: String,
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// Seconds to record first, at most 40.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) record_s: Option<u32>,
    /// True to wait for the whole log.
    #[serde(default, deserialize_with = "flag")]
    pub(super) collect: bool,
    /// True to fetch a log without a checksum twice, and compare.
    #[serde(default, deserialize_with = "flag")]
    pub(super) verify_twice: bool,
    /// Doubts to accept, as the error of a refused log names them. Ask the person first: such a log may be wrong.
    #[serde(default, deserialize_with = "doubts")]
    #[schemars(with = "Vec<String>")]
    pub(super) accept: Vec<Doubt>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadArguments {
    /// The export to follow.
    pub(super) export_id: Option<String>,
    /// The port to listen to; required without an export_id.
    pub(super) port: Option<String>,
    /// Time to wait for news in milliseconds, at most 20000; defaults to 1000.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) wait_ms: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NoArguments {}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ExecArguments {
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// A MicroPython program.
    pub(super) code: String,
    /// Time limit in seconds, after which the program is interrupted; 30 by default.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) timeout_s: Option<u32>,
    /// True to return after timeout_s, 2 by default, and let the program continue.
    #[serde(default, deserialize_with = "flag")]
    pub(super) background: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PathArguments {
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// A path on the board, such as main.py or /sd/log.csv.
    pub(super) path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WriteFileArguments {
    #[serde(flatten)]
    pub(super) file: PathArguments,
    /// Content to write: text, or binary data.
    pub(super) data: Data,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ResetArguments {
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// True to reset the whole board.
    #[serde(default, deserialize_with = "flag")]
    pub(super) hard: bool,
    /// Seconds to listen, at most 20; main.py continues afterwards. Not with hard.
    #[serde(default, deserialize_with = "number")]
    #[schemars(with = "Option<u32>")]
    pub(super) listen_s: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RemoveArguments {
    #[serde(flatten)]
    pub(super) file: PathArguments,
    /// True to remove a folder with all its content.
    #[serde(default, deserialize_with = "flag")]
    pub(super) recursive: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SyncArguments {
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// A folder on this computer, below the one that the server was started with.
    pub(super) folder: String,
    /// The folder on the board to make equal to it; the board's root by default.
    #[serde(default)]
    pub(super) target: String,
    /// True to remove files of the target that the folder lacks.
    #[serde(default, deserialize_with = "flag")]
    pub(super) delete: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct InstallArguments {
    #[serde(flatten)]
    pub(super) port: PortArguments,
    /// NAME or NAME@VERSION of the index, a URL, or github:OWNER/REPOSITORY.
    pub(super) package: String,
    /// The index of names, such as https://micropython.org/pi/v2.
    pub(super) index: Option<String>,
    /// The folder on the board; /lib by default.
    pub(super) target: Option<String>,
}

/// Bytes, given as text, a list of numbers, or base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Data(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = match Value::deserialize(deserializer)? {
            Value::String(text) => Some(text.into_bytes()),
            Value::Array(numbers) => numbers.iter().map(byte).collect(),
            Value::Object(object) => object.get("base64").and_then(decoded),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        };
        bytes.map(Self).ok_or_else(|| D::Error::custom(DATA))
    }
}

fn byte(number: &Value) -> Option<u8> {
    u8::try_from(number.as_u64()?).ok()
}

fn decoded(base64: &Value) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(base64.as_str()?).ok()
}

const DATA: &str = r#"data must be a string, a list of numbers from 0 to 255, or {"base64": "…"} with valid base64"#;

impl JsonSchema for Data {
    fn schema_name() -> Cow<'static, str> {
        "Data".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Text; or binary data, as a list of bytes or as base64.",
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
                { "type": "object", "properties": { "base64": { "type": "string" } }, "required": ["base64"] },
            ],
        })
    }
}

/// Reads a number, which assistants sometimes write as text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        Value::Number(number) => number.as_f64().filter(|number| number.fract() == 0.0),
        Value::String(text) => text.trim().parse::<u32>().ok().map(f64::from),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    number
        .filter(|number| (0.0..=f64::from(u32::MAX)).contains(number))
        .map(|number| Some(number as u32))
        .ok_or_else(|| D::Error::custom("this must be a non-negative whole number"))
}

fn choice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        value => flag(value).map(Some).map_err(D::Error::custom),
    }
}

fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Bool(flag) => Ok(flag),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        _ => Err(D::Error::custom("this must be true or false")),
    }
}

fn doubts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Doubt>, D::Error> {
    let names = match Value::deserialize(deserializer)? {
        Value::String(name) => vec![Value::String(name)],
        Value::Array(names) => names,
        _ => return Err(D::Error::custom("accept must be a list of reasons")),
    };
    let doubts = names
        .iter()
        .map(|name| name.as_str().unwrap_or_default().parse());
    doubts.collect::<Result<_, _>>().map_err(D::Error::custom)
}

const fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data_is_text_a_list_of_bytes_or_base64() {
        for (value, bytes) in [
            (json!("STOP"), &b"STOP"[..]),
            (json!([83, 0, 255]), b"S\0\xff"),
            (json!({ "base64": "U1RPUA==" }), b"STOP"),
            (json!([]), b""),
        ] {
            assert_eq!(Data::deserialize(value).unwrap(), Data(bytes.to_vec()));
        }
        for value in [
            json!(5),
            json!([256]),
            json!([-1]),
            json!(["S"]),
            json!({ "base64": "!" }),
            json!({}),
        ] {
            let error = Data::deserialize(&value).unwrap_err();
            assert_eq!(error.to_string(), DATA, "{value}");
        }
    }
}
