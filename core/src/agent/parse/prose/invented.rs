//! Accepts tag forms that models invent, where they are unambiguous.

use alloc::vec::Vec;

use crate::agent::command::Kind;
use crate::agent::parse::{
    fault::Reason,
    note::Note,
    tags::{self, Opening},
};

/// Renames the attributes of a tag to their proper names: `file="…"`, `lines="3-5"` and `[READ_FILE src/a.rs]`.
pub(in crate::agent::parse) fn rename<'a>(opening: &mut Opening<'a>, line: &'a str) {
    let Some(kind) = opening.name.kind.filter(|kind| has_path(*kind)) else {
        return;
    };
    if let Some(path) = bare_path(opening, line) {
        opening.fault = None;
        opening.rest = "";
        opening.attributes = Vec::from([("path", path)]);
        opening.notes.push(Note::OtherName { key: "path" });
        return;
    }
    if opening.attribute("path").is_none()
        && let Some((key, _)) = find(opening, &PATH_NAMES)
    {
        *key = "path";
        opening.notes.push(Note::OtherName { key: "path" });
    }
    if matches!(kind, Kind::EditFile | Kind::ReadFile) {
        part_lines(opening);
    }
}

fn has_path(kind: Kind) -> bool {
    kind.attributes().contains(&"path")
}

fn find<'b, 'a>(
    opening: &'b mut Opening<'a>,
    names: &[&str],
) -> Option<&'b mut (&'a str, &'a str)> {
    opening
        .attributes
        .iter_mut()
        .find(|(key, _)| names.iter().any(|name| key.eq_ignore_ascii_case(name)))
}

/// Splits `lines="3-5"` and `lines="3"`.
fn part_lines(opening: &mut Opening<'_>) {
    if opening.attribute("start_line").is_some() {
        return;
    }
    let Some(lines) = find(opening, &["lines", "line_range", "range"]) else {
        return;
    };
    let (first, last) = lines
        .1
        .split_once(['-', ':', '–'])
        .unwrap_or((lines.1, lines.1));
    *lines = ("start_line", first.trim());
    opening.attributes.push(("end_line", last.trim()));
    opening.notes.push(Note::OtherName {
        key: "start_line' and 'end_line",
    });
}

/// Returns the path in `[READ_FILE src/a.rs]` and `[READ_FILE: src/a.rs]`.
fn bare_path<'a>(opening: &Opening<'_>, line: &'a str) -> Option<&'a str> {
    if !matches!(opening.fault, Some(Reason::UnreadableTag { .. }))
        || !opening.attributes.is_empty()
    {
        return None;
    }
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (_, rest) = tags::split_name(inner)?;
    let path = rest.trim_start_matches([':', ' ']).trim_end();
    let quoted = |mark| path.strip_prefix(mark)?.strip_suffix(mark);
    let path = quoted('"').or_else(|| quoted('\'')).unwrap_or(path);
    let is_path = path.contains(['/', '.']) && !path.contains(['=', '"', '[', ']', ' ', '<', '…']);
    is_path.then_some(path)
}

/// Returns the body of a command that stands in its tag: `[RUN_COMMAND command="…"]`.
pub(in crate::agent::parse) fn body_in_tag<'a>(
    kind: Kind,
    opening: &Opening<'a>,
) -> Option<(&'static str, &'a str)> {
    let names: &[&str] = match kind {
        Kind::RunCommand => &["command", "cmd", "script"],
        Kind::Message => &["text", "message"],
        Kind::Done => &["summary", "message"],
        Kind::CreateFile
        | Kind::AppendFile
        | Kind::EditFile
        | Kind::DeleteFile
        | Kind::ReadFile => &[],
    };
    names
        .iter()
        .find_map(|name| opening.attribute(name).map(|text| (*name, text)))
}

/// Returns the files in `path="a.rs, b.rs"`; empty for a single path.
pub(in crate::agent::parse) fn list(path: &str) -> Vec<&str> {
    let parts: Vec<&str> = path.split(',').map(str::trim).collect();
    match parts.len() > 1 && parts.iter().all(|part| part.contains(['.', '/'])) {
        true => parts,
        false => Vec::new(),
    }
}

/// Returns true for a path with the marks of a pattern.
pub(in crate::agent::parse) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// Returns true for an unknown command that has no body in any program.
pub(in crate::agent::parse) fn has_no_body(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "LIST",
        "LS",
        "MOVE",
        "RENAME",
        "COPY",
        "MKDIR",
        "CREATE_DIR",
        "CREATE_FOLDER",
        "SEARCH_",
        "GREP",
        "FIND",
    ]
    .iter()
    .any(|beginning| name.starts_with(beginning))
}

/// Returns the way to achieve the effect of an unknown command.
pub(in crate::agent::parse) fn instead(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_uppercase();
    let begins = |all: &[&str]| all.iter().any(|beginning| name.starts_with(beginning));
    INSTEAD
        .iter()
        .find(|(names, _)| begins(names))
        .map(|(_, instead)| *instead)
}

const PATH_NAMES: [&str; 8] = [
    "file",
    "filename",
    "file_name",
    "file_path",
    "filepath",
    "paths",
    "files",
    "name",
];

const INSTEAD: [(&[&str], &str); 8] = [
    (
        &["LIST", "LS", "DIR", "TREE"],
        "the files are listed under Workspace Files in every message",
    ),
    (
        &["MOVE", "RENAME"],
        "to move a file write [RUN_COMMAND], mv 'old' 'new', and [/RUN_COMMAND]",
    ),
    (
        &["COPY"],
        "to copy a file write [RUN_COMMAND], cp 'old' 'new', and [/RUN_COMMAND]",
    ),
    (
        &["MKDIR", "CREATE_DIR", "CREATE_FOLDER"],
        "CREATE_FILE makes the folders of its file",
    ),
    (
        &[
            "SEARCH_REPLACE",
            "REPLACE",
            "UPDATE",
            "MODIFY",
            "PATCH",
            "INSERT",
            "STR_REPLACE",
        ],
        "to change a file write [EDIT_FILE path=\"…\"] with SEARCH and REPLACE",
    ),
    (
        &["WRITE", "SAVE", "OVERWRITE", "NEW_FILE", "ADD_FILE"],
        "to write a file write [CREATE_FILE path=\"…\"]",
    ),
    (
        &["SEARCH", "GREP", "FIND"],
        "to search write [RUN_COMMAND], grep -rn 'text' ., and [/RUN_COMMAND]",
    ),
    (
        &["RUN", "EXEC", "SHELL", "BASH", "TERMINAL", "COMMAND"],
        "to run a command write [RUN_COMMAND], the command, and [/RUN_COMMAND]",
    ),
];
