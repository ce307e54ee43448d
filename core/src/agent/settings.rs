//! Session settings beyond the CodingAgent protocol v1.0, which a person chooses.

use alloc::string::String;

use memchr::{memchr, memchr_iter, memchr2};
use serde::{Deserialize, Serialize};

/// Numbering that the lines of an edit refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Numbering {
    /// The file at that moment, after the preceding commands (CodingAgent protocol v1.0, "Parsing Rules", rule 6).
    Sequential,
    /// The file as shown to the LLM. Overlapping edits and edits of files that were never shown are errors.
    #[default]
    Snapshot,
}

impl Numbering {
    /// Returns the numbering of a session that does not specify one (CodingAgent protocol v1.0, "Session State").
    pub(super) const fn of_document() -> Self {
        Self::Sequential
    }

    /// Returns true for the numbering of a session that does not specify one.
    pub(super) fn is_of_document(&self) -> bool {
        *self == Self::of_document()
    }
}

/// Line ends of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Eol {
    /// `\n`
    #[default]
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`, in files that have no `\n` at all.
    Cr,
}

impl Eol {
    /// Returns the line end of most lines; `\n` at a tie.
    #[must_use]
    pub fn of(file: &[u8]) -> Self {
        let all = memchr_iter(b'\n', file).count();
        let with_return = memchr_iter(b'\n', file)
            .filter(|&at| at > 0 && file[at - 1] == b'\r')
            .count();
        match all {
            0 if memchr(b'\r', file).is_some() => Self::Cr,
            _ if with_return * 2 > all => Self::CrLf,
            _ => Self::Lf,
        }
    }

    /// Returns the line end of a file that has lines; otherwise `self`.
    #[must_use]
    pub fn of_file_or_self(self, file: &[u8]) -> Self {
        match memchr2(b'\n', b'\r', file) {
            None => self,
            Some(_) => Self::of(file),
        }
    }

    /// Returns the text with each `\n` replaced by this line end.
    #[must_use]
    pub fn apply(self, text: &str) -> String {
        match self {
            Self::Lf => text.into(),
            Self::CrLf => text.replace('\n', "\r\n"),
            Self::Cr => text.replace('\n', "\r"),
        }
    }

    /// Returns the line end as bytes.
    #[must_use]
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::Cr => b"\r",
        }
    }
}

/// Part of an overlong output to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Truncate {
    /// Beginning and end, where errors are, with a mark between them that gives the number of missing characters.
    #[default]
    Middle,
    /// First characters alone (CodingAgent protocol v1.0, "RUN_COMMAND").
    Head,
}

/// Interpreter for RUN_COMMAND.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Commands {
    /// The shell of a computer (CodingAgent protocol v1.0, "RUN_COMMAND").
    #[default]
    Shell,
    /// The Python of a board.
    Python,
}
