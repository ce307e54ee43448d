//! The seven commands, and how they are written down again.

use alloc::{format, string::String};

use serde::{Deserialize, Serialize};

use super::tags;

/// Something that the LLM asks the agent to do. Bodies have `\n` line ends; every value is what the LLM meant,
/// with the spelling of its tag (quotes, case, `end=`) gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Command {
    /// Create or overwrite a file.
    CreateFile {
        /// The path as written, not judged yet: see [`super::path`].
        path: String,
        /// The whole file, with its final newline if it has one.
        content: String,
    },
    /// Replace a range of lines.
    EditFile {
        /// The path as written, not judged yet.
        path: String,
        /// What to replace.
        lines: LineRange,
        /// The new lines, each ended by `\n`. Empty: the range is deleted.
        replacement: String,
        /// What the first line of the range has to be, blanks at its ends aside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<String>,
        /// The first eight hexadecimal digits of the SHA-256 that the whole file has to have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sha: Option<String>,
    },
    /// Delete a file.
    DeleteFile {
        /// The path as written, not judged yet.
        path: String,
    },
    /// Show a file in the next outbox.
    ReadFile(ReadRequest),
    /// Run a shell command.
    RunCommand {
        /// The script, without its last newline. Never empty.
        command: String,
    },
    /// Tell the person something.
    Message {
        /// The text, without its last newline.
        text: String,
    },
    /// The task is finished.
    Done {
        /// What was accomplished, without its last newline.
        summary: String,
    },
}

/// A file, or a part of it, that the LLM wants to see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadRequest {
    /// The path as written, not judged yet.
    pub path: String,
    /// Show the line numbers.
    #[serde(default)]
    pub numbered: bool,
    /// The first line to show, from 1. None: from the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
    /// The last line to show. None: to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u32>,
}

impl ReadRequest {
    /// The whole file, as it is.
    #[must_use]
    pub const fn plain(path: String) -> Self {
        Self {
            path,
            numbered: false,
            first: None,
            last: None,
        }
    }
}

/// Lines `first` to `last`, counted from 1, both included. That `first` is at most `last` is the file's business,
/// not the parser's: the answer names the file and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line of the range.
    pub first: u32,
    /// The last line of the range.
    pub last: u32,
}

/// Which of the seven commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// `CREATE_FILE`
    CreateFile,
    /// `EDIT_FILE`
    EditFile,
    /// `DELETE_FILE`
    DeleteFile,
    /// `READ_FILE`
    ReadFile,
    /// `RUN_COMMAND`
    RunCommand,
    /// `MESSAGE`
    Message,
    /// `DONE`
    Done,
}

impl Kind {
    /// All of them, in the order of the document.
    pub const ALL: [Self; 7] = [
        Self::CreateFile,
        Self::EditFile,
        Self::DeleteFile,
        Self::ReadFile,
        Self::RunCommand,
        Self::Message,
        Self::Done,
    ];

    /// The name in the tag.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreateFile => "CREATE_FILE",
            Self::EditFile => "EDIT_FILE",
            Self::DeleteFile => "DELETE_FILE",
            Self::ReadFile => "READ_FILE",
            Self::RunCommand => "RUN_COMMAND",
            Self::Message => "MESSAGE",
            Self::Done => "DONE",
        }
    }

    /// Whether a body and a closing tag follow the opening tag.
    #[must_use]
    pub const fn has_body(self) -> bool {
        !matches!(self, Self::DeleteFile | Self::ReadFile)
    }

    /// The attributes that it knows.
    pub(super) const fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::CreateFile => &["path", "end", "final_newline"],
            Self::EditFile => &["path", "start_line", "end_line", "end", "expect", "sha"],
            Self::DeleteFile => &["path"],
            Self::ReadFile => &["path", "numbered", "start_line", "end_line"],
            Self::RunCommand | Self::Message | Self::Done => &["end"],
        }
    }
}

impl Command {
    /// Which of the seven it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::CreateFile { .. } => Kind::CreateFile,
            Self::EditFile { .. } => Kind::EditFile,
            Self::DeleteFile { .. } => Kind::DeleteFile,
            Self::ReadFile(_) => Kind::ReadFile,
            Self::RunCommand { .. } => Kind::RunCommand,
            Self::Message { .. } => Kind::Message,
            Self::Done { .. } => Kind::Done,
        }
    }

    /// The file it is about, as written.
    #[must_use]
    pub const fn path(&self) -> Option<&String> {
        match self {
            Self::CreateFile { path, .. }
            | Self::EditFile { path, .. }
            | Self::DeleteFile { path } => Some(path),
            Self::ReadFile(request) => Some(&request.path),
            _ => None,
        }
    }

    fn body(&self) -> Option<&str> {
        match self {
            Self::CreateFile { content, .. } => Some(content),
            Self::EditFile { replacement, .. } => Some(replacement),
            Self::RunCommand { command } => Some(command),
            Self::Message { text } => Some(text),
            Self::Done { summary } => Some(summary),
            Self::DeleteFile { .. } | Self::ReadFile(_) => None,
        }
    }
}

/// Writes commands as a message that parses to the same commands.
///
/// A body that holds a tag of its own command gets the first of `END`, `END2`, `END3` … that does not occur in it
/// as its `end=`.
#[must_use]
pub fn render(commands: &[Command]) -> String {
    let mut message = String::new();
    for command in commands {
        render_one(&mut message, command);
    }
    message
}

fn render_one(message: &mut String, command: &Command) {
    let name = command.kind().name();
    message.push('[');
    message.push_str(name);
    render_attributes(message, command);
    let Some(body) = command.body() else {
        message.push_str("]\n");
        return;
    };
    let token = needed_token(command.kind(), body);
    if let Some(token) = &token {
        attribute(message, "end", token);
    }
    message.push_str("]\n");
    message.push_str(body);
    if !body.is_empty() && (!body.ends_with('\n') || keeps_no_last_newline(command)) {
        message.push('\n');
    }
    let token = token.map_or_else(String::new, |token| format!(" {token}"));
    message.push_str(&format!("[/{name}{token}]\n"));
}

/// Commands and texts are kept without the newline before the closing tag, files with it.
const fn keeps_no_last_newline(command: &Command) -> bool {
    !matches!(
        command,
        Command::CreateFile { .. } | Command::EditFile { .. }
    )
}

fn render_attributes(message: &mut String, command: &Command) {
    if let Some(path) = command.path() {
        attribute(message, "path", path);
    }
    match command {
        Command::CreateFile { content, .. } if !content.is_empty() && !content.ends_with('\n') => {
            attribute(message, "final_newline", "no");
        }
        Command::EditFile {
            lines, expect, sha, ..
        } => {
            attribute(message, "start_line", &format!("{}", lines.first));
            attribute(message, "end_line", &format!("{}", lines.last));
            optional(message, "expect", expect.as_deref());
            optional(message, "sha", sha.as_deref());
        }
        Command::ReadFile(request) => {
            optional(message, "numbered", request.numbered.then_some("yes"));
            let number = |line: u32| format!("{line}");
            optional(message, "start_line", request.first.map(number).as_deref());
            optional(message, "end_line", request.last.map(number).as_deref());
        }
        _ => {}
    }
}

fn optional(message: &mut String, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        attribute(message, key, value);
    }
}

/// A value that came out of a tag fits at least one pair of quotes: the one it came in.
fn attribute(message: &mut String, key: &str, value: &str) {
    let (open, close) = tags::QUOTES
        .into_iter()
        .find(|(_, close)| !value.contains(*close))
        .unwrap_or(('"', '"'));
    message.push_str(&format!(" {key}={open}{value}{close}"));
}

/// The `end=` that a body needs, if it does.
fn needed_token(kind: Kind, body: &str) -> Option<String> {
    if !body.lines().any(|line| tags::names_kind(line, kind)) {
        return None;
    }
    (1..)
        .map(|number: u32| {
            if number == 1 {
                String::from("END")
            } else {
                format!("END{number}")
            }
        })
        .find(|token| !body.contains(token.as_str()))
}
