//! Writes commands back as text.

use alloc::{format, string::String};

use super::{build::is_numbered, prose::omitted, prose::plain, tags};
use crate::agent::command::{Command, Kind};

/// Writes commands as a message that parses back to the same commands, read as strictly as they were.
///
/// A body that contains a tag of its own command gets an `end=`: the first of `END`, `END2`, `END3` … that does not
/// occur in it as a word.
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
    let body = &*body;
    let token = needed_token(command.kind(), body);
    if let Some(token) = &token {
        attribute(message, "end", token);
    }
    message.push_str("]\n");
    message.push_str(body);
    if !body.is_empty() && (!body.ends_with('\n') || !keeps_last_newline(command)) {
        message.push('\n');
    }
    let token = token.map_or_else(String::new, |token| format!(" {token}"));
    message.push_str(&format!("[/{name}{token}]\n"));
}

/// Returns true for files, which keep the newline before the closing tag; commands and texts do not.
const fn keeps_last_newline(command: &Command) -> bool {
    matches!(
        command,
        Command::CreateFile { .. }
            | Command::AppendFile { .. }
            | Command::EditFile { .. }
            | Command::ReplaceText { .. }
    )
}

fn render_attributes(message: &mut String, command: &Command) {
    if let Some(path) = command.path() {
        attribute(message, "path", path);
    }
    if is_file_with_numbers(command) {
        attribute(message, "numbered", "no");
    }
    if is_file_with_gaps(command) {
        attribute(message, "complete", "yes");
    }
    if plain::needs_exact(command) {
        attribute(message, "exact", "yes");
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
        Command::ReplaceText { sha, .. } => optional(message, "sha", sha.as_deref()),
        Command::ReadFile(request) => {
            optional(message, "numbered", request.numbered.then_some("yes"));
            let number = |line: u32| format!("{line}");
            optional(message, "start_line", request.first.map(number).as_deref());
            optional(message, "end_line", request.last.map(number).as_deref());
        }
        Command::CreateFile { .. }
        | Command::AppendFile { .. }
        | Command::DeleteFile { .. }
        | Command::RunCommand { .. }
        | Command::Message { .. }
        | Command::Done { .. } => {}
    }
}

/// Returns true if the text of a file would be mistaken for text with line numbers.
fn is_file_with_numbers(command: &Command) -> bool {
    keeps_last_newline(command) && command.body().is_some_and(|body| is_numbered(&body))
}

/// Returns true if the text of a file would be mistaken for text with omissions.
fn is_file_with_gaps(command: &Command) -> bool {
    let has_gap = |body: &str| omitted::first_line(body).is_some();
    keeps_last_newline(command) && command.body().is_some_and(|body| has_gap(&body))
}

fn optional(message: &mut String, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        attribute(message, key, value);
    }
}

/// Writes an attribute. A value read from a tag fits at least one pair of quotes: its original ones.
fn attribute(message: &mut String, key: &str, value: &str) {
    let (open, close) = tags::QUOTES
        .into_iter()
        .find(|(_, close)| !value.contains(*close))
        .unwrap_or(('"', '"'));
    message.push_str(&format!(" {key}={open}{value}{close}"));
}

/// Returns the `end=` that a body needs, if any.
fn needed_token(kind: Kind, body: &str) -> Option<String> {
    if !body.lines().any(|line| tags::names_kind(line, kind)) {
        return None;
    }
    let is_outside = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    (1..)
        .map(|number: u32| {
            if number == 1 {
                String::from("END")
            } else {
                format!("END{number}")
            }
        })
        .find(|token| !body.split(is_outside).any(|word| word == token))
}
