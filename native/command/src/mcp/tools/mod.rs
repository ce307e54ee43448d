//! Tools as clients list them. `serial.write` and `serial.request_export` are those of Serial Control and Export
//! Protocol, MCP Tool Contracts; `monitor_read_next` is the next step named in the hint of the latter.

pub(crate) mod schema;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;

use super::{
    answer::{BoardAnswer, PortList, Status, Waited, Written},
    arguments::{
        ExecArguments, ExportArguments, InstallArguments, NoArguments, PathArguments,
        PortArguments, ReadArguments, RemoveArguments, ResetArguments, SyncArguments,
        WaitArguments, WriteArguments, WriteFileArguments,
    },
    names::{NEXT, ToolNames, underscored},
};
use schema::{Fields, of_answer, of_arguments};

/// Returns all tools in the order of their use, with their names and texts in this form.
pub(super) fn all(names: ToolNames) -> Vec<Tool> {
    let mut tools = dotted();
    for tool in &mut tools {
        tool.name = names.spell(&tool.name).into();
        let about = tool.description.take();
        tool.description = about.map(|about| names.spell(&about).into());
        tool.input_schema = spelled(names, &tool.input_schema).into();
        let output = tool.output_schema.take();
        tool.output_schema = output.map(|schema| spelled(names, &schema).into());
    }
    tools
}

/// Returns the tool of this name, in either form.
pub(super) fn find(name: &str) -> Option<Tool> {
    let is = |tool: &Tool| underscored(&tool.name) == underscored(name);
    dotted().into_iter().find(is)
}

fn spelled(names: ToolNames, schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    let values = schema.values_mut();
    values.for_each(|part| names.spell_below(part, &["description"]));
    schema
}

fn dotted() -> Vec<Tool> {
    let board = |name, title, about, effect, fields: &'static [&'static str]| BoardTool {
        name,
        title,
        about,
        effect,
        fields,
    };
    vec![
        tool::<NoArguments, PortList>(
            "serial.list_ports",
            "List ports",
            LIST_PORTS,
            READS,
            Fields::All,
        ),
        tool::<WriteArguments, Written>(
            "serial.write",
            "Send a command",
            WRITE,
            CHANGES,
            Fields::All,
        ),
        tool::<WaitArguments, Waited>(
            "serial.wait_for",
            "Wait for a text",
            WAIT_FOR,
            CHANGES,
            Fields::All,
        ),
        tool::<ExportArguments, Status>(
            "serial.request_export",
            "Request a log",
            REQUEST_EXPORT,
            ADDS,
            Fields::All,
        ),
        tool::<ReadArguments, Status>(
            NEXT,
            "Follow an export or listen",
            READ_NEXT,
            READS,
            Fields::Only(&STATE),
        ),
        tool::<PortArguments, Status>(
            "serial.status",
            "Show the state of a port",
            STATUS,
            READS,
            Fields::Only(&STATE),
        ),
        tool::<PortArguments, Status>(
            "serial.cancel",
            "Cancel an export or a program",
            CANCEL,
            REPEATABLE,
            Fields::Only(&STATE),
        ),
        board("board.exec", "Run a program", EXEC, CHANGES, &RUN).taking::<ExecArguments>(),
        board("board.reset", "Reset a board", RESET, CHANGES, &OUTPUT).taking::<ResetArguments>(),
        board(
            "board.list_files",
            "List files",
            LIST_FILES,
            REPEATABLE,
            &["ok", "files", "error"],
        )
        .taking::<PathArguments>(),
        board(
            "board.read_file",
            "Read a file",
            READ_FILE,
            REPEATABLE,
            &["ok", "text", "base64", "bytes", "untrusted", "error"],
        )
        .taking::<PathArguments>(),
        board(
            "board.write_file",
            "Write a file",
            WRITE_FILE,
            CHANGES,
            &["ok", "bytes", "error"],
        )
        .taking::<WriteFileArguments>(),
        board("board.mkdir", "Make a folder", MKDIR, REPEATABLE, &DONE).taking::<PathArguments>(),
        board("board.remove", "Remove a file", REMOVE, CHANGES, &DONE).taking::<RemoveArguments>(),
        board("board.sync", "Copy a folder", SYNC, CHANGES, &FILES).taking::<SyncArguments>(),
        board(
            "board.install",
            "Install a package",
            INSTALL,
            CHANGES,
            &FILES,
        )
        .taking::<InstallArguments>(),
    ]
}

/// A tool for boards. All share one answer type, of which each uses some fields.
struct BoardTool {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    effect: Effect,
    fields: &'static [&'static str],
}

impl BoardTool {
    fn taking<I: JsonSchema>(self) -> Tool {
        let fields = Fields::Only(self.fields);
        tool::<I, BoardAnswer>(self.name, self.title, self.about, self.effect, fields)
    }
}

/// Fields of a port's state that tell an assistant how to continue; `serial.request_export` has all of them.
const STATE: [&str; 5] = ["ok", "state", "hint", "lines", "error"];
const OUTPUT: [&str; 7] = [
    "ok",
    "output",
    "truncated",
    "resource",
    "bytes",
    "untrusted",
    "error",
];
const RUN: [&str; 8] = [
    "ok",
    "output",
    "truncated",
    "resource",
    "bytes",
    "running",
    "untrusted",
    "error",
];
const DONE: [&str; 2] = ["ok", "error"];
const FILES: [&str; 6] = ["ok", "written", "removed", "unchanged", "skipped", "error"];

/// Effect of a tool. A read-only tool opens no port and interrupts nothing: clients call it without asking the user.
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
/// Each call may record a new run.
const ADDS: Effect = Effect {
    reads_only: false,
    destroys: false,
    repeats: false,
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
    fields: Fields,
) -> Tool {
    // Omitted annotations keep the protocol's defaults: a tool changes things, and its world is open.
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = effect.reads_only.then_some(true);
    annotations.destructive_hint = (!effect.destroys).then_some(false);
    annotations.idempotent_hint = effect.repeats.then_some(true);
    Tool::new(name, about, of_arguments::<I>())
        .with_title(title)
        .with_raw_output_schema(of_answer::<O>(fields))
        .with_annotations(annotations)
}

const LIST_PORTS: &str =
    "The serial ports of this computer, and patterns of others that may be opened.";
const WRITE: &str = "Send a control command to a device: START run_id=NAME begins recording to its SD card, STOP ends it. ok \
    says that the bytes were sent, not that the device has acted: read its answer with monitor_read_next and the same \
    port, or send and wait in one call with serial.wait_for.";
const WAIT_FOR: &str = "Wait until a device prints a text, or a match of a regular expression; if send is given, send that first. \
                        Return the device's output. If the text does not arrive, found is false, and monitor_read_next still \
                        returns the output.";
const REQUEST_EXPORT: &str = "Fetch the log of a run; with record_s, record it first and return the whole log. Otherwise, this returns \
                              at once: call monitor_read_next with the export_id until the state is done, failed or cancelled. The log is \
    saved at the absolute path in the answer, which has its first lines and statistics; resources hold all of it.";
const READ_NEXT: &str = "With an export_id: wait for news of an export, until the state is done, failed or cancelled. With a port: \
                         wait until its device prints something, and return its lines; none if wait_ms passes without output.";
const STATUS: &str =
    "Show the state of a port and of its export, without waiting or opening the port.";
const CANCEL: &str = "Cancel the export on a port, or interrupt the program that runs on its board. The port stays open.";
const EXEC: &str = "Run a MicroPython program on a board, interrupting what runs there, and return its output: the last 8 kB, and a \
                    resource with the rest. The program is interrupted at its time limit; in the background it continues, \
                    monitor_read_next returns its further output, and serial.cancel ends it. Like the other board tools, this one \
                    is refused while a run is being recorded: send STOP first.";
const RESET: &str = "Restart a board's interpreter: all variables are gone and boot.py runs, main.py does not. With listen_s, \
                     main.py runs as well, and the answer has the board's output. With hard, restart the whole board, as its \
    button does.";
const LIST_FILES: &str = "List a folder on a board, interrupting what runs there.";
const READ_FILE: &str = "Read a file of at most 1 MiB from a board, interrupting what runs there.";
const WRITE_FILE: &str = "Write a file of at most 1 MiB to a board, replacing an existing one.";
const MKDIR: &str = "Create a folder on a board, with its parents. It may already exist.";
const REMOVE: &str = "Remove a file or an empty folder from a board.";
const SYNC: &str =
    "Make a folder on a board match a folder of this computer, sending only files that differ.";
const INSTALL: &str = "Install a package on a board, as MicroPython's mip does. Files that the board already has are left unchanged.";

#[cfg(test)]
mod tests {
    use super::{super::names::DOTTED, *};

    #[test]
    fn every_tool_has_schemas_of_objects_that_simple_clients_read() {
        for tool in all(ToolNames::Dots) {
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

    /// A model reads the list before its first word: 10,000 characters are some 2,400 tokens (npm's `gpt-tokenizer`).
    #[test]
    fn what_a_model_reads_of_the_tools_is_short() {
        let read = all(ToolNames::Dots).into_iter().map(|tool| {
            let schema = serde_json::to_string(&tool.input_schema).unwrap();
            tool.name.len() + tool.description.unwrap_or_default().len() + schema.len()
        });
        let length: usize = read.sum();
        assert!(length < 10_000, "{length}");
    }

    #[test]
    fn with_underscores_no_text_has_a_name_with_a_dot() {
        let listed: Vec<_> = dotted().iter().map(|tool| tool.name.to_string()).collect();
        assert!(
            DOTTED
                .iter()
                .all(|name| listed.contains(&(*name).to_owned()))
        );
        let text = serde_json::to_string(&all(ToolNames::Underscore)).unwrap();
        for name in DOTTED {
            assert!(!text.contains(name), "{name}");
            assert!(text.contains(&underscored(name)), "{name}");
        }
    }
}
