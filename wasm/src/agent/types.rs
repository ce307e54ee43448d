//! Plain objects that the agent takes and returns, from which the TypeScript declarations are generated. A session and
//! the commands in a reply are the protocol's own JSON and are declared in `types/agent.d.ts`.

use flylead_core::agent::{
    Command, Commands, Contents, Echo, Eol, FileEntry, Inbox, Item, LineRange, Numbering,
    ParseOptions, Step, Task, Truncate,
};
use js_sys::Function;
use serde::{Deserialize, Serialize};
use tsify::Tsify;
use wasm_bindgen::JsValue;
use web_sys::AbortSignal;

use crate::binding::arguments;

/// Settings of a whole task.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AgentSessionOptions {
    /// Line numbers of edits: those of the file as shown to the LLM (the default), or those at each command.
    #[tsify(type = r#""sequential" | "snapshot""#)]
    pub edit_numbering: Numbering,
    /// Line ends of new files; existing files keep theirs. Default `"lf"`.
    #[tsify(type = r#""lf" | "crlf""#)]
    pub eol: Eol,
    /// Part of a command's output beyond 4000 characters that the LLM gets: beginning and end (the default), or only
    /// the beginning.
    #[tsify(type = r#""middle" | "head""#)]
    pub truncate: Truncate,
    /// Interpreter for RUN_COMMAND: with `"python"`, for a board, the LLM is told to write Python. Default `"shell"`.
    #[tsify(type = r#""shell" | "python""#)]
    pub commands: Commands,
}

/// Options for reading a reply.
#[derive(Debug, Clone, Copy, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AgentReadingOptions {
    /// Applies the protocol's document strictly.
    pub strict: bool,
    /// Removes a Markdown fence around the whole text of a file.
    pub strip_fences: bool,
}

/// Options for reading and executing a reply.
#[derive(Debug, Clone, Default, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AgentReplyOptions {
    /// Applies the protocol's document strictly.
    pub strict: bool,
    /// Removes a Markdown fence around the whole text of a file.
    pub strip_fences: bool,
    /// Accepts a text that begins with a copy of an outbox, and takes the rest as the reply.
    pub accept_copy: bool,
    /// Processes the reply even if it was processed before, or claims to answer another outbox.
    pub force: bool,
    /// Callback that approves each step; rejected steps are reported to the LLM. Without it, files are read and
    /// changed, and no command runs.
    #[serde(deserialize_with = "arguments::function")]
    #[tsify(type = "(step: AgentStep) => boolean | Promise<boolean>")]
    pub approve: Option<Function>,
    /// Callback before each change of a file, for keeping its old content. If it rejects, the LLM is told the reason,
    /// and the file stays unchanged.
    #[serde(deserialize_with = "arguments::function")]
    #[tsify(type = "(change: AgentChange) => void | Promise<void>")]
    pub on_change: Option<Function>,
    /// Signal that aborts the remaining steps; the LLM is told.
    #[serde(deserialize_with = "arguments::instance")]
    #[tsify(type = "AbortSignal")]
    pub signal: Option<AbortSignal>,
}

/// Parsed reply.
#[derive(Debug, Clone, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AgentInbox {
    /// Commands and errors, in order.
    pub items: Vec<AgentItem>,
    /// Outbox that the reply claims to answer.
    pub echo: AgentEcho,
    /// Lines that look like commands but are not.
    pub hints: Vec<usize>,
    /// Last line of a copy of an outbox at the start of the text.
    pub outbox_copy: Option<usize>,
}

/// A block of a reply.
#[derive(Debug, Clone, Serialize, Tsify)]
pub struct AgentItem {
    /// Line of its tag, from 1.
    pub line: usize,
    /// Name in its tag.
    pub name: String,
    /// Command to execute; otherwise `error` tells the LLM the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[tsify(type = "AgentCommand")]
    pub command: Option<Command>,
    /// Reason why no command is executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Notes for the LLM.
    pub notes: Vec<String>,
}

/// Statement of a reply about the outbox that it answers.
#[derive(Debug, Clone, Serialize, Tsify)]
pub struct AgentEcho {
    /// The session's id.
    pub session: Option<String>,
    /// The outbox's number.
    pub sequence: Option<u32>,
}

/// Content of the next message to the LLM.
#[derive(Debug, Clone, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentOutbox {
    /// Session; the message has its sequence number.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    #[tsify(type = "AgentSession")]
    pub session: JsValue,
    /// Files, in the order to show.
    pub files: Vec<AgentFile>,
    /// Number of further files. Default 0.
    #[serde(default)]
    pub more_files: usize,
    /// Content that the last reply requested.
    #[serde(default)]
    pub contents: Vec<AgentContents>,
}

/// A file of the workspace.
#[derive(Debug, Clone, Deserialize, Tsify)]
pub struct AgentFile {
    /// Path from the root, with `/`.
    pub path: String,
    /// Size.
    pub bytes: u64,
}

/// A file, or a part of it, as an outbox shows it.
#[derive(Debug, Clone, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct AgentContents {
    /// Path from the root, with `/`.
    pub path: String,
    /// The text, or the displayed part of it.
    pub text: String,
    /// Number of its first line, if line numbers are to be displayed.
    #[tsify(optional)]
    pub numbered_from: Option<usize>,
    /// Further remark, such as the amount of missing text.
    #[tsify(optional)]
    pub note: Option<String>,
}

/// Range of lines from 1, both ends included, and its replacement.
#[derive(Debug, Clone, Deserialize, Tsify)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentEdit {
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Whole lines; an empty text deletes the range.
    pub replacement: String,
    /// Expected first line.
    #[serde(default)]
    pub expect: Option<String>,
}

/// Next request of a reply; paths are clean.
#[derive(Debug, Clone, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum AgentStep {
    /// A file is to be created, changed or deleted.
    Change {
        /// Line of its tag, from 1.
        line: usize,
        /// Path of the file.
        path: String,
        /// Name of the command.
        #[tsify(type = r#""CREATE_FILE" | "APPEND_FILE" | "EDIT_FILE" | "DELETE_FILE""#)]
        name: &'static str,
    },
    /// A file is to be read.
    Read {
        /// Line of its tag, from 1.
        line: usize,
        /// Path of the file.
        path: String,
    },
    /// A command is to be run.
    Run {
        /// Line of its tag, from 1.
        line: usize,
        /// The script.
        command: String,
    },
}

impl From<AgentReadingOptions> for ParseOptions {
    fn from(options: AgentReadingOptions) -> Self {
        Self {
            strict: options.strict,
            strip_fences: options.strip_fences,
            commands: Commands::default(),
        }
    }
}

impl From<Inbox> for AgentInbox {
    fn from(inbox: Inbox) -> Self {
        let Echo { session, sequence } = inbox.echo;
        Self {
            items: inbox.items.into_iter().map(Into::into).collect(),
            echo: AgentEcho { session, sequence },
            hints: inbox.hints,
            outbox_copy: inbox.outbox_copy,
        }
    }
}

impl From<Item> for AgentItem {
    fn from(item: Item) -> Self {
        let (name, command, error) = match item.outcome {
            Ok(command) => (command.kind().name().to_owned(), Some(command), None),
            Err(fault) => (fault.command.clone(), None, Some(fault.to_string())),
        };
        Self {
            line: item.line,
            name,
            command,
            error,
            notes: item.notes.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<AgentFile> for FileEntry {
    fn from(AgentFile { path, bytes }: AgentFile) -> Self {
        Self { path, bytes }
    }
}

impl From<AgentContents> for Contents {
    fn from(contents: AgentContents) -> Self {
        Self {
            path: contents.path,
            text: contents.text,
            numbered_from: contents.numbered_from,
            note: contents.note,
        }
    }
}

impl From<Contents> for AgentContents {
    fn from(contents: Contents) -> Self {
        Self {
            path: contents.path,
            text: contents.text,
            numbered_from: contents.numbered_from,
            note: contents.note,
        }
    }
}

impl AgentEdit {
    pub(super) const fn lines(&self) -> LineRange {
        LineRange {
            first: self.start_line,
            last: self.end_line,
        }
    }
}

impl From<&Step<'_>> for AgentStep {
    fn from(step: &Step<'_>) -> Self {
        let line = step.line;
        match &step.task {
            Task::Change { path, command } => Self::Change {
                line,
                path: path.as_str().to_owned(),
                name: command.kind().name(),
            },
            Task::Read { path } => Self::Read {
                line,
                path: path.as_str().to_owned(),
            },
            Task::Run { script } => Self::Run {
                line,
                command: script.to_string(),
            },
        }
    }
}
