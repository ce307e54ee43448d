//! The tools, as clients list them. `serial.write` and `serial.request_export` are those of Serial Control and Export
//! Protocol, MCP Tool Contracts; `monitor_read_next` is the next step that the latter's hint names.

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
    schema::{of_answer, of_arguments},
};

/// All tools, in the order in which they are used, with their names and texts in this form.
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

/// The tool of this name, in either form.
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
    vec![
        tool::<NoArguments, PortList>("serial.list_ports", "List ports", LIST_PORTS, READS),
        tool::<WriteArguments, Written>("serial.write", "Send a command", WRITE, CHANGES),
        tool::<WaitArguments, Waited>("serial.wait_for", "Wait for a text", WAIT_FOR, CHANGES),
        tool::<ExportArguments, Status>(
            "serial.request_export",
            "Ask for a log",
            REQUEST_EXPORT,
            REPEATABLE,
        ),
        tool::<ReadArguments, Status>(NEXT, "Follow an export or listen", READ_NEXT, READS),
        tool::<PortArguments, Status>("serial.status", "Look at a port", STATUS, READS),
        tool::<PortArguments, Status>("serial.cancel", "Give up what runs", CANCEL, REPEATABLE),
        tool::<ExecArguments, BoardAnswer>("board.exec", "Run a program", EXEC, CHANGES),
        tool::<ResetArguments, BoardAnswer>("board.reset", "Reset a board", RESET, CHANGES),
        tool::<PathArguments, BoardAnswer>(
            "board.list_files",
            "List files",
            LIST_FILES,
            REPEATABLE,
        ),
        tool::<PathArguments, BoardAnswer>("board.read_file", "Read a file", READ_FILE, REPEATABLE),
        tool::<WriteFileArguments, BoardAnswer>(
            "board.write_file",
            "Write a file",
            WRITE_FILE,
            CHANGES,
        ),
        tool::<PathArguments, BoardAnswer>("board.mkdir", "Make a folder", MKDIR, REPEATABLE),
        tool::<RemoveArguments, BoardAnswer>("board.remove", "Remove a file", REMOVE, CHANGES),
        tool::<SyncArguments, BoardAnswer>("board.sync", "Copy a folder", SYNC, CHANGES),
        tool::<InstallArguments, BoardAnswer>(
            "board.install",
            "Install a package",
            INSTALL,
            CHANGES,
        ),
    ]
}

/// Effect of a tool on the world. One that only reads opens no port and interrupts nothing: clients call it unasked.
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
    Tool::new(name, about, of_arguments::<I>())
        .with_title(title)
        .with_raw_output_schema(of_answer::<O>())
        .with_annotations(annotations)
}

const LIST_PORTS: &str =
    "The serial ports of this computer, and patterns of others that may be opened.";
const WRITE: &str = "Send an ASCII control command to a device: START run_id=NAME begins recording to its SD card, STOP \
    ends it. The port is opened if need be and stays open. ok says that the bytes were sent, not that the device has done \
    anything: read its answer with monitor_read_next and the same port, or send and wait in one call with \
    serial.wait_for.";
const WAIT_FOR: &str = "Wait until a device says a text, with a time-out; if send is given, send that first. Answers with \
    what it said. When the text does not come, found is false, and nothing is lost: monitor_read_next still has it.";
const REQUEST_EXPORT: &str = "Ask a device for the log of a run. Answers at once; follow the hint and call \
    monitor_read_next with the export_id until the state is done, failed or cancelled. The log is saved in the folder of \
    runs, at the absolute path that the answer names, when it is whole; an earlier one is kept. Its first lines and \
    statistics come with the answer, and resources hold all of it.";
const READ_NEXT: &str = "With an export_id: wait for news of an export; call it again until the state is done, failed or \
    cancelled. With a port: wait until its device says something, and answer with it as lines; when wait_ms is over \
    without a word there are no lines, and calling again only makes sense if more is expected.";
const STATUS: &str = "Where a port and its export stand, without waiting. Opens nothing.";
const CANCEL: &str = "Give up the export on a port, or interrupt the program that runs on its board. The port stays open.";
const EXEC: &str = "Run a MicroPython program on a board, interrupting what runs there, and return what it prints. It is \
    interrupted when its time is over or when the call is cancelled. Like the other tools of boards it is refused while a \
    run is being recorded: send STOP first.";
const RESET: &str = "Restart a board's interpreter: all variables are gone and boot.py runs, main.py does not. With hard, \
    restart the whole board, as its button does, and main.py runs.";
const LIST_FILES: &str =
    "List a folder on a MicroPython board, interrupting what runs there; refused while it records.";
const READ_FILE: &str = "Read a file of at most 1 MiB from a MicroPython board, interrupting what runs there; refused \
    while it records.";
const WRITE_FILE: &str =
    "Write a file of at most 1 MiB to a MicroPython board, in place of one that is there.";
const MKDIR: &str =
    "Make a folder on a MicroPython board, and those above it. One that is there already is fine.";
const REMOVE: &str = "Remove a file or an empty folder from a MicroPython board.";
const SYNC: &str = "Make a folder on a MicroPython board like a folder of this computer, sending only files that differ.";
const INSTALL: &str = "Install a package on a MicroPython board, in the format of its own installer, mip. Files that are \
    there already are left alone.";

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
