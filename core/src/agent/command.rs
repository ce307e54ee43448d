//! The seven commands (CodingAgent protocol v1.0, "Command Syntax Reference"), and our attributes beyond them.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// Something that the LLM asks the agent to do. Bodies have `\n` line ends; every value is what the LLM meant,
/// with the spelling of its tag (quotes, case, `end=`) gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Command {
    /// Create or overwrite a file.
    CreateFile {
        /// The path as written, not judged yet: see [`crate::agent::path`].
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
    /// All of them, in the order of the CodingAgent protocol v1.0, "Command Syntax Reference".
    pub const ALL: [Self; 7] = [
        Self::CreateFile,
        Self::EditFile,
        Self::DeleteFile,
        Self::ReadFile,
        Self::RunCommand,
        Self::Message,
        Self::Done,
    ];

    /// How many there are, for what is kept of each in an array.
    pub(crate) const COUNT: usize = Self::ALL.len();

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
            Self::CreateFile => &["path", "end", "final_newline", "numbered"],
            Self::EditFile => &[
                "path",
                "start_line",
                "end_line",
                "end",
                "expect",
                "sha",
                "numbered",
            ],
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
            Self::RunCommand { .. } | Self::Message { .. } | Self::Done { .. } => None,
        }
    }

    /// What it says to the person, if it does nothing else.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Message { text } => Some(text),
            Self::Done { summary } => Some(summary),
            Self::CreateFile { .. }
            | Self::EditFile { .. }
            | Self::DeleteFile { .. }
            | Self::ReadFile(_)
            | Self::RunCommand { .. } => None,
        }
    }

    pub(super) const fn path_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::CreateFile { path, .. }
            | Self::EditFile { path, .. }
            | Self::DeleteFile { path } => Some(path),
            Self::ReadFile(request) => Some(&mut request.path),
            Self::RunCommand { .. } | Self::Message { .. } | Self::Done { .. } => None,
        }
    }

    /// What is between its tags, if it has a body.
    pub(super) fn body(&self) -> Option<&str> {
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
