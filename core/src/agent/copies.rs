//! What a person pastes beside the reply: the outbox itself, and the thoughts of the LLM.

use memchr::memmem;

use super::tags;

/// The first line of an outbox.
pub(super) const HEADER: &str = "=== HEADER ===";
/// The line before the instructions, whose examples are no commands.
pub(super) const PROTOCOL: &str = "=== PROTOCOL ===";
/// The line before the workspace.
pub(super) const CONTEXT: &str = "=== CONTEXT ===";
/// The line before the task.
pub(super) const PROMPT: &str = "=== PROMPT ===";
/// How the last line of an outbox begins, and of a part of one.
pub(super) const END: &str = "(end of ";
/// How the first line of a part of an outbox begins.
pub(super) const PART: &str = "(part ";

/// Whether a line is the first of a part of an outbox.
pub(super) fn begins_part(line: &str) -> bool {
    line.starts_with(PART)
        && line.ends_with(')')
        && line.contains(" of message ")
        && line.contains(" of session ")
}

/// Where the last copy of an outbox ends. Its last line may be missing: then its prompt is taken for a reply, and
/// a person decides.
pub(super) fn end_of_last(message: &str, from: usize) -> usize {
    last_line(message, from, END, ends_copy)
        .or_else(|| last_line(message, from, PROMPT, |line| line == PROMPT))
        .unwrap_or(message.len())
}

fn ends_copy(line: &str) -> bool {
    (line.starts_with("(end of message ") || line.starts_with("(end of part "))
        && line.contains(" of session ")
        && line.ends_with(')')
}

/// The end of the last line that begins with `needle` and is what is looked for.
fn last_line(message: &str, from: usize, needle: &str, is_it: fn(&str) -> bool) -> Option<usize> {
    let finder = memmem::FinderRev::new(needle.as_bytes());
    let mut before = message.len();
    while let Some(at) = finder
        .rfind(&message.as_bytes()[from..before])
        .map(|at| from + at)
    {
        let end = memchr::memchr(b'\n', &message.as_bytes()[at..])
            .map_or(message.len(), |length| at + length + 1);
        let start = message[..at].rfind('\n').map_or(0, |newline| newline + 1);
        if is_it(tags::trim(&message[start..end])) {
            return Some(end);
        }
        before = at;
    }
    None
}

/// What a line does to the thoughts of the LLM.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Thought {
    Begins,
    Ends,
    /// Begins and ends on the line.
    Whole,
}

/// A line outside of blocks that begins or ends a thought. A tag in backquotes is only mentioned.
pub(super) fn thought(line: &str) -> Option<Thought> {
    let begin = BEGIN_THOUGHT
        .iter()
        .filter_map(|tag| unquoted(line, tag))
        .max();
    let end = END_THOUGHT
        .iter()
        .filter_map(|tag| unquoted(line, tag))
        .max();
    match (begin, end) {
        (None, None) => None,
        (Some(_), None) => Some(Thought::Begins),
        (Some(begin), Some(end)) if begin > end => Some(Thought::Begins),
        (Some(_), Some(_)) => Some(Thought::Whole),
        (None, Some(_)) => Some(Thought::Ends),
    }
}

/// Whether a line inside of a thought is its last.
pub(super) fn ends_thought(line: &str) -> bool {
    END_THOUGHT.iter().any(|tag| unquoted(line, tag).is_some())
}

fn unquoted(line: &str, tag: &str) -> Option<usize> {
    line.match_indices(tag)
        .map(|(at, _)| at)
        .filter(|&at| !line[..at].ends_with('`'))
        .last()
}

const BEGIN_THOUGHT: [&str; 2] = ["<think>", "<thinking>"];
const END_THOUGHT: [&str; 2] = ["</think>", "</thinking>"];
