//! Detects forms in which other programs accept files and commands. Their meaning is never guessed: the LLM is told the
//! correct form, and text inside such a form is content.

use memchr::memmem;

use crate::agent::command::Kind;
use crate::agent::parse::{
    fault::Form,
    prose::marks,
    tags,
    text::{Cursor, Line},
};

/// Returns the foreign form that begins on a line outside of a command, if any.
pub(in crate::agent::parse) fn begins(line: &str, next: &Cursor<'_>) -> Option<Form> {
    match line.as_bytes().first()? {
        b'<' if line.starts_with("<<<<<") => search_replace(line),
        b'<' => xml(line),
        b'`' => line.starts_with("```diff").then_some(Form::Diff),
        b'd' => line.starts_with("diff --git ").then_some(Form::Diff),
        b'*' => (line == "*** Begin Patch").then_some(Form::Diff),
        b'@' => is_hunk(line).then_some(Form::Diff),
        b'-' => {
            let names_old = line.starts_with("--- ");
            (names_old
                && next
                    .clone()
                    .next()
                    .is_some_and(|next| next.text.starts_with("+++ ")))
            .then_some(Form::Diff)
        }
        _ => None,
    }
}

fn search_replace(line: &str) -> Option<Form> {
    let label = line.trim_start_matches('<');
    let is_label = label.is_empty() || label.starts_with([' ', 'S']);
    is_label.then_some(Form::SearchReplace)
}

/// Returns true for `@@ -1,2 +1,3 @@`; LLMs omit the numbers.
fn is_hunk(line: &str) -> bool {
    line.strip_prefix("@@ ")
        .is_some_and(|rest| rest.starts_with('-') || rest.contains(" @@") || rest == "@@")
}

fn xml(line: &str) -> Option<Form> {
    let name = name(line)?;
    if let Some(kind) = own(name) {
        return Some(Form::XmlTag(kind));
    }
    let is_tool = TOOLS.iter().any(|tool| tool.eq_ignore_ascii_case(name));
    is_tool.then_some(Form::ToolCall)
}

/// Returns the name in `<name …>`.
fn name(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('<')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-:|▁｜".contains(c);
    let length = inner.find(|c| !is_name(c)).unwrap_or(inner.len());
    let ends = inner[length..].starts_with(['>', ' ', '\t', '/']);
    (length > 0 && ends).then(|| &inner[..length])
}

/// Returns the command that an XML tag names, in any spelling.
fn own(name: &str) -> Option<Kind> {
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    Kind::ALL
        .into_iter()
        .find(|kind| plain(name) == plain(kind.name()))
}

/// Skips the form that begins on a line. Returns the number of commands inside it.
pub(in crate::agent::parse) fn skip(
    cursor: &mut Cursor<'_>,
    line: Line<'_>,
    form: Form,
    in_fence: bool,
) -> usize {
    match form {
        Form::SearchReplace => skip_to(cursor, |line| line.starts_with(">>>>>")),
        Form::Diff if line.text == "*** Begin Patch" => {
            skip_to(cursor, |line| line == "*** End Patch")
        }
        Form::Diff if line.text.starts_with('`') => skip_fence(cursor),
        Form::Diff if in_fence => skip_fenced_diff(cursor),
        Form::Diff => skip_diff(cursor),
        Form::XmlTag(_) | Form::ToolCall => skip_element(cursor, line.text),
        Form::CodeBlock => 0,
    }
}

/// Skips to the end, or else the rest of the message.
fn skip_to(cursor: &mut Cursor<'_>, is_end: impl Fn(&str) -> bool) -> usize {
    let mut commands = 0;
    while let Some(line) = cursor.next() {
        if is_end(line.text) {
            break;
        }
        commands += usize::from(is_command(line.text));
    }
    commands
}

/// Skips to the next fence.
fn skip_fence(cursor: &mut Cursor<'_>) -> usize {
    let mut commands = 0;
    loop {
        let before = cursor.clone();
        match cursor.next() {
            Some(line) if !is_fence(line.text) => commands += usize::from(is_command(line.text)),
            _ => {
                *cursor = before;
                return commands;
            }
        }
    }
}

/// Skips a diff in a fence. If anything but the fence follows it, the extent of the content is ambiguous, and the whole
/// rest counts as content.
fn skip_fenced_diff(cursor: &mut Cursor<'_>) -> usize {
    let commands = skip_diff(cursor);
    match cursor.clone().next() {
        Some(line) if !is_fence(line.text) => commands + skip_to(cursor, |_| false),
        _ => commands,
    }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Skips all lines that a diff may contain. An empty line belongs to it if the diff continues afterwards.
fn skip_diff(cursor: &mut Cursor<'_>) -> usize {
    let mut commands = 0;
    let mut end = cursor.clone();
    let mut waiting = 0;
    while let Some(line) = cursor.next() {
        let whole = &cursor.message[line.start..cursor.at];
        if line.text.is_empty() {
            continue;
        }
        let goes_on = whole.starts_with([' ', '+', '-', '\\', '@'])
            || DIFF_LINES.iter().any(|start| whole.starts_with(start));
        if !goes_on {
            break;
        }
        waiting += usize::from(is_command(line.text));
        commands = waiting;
        end = cursor.clone();
    }
    *cursor = end;
    commands
}

/// Skips to the closing tag. Without one, a tag that may have a body extends to the end of the message; other tags
/// stand alone.
fn skip_element(cursor: &mut Cursor<'_>, line: &str) -> usize {
    let Some(name) = name(line) else { return 0 };
    let own = own(name);
    let is_alone = line.ends_with("/>") || own.is_some_and(|kind| !kind.has_body());
    if closes(line, name) || is_alone {
        return 0;
    }
    skip_to(cursor, |line| closes(line, name))
}

/// Returns true if a line contains `</name>`.
fn closes(line: &str, name: &str) -> bool {
    memmem::find_iter(line.as_bytes(), b"</").any(|at| {
        let rest = &line.as_bytes()[at + 2..];
        rest.get(..name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
            && rest.get(name.len()) == Some(&b'>')
    })
}

fn is_command(line: &str) -> bool {
    tags::opening_name(line).is_some_and(|name| name.spelling == tags::Spelling::Exact)
        || marks::read_decorated(line).is_some_and(|tag| !tag.closing && tag.alone)
}

/// Tags of other programs: Cline, Roo Code, Claude, Qwen, Hermes, bolt.new, dyad and similar ones.
const TOOLS: [&str; 32] = [
    "tool_call",
    "tool_calls",
    "tool_use",
    "tool_code",
    "function_call",
    "function_calls",
    "invoke",
    "antml:invoke",
    "antml:function_calls",
    "|tool_call|",
    "|tool_call_begin|",
    "｜tool▁calls▁begin｜",
    "write_to_file",
    "write_file",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "insert_content",
    "search_and_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "execute_command",
    "run_terminal_cmd",
    "run_terminal_command",
    "shell_command",
    "list_files",
    "search_files",
    "attempt_completion",
    "boltAction",
    "boltArtifact",
    "dyad-write",
    "dyad-delete",
];

const DIFF_LINES: [&str; 9] = [
    "diff --git ",
    "index ",
    "new file ",
    "deleted file ",
    "similarity ",
    "rename ",
    "old mode ",
    "new mode ",
    "Binary files ",
];
