//! What a file command makes of a file.

use alloc::{format, string::String, vec::Vec};

use super::{
    edit::{self, EditError},
    path::WorkspacePath,
};
use crate::agent::{
    command::{Command, LineRange},
    sha::sha,
};

/// What a file command makes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The whole new file. `None`: there is none any more.
    pub after: Option<Vec<u8>>,
    /// What the result says, in one line.
    pub summary: String,
    /// The lines around an edit with their new numbers: what later edits have to count with.
    pub context: Option<String>,
    /// What the LLM should know besides.
    pub notes: Vec<String>,
}

/// What a file command makes of the file at `path`, which is `before` (`None`: there is none). Nothing is touched.
///
/// # Errors
/// Why the command changes nothing, for the LLM.
pub fn plan(
    command: &Command,
    path: &WorkspacePath,
    before: Option<&[u8]>,
) -> Result<Change, String> {
    match command {
        Command::CreateFile { content, .. } => Ok(create(path, before, content)),
        Command::EditFile { .. } => {
            let before = before.ok_or_else(|| format!("File '{path}' not found"))?;
            replace(command, path, before)
        }
        _ => Ok(Change {
            after: None,
            summary: format!("Deleted '{path}'"),
            context: None,
            notes: Vec::new(),
        }),
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

fn replace(command: &Command, path: &WorkspacePath, before: &[u8]) -> Result<Change, String> {
    let Command::EditFile {
        lines,
        replacement,
        expect,
        sha: wanted,
        ..
    } = command
    else {
        return Err(format!("'{path}' is not edited"));
    };
    let is_other = |wanted: &String| !sha(before).starts_with(&wanted.to_ascii_lowercase());
    if wanted.as_ref().is_some_and(is_other) {
        return Err(format!(
            "'{path}' is another one than the sha says; read it again before editing"
        ));
    }
    let LineRange { first, last } = *lines;
    let after = edit::apply(before, *lines, replacement, expect.as_deref());
    let after = after.map_err(|error| match error {
        EditError::InvalidRange { lines } => {
            format!("Invalid line range {first}-{last} for '{path}' ({lines} lines)")
        }
        error => format!("'{path}': {error}"),
    })?;
    let context = context(*lines, replacement, &after);
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

    fn edit_of(first: u32, last: u32, sha: Option<&str>) -> Command {
        Command::EditFile {
            path: "src/a.rs".into(),
            lines: LineRange { first, last },
            replacement: "x\n".into(),
            expect: None,
            sha: sha.map(Into::into),
        }
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
        assert!(why.unwrap_err().contains("another one than the sha says"));
    }

    #[test]
    fn an_overwritten_file_tells_how_many_lines_it_had() {
        let command = Command::CreateFile {
            path: "src/a.rs".into(),
            content: "x\n".into(),
        };
        let change = plan(&command, &path(), Some(b"a\nb\n")).unwrap();
        assert_eq!(change.summary, "Overwrote 'src/a.rs' (2 -> 1 lines)");
    }
}
