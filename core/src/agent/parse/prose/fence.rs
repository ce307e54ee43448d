//! Markdown fences around a whole body, which LLMs often add.

use alloc::string::String;

use crate::agent::command::Kind;
use crate::agent::parse::{fault::Reason, note::Note, tags::Opening};

/// Removes the fence around a body where it cannot be meant, and returns a note about it.
///
/// A shell executes the output of a command in backquotes; no script begins with them. A file may: its fence stays,
/// unless the person requests otherwise.
pub(in crate::agent::parse) fn unfence<'a>(
    text: &'a str,
    opening: &Opening<'_>,
    kind: Kind,
    strip: bool,
) -> Result<(&'a str, Option<Note>), Reason> {
    match kind {
        Kind::RunCommand => script(text),
        Kind::CreateFile | Kind::AppendFile | Kind::EditFile => Ok(file(text, opening, strip)),
        Kind::DeleteFile | Kind::ReadFile | Kind::Message | Kind::Done => Ok((text, None)),
    }
}

fn script(text: &str) -> Result<(&str, Option<Note>), Reason> {
    let whole = text.trim();
    let removed = |inside| Ok((inside, Some(Note::FenceRemoved)));
    if let Some(inside) = inside(whole) {
        return removed(inside);
    }
    if let Some(inside) = whole
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        && !inside.contains('`')
    {
        return removed(inside);
    }
    match fence(whole) {
        Some(_) => Err(Reason::FencedPart),
        None => Ok((text, None)),
    }
}

/// Returns a script without a terminal's `$ ` before each of its lines. No command has that name.
pub(in crate::agent::parse) fn without_prompts(script: &str) -> Option<String> {
    let mut lines = script.lines().filter(|line| !line.trim().is_empty());
    let is_copied = lines.clone().next().is_some() && lines.all(|line| line.starts_with("$ "));
    let lines = script.split_inclusive('\n');
    let plain: String = lines.map(|line| line.trim_start_matches("$ ")).collect();
    (is_copied && !plain.trim().is_empty()).then_some(plain)
}

fn file<'a>(text: &'a str, opening: &Opening<'_>, strip: bool) -> (&'a str, Option<Note>) {
    if opening.attribute("path").is_some_and(is_markdown) {
        return (text, None);
    }
    match inside(text) {
        Some(inside) if strip => (inside, Some(Note::FenceRemoved)),
        Some(_) => (text, Some(Note::Fenced)),
        None => (text, None),
    }
}

/// Returns the lines between the first and the last one, if these are a fence that nothing between them ends.
fn inside(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    let fence = fence(first.trim())?;
    let rest = rest.strip_suffix('\n').unwrap_or(rest);
    let last = rest.rfind('\n').map_or(0, |at| at + 1);
    let ends = |line: &str| {
        let line = line.trim();
        line.starts_with(fence) && line.bytes().all(|byte| byte == fence.as_bytes()[0])
    };
    (ends(&rest[last..]) && !rest[..last].lines().any(ends)).then(|| &rest[..last])
}

/// Returns the backquotes or tildes at the beginning of a line, at least three (CommonMark 0.31.2, "Fenced code
/// blocks").
fn fence(line: &str) -> Option<&str> {
    let length = ['`', '~'].map(|mark| line.len() - line.trim_start_matches(mark).len());
    length
        .into_iter()
        .find(|&length| length >= 3)
        .map(|length| &line[..length])
}

fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["md", "markdown", "mdx", "rst", "adoc"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}
