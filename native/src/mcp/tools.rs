//! The tools, as clients list them.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

use super::answer::{
    BoardAnswer, ExecArguments, ExportArguments, NoArguments, PathArguments, PortArguments,
    PortList, ReadArguments, Status, WriteArguments, WriteFileArguments, Written,
};

/// All tools, in the order in which they are used.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<NoArguments, PortList>("serial.list_ports", "List ports", LIST_PORTS, READS),
        tool::<WriteArguments, Written>("serial.write", "Send a command", WRITE, CHANGES),
        tool::<ExportArguments, Status>(
            "serial.request_export",
            "Ask for a log",
            REQUEST_EXPORT,
            REPEATABLE,
        ),
        tool::<ReadArguments, Status>(
            "monitor_read_next",
            "Follow an export or listen",
            READ_NEXT,
            READS,
        ),
        tool::<PortArguments, Status>("serial.status", "Look at a port", STATUS, READS),
        tool::<PortArguments, Status>("serial.cancel", "Give up an export", CANCEL, REPEATABLE),
        tool::<ExecArguments, BoardAnswer>("board.exec", "Run a program", EXEC, CHANGES),
        tool::<PathArguments, BoardAnswer>("board.list_files", "List files", LIST_FILES, READS),
        tool::<PathArguments, BoardAnswer>("board.read_file", "Read a file", READ_FILE, READS),
        tool::<WriteFileArguments, BoardAnswer>(
            "board.write_file",
            "Write a file",
            WRITE_FILE,
            CHANGES,
        ),
    ]
}

/// What a tool does to the world.
#[derive(Clone, Copy)]
struct Effect {
    reads_only: bool,
    destroys: bool,
    repeats: bool,
}

const READS: Effect = Effect {
    reads_only: true,
    destroys: false,
    repeats: true,
};
const REPEATABLE: Effect = Effect {
    reads_only: false,
    destroys: false,
    repeats: true,
};
const CHANGES: Effect = Effect {
    reads_only: false,
    destroys: true,
    repeats: false,
};

fn tool<I: JsonSchema, O: JsonSchema>(
    name: &'static str,
    title: &str,
    about: &'static str,
    effect: Effect,
) -> Tool {
    let annotations = ToolAnnotations::with_title(title)
        .read_only(effect.reads_only)
        .destructive(effect.destroys)
        .idempotent(effect.repeats)
        .open_world(true);
    Tool::new(name, about, schema::<I>())
        .with_title(title)
        .with_raw_output_schema(schema::<O>())
        .with_annotations(annotations)
}

fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    simplify(&mut schema);
    match schema {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

/// `"format": "uint64"` is no format of JSON Schema, and `"type": ["string", "null"]` is refused by clients that know
/// one type at a time: what is not there is left out here, and never null.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.retain(|key, value| match key.as_str() {
                "format" => !value.is_string(),
                "default" => !value.is_null(),
                _ => true,
            });
            if let Some(kind) = object.get_mut("type") {
                *kind = without_null(kind.take());
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
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

const LIST_PORTS: &str =
    "The serial ports of this computer, and patterns of others that may be opened.";
const WRITE: &str = "Send an ASCII control command to a device: START run_id=NAME begins recording to its SD card, STOP \
    ends it. The port is opened if need be and stays open.";
const REQUEST_EXPORT: &str = "Ask a device for the log of a run. Answers at once; follow the hint and call \
    monitor_read_next until the state is done or failed. The log is saved as artifacts/RUN_ID/sd/log.csv when it is \
    whole, and an earlier one is never damaged.";
const READ_NEXT: &str = "Wait for news of an export, or for what a device says. Call it again until the state is done, \
    failed, cancelled or closed.";
const STATUS: &str = "Where a port and its export stand, without waiting. Opens nothing.";
const CANCEL: &str = "Give up the export on a port. The port stays open.";
const EXEC: &str = "Run a MicroPython program on a board, interrupting what runs there, and return what it prints.";
const LIST_FILES: &str = "List a folder on a MicroPython board.";
const READ_FILE: &str = "Read a file of at most 1 MiB from a MicroPython board.";
const WRITE_FILE: &str =
    "Write a file of at most 1 MiB to a MicroPython board, in place of one that is there.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_schemas_of_objects_that_simple_clients_read() {
        for tool in all() {
            for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()] {
                let text = serde_json::to_string(schema.expect("both")).unwrap();
                assert!(
                    text.contains("\"type\":\"object\""),
                    "{}: {text}",
                    tool.name
                );
                assert!(!text.contains("\"format\""), "{}: {text}", tool.name);
                assert!(!text.contains("null"), "{}: {text}", tool.name);
            }
        }
    }
}
