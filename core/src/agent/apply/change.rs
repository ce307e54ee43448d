//! Plans the effect of a file command on a file.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{
    edit::{self, EditError},
    path::WorkspacePath,
};
use crate::agent::{
    command::{Command, Kind, LineRange, Replacement},
    settings::Eol,
    sha::{sha, short_sha},
};

/// A command that creates, edits or deletes a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCommand<'a> {
    /// Create or overwrite the file.
    Create {
        /// The whole file.
        content: Cow<'a, str>,
    },
    /// Append to the file.
    Append {
        /// The new lines.
        content: Cow<'a, str>,
    },
    /// Replace a range of the file's lines.
    Edit(Edit<'a>),
    /// Replace texts in the file.
    Replace {
        /// The texts.
        replacements: &'a [Replacement],
        /// First hexadecimal digits of the SHA-256 that the whole file must have.
        sha: Option<&'a str>,
    },
    /// Delete the file.
    Delete,
}

/// An edit of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit<'a> {
    /// Lines to replace.
    pub lines: LineRange,
    /// The new lines, each ended by `\n`. Empty: the range is deleted.
    pub replacement: &'a str,
    /// Expected first line of the range, ignoring blanks at its ends.
    pub expect: Option<&'a str>,
    /// First hexadecimal digits of the SHA-256 that the whole file must have.
    pub sha: Option<&'a str>,
}

impl<'a> FileCommand<'a> {
    /// Returns the change that a command makes to the file it names, or `None` if it changes no file.
    #[must_use]
    pub fn of(command: &'a Command) -> Option<Self> {
        match command {
            Command::CreateFile { content, .. } => Some(Self::Create {
                content: Cow::Borrowed(content),
            }),
            Command::AppendFile { content, .. } => Some(Self::Append {
                content: Cow::Borrowed(content),
            }),
            Command::EditFile {
                lines,
                replacement,
                expect,
                sha,
                ..
            } => Some(Self::Edit(Edit {
                lines: *lines,
                replacement,
                expect: expect.as_deref(),
                sha: sha.as_deref(),
            })),
            Command::ReplaceText {
                replacements, sha, ..
            } => Some(Self::Replace {
                replacements,
                sha: sha.as_deref(),
            }),
            Command::DeleteFile { .. } => Some(Self::Delete),
            Command::ReadFile(_)
            | Command::RunCommand { .. }
            | Command::Message { .. }
            | Command::Done { .. } => None,
        }
    }

    /// Kind of the command, one of eight.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Create { .. } => Kind::CreateFile,
            Self::Append { .. } => Kind::AppendFile,
            Self::Edit(_) | Self::Replace { .. } => Kind::EditFile,
            Self::Delete => Kind::DeleteFile,
        }
    }
}

/// Planned change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The whole new file; `None` if the file no longer exists.
    pub after: Option<Vec<u8>>,
    /// Summary for the result, in one line.
    pub summary: String,
    /// Lines around an edit with their new numbers, which later edits have to use.
    pub context: Option<String>,
    /// Further notes for the LLM.
    pub notes: Vec<String>,
}

/// Plans a file command for the file at `path` without touching anything. `before` is its current content; `None` if
/// the file does not exist.
///
/// # Errors
/// The reason why the command changes nothing, for the LLM.
pub fn plan(
    command: &FileCommand<'_>,
    path: &WorkspacePath,
    before: Option<&[u8]>,
) -> Result<Change, String> {
    let there = || before.ok_or_else(|| not_found(path));
    match command {
        FileCommand::Create { content } => Ok(create(path, before, content)),
        FileCommand::Append { content } => append(path, there()?, content),
        FileCommand::Edit(edit) => replace(edit, path, there()?),
        FileCommand::Replace { replacements, sha } => {
            replace_texts(replacements, *sha, path, there()?)
        }
        FileCommand::Delete => there().map(|_| delete(path)),
    }
}

/// Returns the message for a missing file, in the words of the CodingAgent protocol v1.0, "Previous
/// Command Results".
pub(super) fn not_found(path: &WorkspacePath) -> String {
    format!("File '{path}' not found")
}

fn delete(path: &WorkspacePath) -> Change {
    Change {
        after: None,
        summary: format!("Deleted '{path}'"),
        context: None,
        notes: Vec::new(),
    }
}

fn create(path: &WorkspacePath, before: Option<&[u8]>, content: &str) -> Change {
    let new = edit::count_lines(content.as_bytes());
    let summary = match before.map(edit::count_lines) {
        None => format!("Created '{path}'"),
        Some(old) => format!("Overwrote '{path}' ({old} -> {new} lines)"),
    };
    Change {
        after: Some(content.as_bytes().to_vec()),
        summary,
        context: None,
        notes: Vec::new(),
    }
}

/// Appends lines. A last line without a line end gets one, so that two lines never merge.
fn append(path: &WorkspacePath, before: &[u8], content: &str) -> Result<Change, String> {
    if edit::is_binary(before) {
        return Err(format!("'{path}': {}", EditError::Binary));
    }
    let eol = Eol::of(before);
    let mut after = before.to_vec();
    let is_ended = before.is_empty() || before.ends_with(eol.bytes());
    if !is_ended {
        after.extend_from_slice(eol.bytes());
    }
    after.extend_from_slice(eol.apply(content).as_bytes());
    let (old, new) = (edit::count_lines(before), edit::count_lines(&after));
    Ok(Change {
        after: Some(after),
        summary: format!("Added to '{path}' ({old} -> {new} lines)"),
        context: None,
        notes: Vec::new(),
    })
}

fn replace_texts(
    replacements: &[Replacement],
    wanted: Option<&str>,
    path: &WorkspacePath,
    before: &[u8],
) -> Result<Change, String> {
    refuse_other(wanted, path, before)?;
    let done = super::replace::apply(before, replacements);
    let (after, notes) = done.map_err(|why| format!("'{path}': {why}"))?;
    let texts = match replacements.len() {
        1 => "a text".into(),
        count => format!("{count} texts"),
    };
    Ok(Change {
        after: Some(after),
        summary: format!("Replaced {texts} of '{path}'"),
        context: None,
        notes,
    })
}

/// Refuses to edit a file that differs from the one the LLM has seen.
fn refuse_other(wanted: Option<&str>, path: &WorkspacePath, before: &[u8]) -> Result<(), String> {
    let is_other = |wanted: &str| !sha(before).starts_with(&wanted.to_ascii_lowercase());
    if wanted.is_some_and(is_other) {
        let now = short_sha(before);
        return Err(format!(
            "'{path}' has changed: its sha is now {now}, not the given one; read it again before editing"
        ));
    }
    Ok(())
}

fn replace(edit: &Edit<'_>, path: &WorkspacePath, before: &[u8]) -> Result<Change, String> {
    refuse_other(edit.sha, path, before)?;
    let LineRange { first, last } = edit.lines;
    let after = edit::apply(before, edit.lines, edit.replacement, edit.expect);
    let after = after.map_err(|error| match error {
        EditError::InvalidRange { lines } => {
            format!("Invalid line range {first}-{last} for '{path}' ({lines} lines)")
        }
        EditError::Binary | EditError::Unexpected { .. } => format!("'{path}': {error}"),
    })?;
    let context = context(edit.lines, edit.replacement, &after);
    Ok(Change {
        after: Some(after),
        summary: format!("Replaced lines {first}-{last} of '{path}'"),
        context,
        notes: Vec::new(),
    })
}

fn context(lines: LineRange, replacement: &str, after: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(after);
    let first = (lines.first as usize).saturating_sub(AROUND).max(1);
    let new = replacement.lines().count().min(EDIT_SHOWN);
    let count = new + (lines.first as usize - first) + AROUND;
    let numbered = text.lines().enumerate().skip(first - 1).take(count);
    let numbered: Vec<String> = numbered
        .map(|(at, line)| format!("{:>5}| {line}", at + 1))
        .collect();
    (!numbered.is_empty()).then(|| format!("now\n{}", numbered.join("\n")))
}

const AROUND: usize = 3;
const EDIT_SHOWN: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::path::{Names, judge};

    fn path() -> WorkspacePath {
        judge("src/a.rs", Names::Unix).unwrap().0
    }

    fn edit_of(first: u32, last: u32, sha: Option<&str>) -> FileCommand<'_> {
        FileCommand::Edit(Edit {
            lines: LineRange { first, last },
            replacement: "x\n",
            expect: None,
            sha,
        })
    }

    #[test]
    fn an_edit_says_which_lines_it_made_and_one_outside_names_the_length() {
        let change = plan(&edit_of(2, 3, None), &path(), Some(b"a\nb\nc\nd\n")).unwrap();
        assert_eq!(change.after.as_deref(), Some(&b"a\nx\nd\n"[..]));
        assert_eq!(change.context.unwrap(), "now\n    1| a\n    2| x\n    3| d");
        let why = plan(&edit_of(38, 45, None), &path(), Some(b"a\n")).unwrap_err();
        assert_eq!(why, "Invalid line range 38-45 for 'src/a.rs' (1 lines)");
    }

    #[test]
    fn an_edit_of_another_file_than_the_sha_says_changes_nothing() {
        let good = sha(b"a\n").to_ascii_uppercase();
        assert!(plan(&edit_of(1, 1, Some(&good[..8])), &path(), Some(b"a\n")).is_ok());
        let why = plan(&edit_of(1, 1, Some("00000000")), &path(), Some(b"a\n"));
        assert_eq!(
            why.unwrap_err(),
            format!(
                "'src/a.rs' has changed: its sha is now {}, not the given one; read it again before editing",
                &sha(b"a\n")[..8]
            )
        );
    }

    #[test]
    fn an_overwritten_file_tells_how_many_lines_it_had() {
        let command = FileCommand::Create {
            content: "x\n".into(),
        };
        let change = plan(&command, &path(), Some(b"a\nb\n")).unwrap();
        assert_eq!(change.summary, "Overwrote 'src/a.rs' (2 -> 1 lines)");
    }
}
