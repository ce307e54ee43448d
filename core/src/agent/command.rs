//! The eight commands (CodingAgent protocol v1.0, "Command Syntax Reference"), with additional attributes.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use serde::{Deserialize, Serialize};

/// Action that the LLM asks the agent to take. Bodies have `\n` line ends; every value is stored as the LLM meant it,
/// without the spelling of its tag (quotes, case, `end=`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Command {
    /// Create or overwrite a file.
    CreateFile {
        /// The path as written, not yet judged; see [`crate::agent::path`].
        path: String,
        /// The whole file, with its final newline if it has one.
        content: String,
    },
    /// Add to the end of a file.
    AppendFile {
        /// The path as written, not yet judged.
        path: String,
        /// The new lines, each ended by `\n`.
        content: String,
    },
    /// Replace a range of lines.
    EditFile {
        /// The path as written, not yet judged.
        path: String,
        /// Lines to replace.
        lines: LineRange,
        /// The new lines, each ended by `\n`. Empty: the range is deleted.
        replacement: String,
        /// Expected first line of the range, ignoring blanks at its ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expect: Option<String>,
        /// First eight hexadecimal digits of the SHA-256 that the whole file must have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sha: Option<String>,
    },
    /// Replace texts that each occur exactly once in the file.
    ReplaceText {
        /// The path as written, not yet judged.
        path: String,
        /// The texts, in their order.
        replacements: Vec<Replacement>,
        /// First eight hexadecimal digits of the SHA-256 that the whole file must have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sha: Option<String>,
    },
    /// Delete a file.
    DeleteFile {
        /// The path as written, not yet judged.
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
        /// Summary of the finished work, without its last newline.
        summary: String,
    },
}

/// A text of a file, and its replacement. Both are whole lines, each ended by `\n`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Text to find. Never empty.
    pub find: String,
    /// Replacement. If empty, the found text is deleted.
    pub replace: String,
}

/// A file, or part of one, that the LLM wants to see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadRequest {
    /// The path as written, not yet judged.
    pub path: String,
    /// Show the line numbers.
    #[serde(default)]
    pub numbered: bool,
    /// The first line to show, from 1; `None` for the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
    /// The last line to show; `None` for the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u32>,
}

impl Replacement {
    fn as_block(&self) -> String {
        let Self { find, replace } = self;
        format!("<<<<<<< SEARCH\n{find}=======\n{replace}>>>>>>> REPLACE\n")
    }
}

impl ReadRequest {
    /// Requests the whole file, unchanged.
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

/// Lines `first` to `last`, counted from 1, both included. The parser does not check that `first` is at most `last`:
/// the answer reports that, with the file's name and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line of the range.
    pub first: u32,
    /// The last line of the range.
    pub last: u32,
}

/// Kind of command, one of eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// `CREATE_FILE`
    CreateFile,
    /// `APPEND_FILE`
    AppendFile,
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
    /// All kinds, in the order of the CodingAgent protocol v1.0, "Command Syntax Reference".
    pub const ALL: [Self; 8] = [
        Self::CreateFile,
        Self::AppendFile,
        Self::EditFile,
        Self::DeleteFile,
        Self::ReadFile,
        Self::RunCommand,
        Self::Message,
        Self::Done,
    ];

    /// Number of kinds, for arrays with an element for each.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// Returns the name in the tag.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreateFile => "CREATE_FILE",
            Self::AppendFile => "APPEND_FILE",
            Self::EditFile => "EDIT_FILE",
            Self::DeleteFile => "DELETE_FILE",
            Self::ReadFile => "READ_FILE",
            Self::RunCommand => "RUN_COMMAND",
            Self::Message => "MESSAGE",
            Self::Done => "DONE",
        }
    }

    /// Returns true if a body and a closing tag follow the opening tag.
    #[must_use]
    pub const fn has_body(self) -> bool {
        !matches!(self, Self::DeleteFile | Self::ReadFile)
    }

    /// Returns the attributes that this command knows.
    pub(super) const fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::CreateFile => &[
                "path",
                "end",
                "final_newline",
                "numbered",
                "complete",
                "exact",
            ],
            Self::AppendFile => &["path", "end", "numbered", "complete", "exact"],
            Self::EditFile => &[
                "path",
                "start_line",
                "end_line",
                "end",
                "expect",
                "sha",
                "numbered",
                "complete",
                "exact",
            ],
            Self::DeleteFile => &["path", "exact"],
            Self::ReadFile => &["path", "numbered", "start_line", "end_line", "exact"],
            Self::RunCommand => &["end", "command", "cmd", "script", "exact"],
            Self::Message => &["end", "text", "message"],
            Self::Done => &["end", "summary", "message"],
        }
    }
}

impl Command {
    /// Kind of the command, one of eight.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::CreateFile { .. } => Kind::CreateFile,
            Self::AppendFile { .. } => Kind::AppendFile,
            Self::EditFile { .. } | Self::ReplaceText { .. } => Kind::EditFile,
            Self::DeleteFile { .. } => Kind::DeleteFile,
            Self::ReadFile(_) => Kind::ReadFile,
            Self::RunCommand { .. } => Kind::RunCommand,
            Self::Message { .. } => Kind::Message,
            Self::Done { .. } => Kind::Done,
        }
    }

    /// Returns the path of the command's file, as written.
    #[must_use]
    pub const fn path(&self) -> Option<&String> {
        match self {
            Self::CreateFile { path, .. }
            | Self::AppendFile { path, .. }
            | Self::EditFile { path, .. }
            | Self::ReplaceText { path, .. }
            | Self::DeleteFile { path } => Some(path),
            Self::ReadFile(request) => Some(&request.path),
            Self::RunCommand { .. } | Self::Message { .. } | Self::Done { .. } => None,
        }
    }

    /// Returns the message to the person, if the command consists of nothing else.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Message { text } => Some(text),
            Self::Done { summary } => Some(summary),
            Self::CreateFile { .. }
            | Self::AppendFile { .. }
            | Self::EditFile { .. }
            | Self::ReplaceText { .. }
            | Self::DeleteFile { .. }
            | Self::ReadFile(_)
            | Self::RunCommand { .. } => None,
        }
    }

    pub(super) const fn path_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::CreateFile { path, .. }
            | Self::AppendFile { path, .. }
            | Self::EditFile { path, .. }
            | Self::ReplaceText { path, .. }
            | Self::DeleteFile { path } => Some(path),
            Self::ReadFile(request) => Some(&mut request.path),
            Self::RunCommand { .. } | Self::Message { .. } | Self::Done { .. } => None,
        }
    }

    /// Returns the text between the command's tags, if it has a body.
    pub(super) fn body(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::CreateFile { content, .. } | Self::AppendFile { content, .. } => {
                Some(content.into())
            }
            Self::EditFile { replacement, .. } => Some(replacement.into()),
            Self::ReplaceText { replacements, .. } => {
                Some(replacements.iter().map(Replacement::as_block).collect())
            }
            Self::RunCommand { command } => Some(command.into()),
            Self::Message { text } => Some(text.into()),
            Self::Done { summary } => Some(summary.into()),
            Self::DeleteFile { .. } | Self::ReadFile(_) => None,
        }
    }
}
