//! Skips the drafts that an LLM writes before its answer: commands inside them are not commands.
//!
//! ```text
//!   <think> … </think>   ◁think▷ … ◁/think▷   <|channel|>analysis<|message|> … <|channel|>final<|message|>
//! ```
//!
//! A mark at the beginning of a line opens a draft. In the middle of a line, or in backquotes, it is only mentioned.

use memchr::memmem;

/// The mark that closes an open draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent::parse) struct Draft(&'static str);

/// Returns false if a message cannot hold a draft.
pub(in crate::agent::parse) fn may_be_in(message: &str) -> bool {
    let message = message.as_bytes();
    // Most messages have neither `<` nor the first byte of `◁`, which one pass reveals.
    let first = memchr::memchr2(b'<', TRIANGLE.as_bytes()[0], message);
    let holds_mark = first.is_some_and(|at| {
        let rest = &message[at..];
        memchr::memchr(b'<', rest).is_some() || memmem::find(rest, TRIANGLE.as_bytes()).is_some()
    });
    holds_mark || memmem::find(message, b"[THINK]").is_some()
}

/// Returns the draft that a trimmed line opens, and the text after its mark.
pub(in crate::agent::parse) fn opens(line: &str) -> Option<(Draft, &str)> {
    if line.starts_with("<|")
        && let Some(opened) = opens_channel(line)
    {
        return Some(opened);
    }
    MARKS.iter().find_map(|&(open, close)| {
        let rest = strip_prefix_ignoring_case(line, open)?;
        if open.ends_with(['>', '▷', ']']) {
            return Some((Draft(close), rest));
        }
        let (attributes, rest) = rest.split_once('>')?;
        let is_tag = attributes.is_empty() || attributes.starts_with([' ', '\t']);
        (is_tag && !attributes.ends_with('/')).then_some((Draft(close), rest))
    })
}

/// Returns the draft that a channel opens. In the harmony format of OpenAI's gpt-oss, every channel but `final` is a
/// draft (OpenAI harmony response format, "Channels").
fn opens_channel(line: &str) -> Option<(Draft, &str)> {
    let at = line.rfind(CHANNEL)?;
    let rest = &line[at + CHANNEL.len()..];
    (!rest.starts_with("final")).then_some((Draft(FINAL), rest))
}

/// Returns the text after the end of this draft, if the line ends it. A mark in backquotes is only mentioned.
pub(in crate::agent::parse) fn after_end(line: &str, draft: Draft) -> Option<&str> {
    let (_, end) = last_unquoted(line, draft.0)?;
    let rest = &line[end..];
    Some(match draft.0 {
        FINAL => rest.strip_prefix(MESSAGE).unwrap_or(rest),
        _ => rest,
    })
}

/// Returns the text after the end of a draft whose beginning is missing, because a chat page or copying cut it off. If
/// no draft was ever opened, the mark must begin or end its line; otherwise it is only mentioned.
pub(in crate::agent::parse) fn after_lone_end(line: &str, in_the_middle: bool) -> Option<&str> {
    let line = line.trim_end();
    if !in_the_middle && !line.starts_with(['<', '◁', '[']) && !line.ends_with(['>', '▷', ']'])
    {
        return None;
    }
    LONE_ENDS.iter().find_map(|&close| {
        let (start, end) = last_unquoted(line, close)?;
        let outer = start == 0 || end == line.len();
        (outer || in_the_middle || close == FINAL).then(|| {
            let rest = &line[end..];
            rest.strip_prefix(MESSAGE).unwrap_or(rest)
        })
    })
}

/// Finds the end of a draft that lost its marks on the way: the name of its channel begins the
/// message, and the next channel's is glued to its end.
pub(in crate::agent::parse) fn end_of_unmarked(message: &str) -> Option<usize> {
    let rest = message.trim_start().strip_prefix("analysis")?;
    let is_name = rest.starts_with(|c: char| c.is_uppercase() || c == '\n' || c == '\r');
    let glued = memmem::rfind(message.as_bytes(), GLUED_FINAL.as_bytes());
    glued.filter(|_| is_name).map(|at| at + GLUED_FINAL.len())
}

/// Finds the start and end of the last mark that does not follow a backquote.
fn last_unquoted(line: &str, mark: &str) -> Option<(usize, usize)> {
    let (bytes, length) = (line.as_bytes(), mark.len());
    let first = mark.as_bytes()[0];
    memchr::memrchr_iter(first, bytes).find_map(|at| {
        let is_mark = bytes
            .get(at..at + length)
            .is_some_and(|found| found.eq_ignore_ascii_case(mark.as_bytes()));
        (is_mark && !line[..at].ends_with('`')).then_some((at, at + length))
    })
}

fn strip_prefix_ignoring_case<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let start = line.get(..prefix.len())?;
    start
        .eq_ignore_ascii_case(prefix)
        .then(|| &line[prefix.len()..])
}

/// Marks that begin and end drafts. A tag listed without `>` may have attributes. The marks of some templates begin
/// with this character, as `◁think▷` does.
const TRIANGLE: &str = "◁";
const MARKS: [(&str, &str); 18] = [
    ("<think", "</think>"),
    ("<thinking", "</thinking>"),
    ("<thought", "</thought>"),
    ("<thoughts", "</thoughts>"),
    ("<scratchpad", "</scratchpad>"),
    ("<reasoning", "</reasoning>"),
    ("<reflection", "</reflection>"),
    ("<analysis", "</analysis>"),
    ("<draft", "</draft>"),
    ("<inner_monologue", "</inner_monologue>"),
    ("<antthinking", "</antthinking>"),
    ("<seed:think", "</seed:think>"),
    // Open WebUI copies a thought in this form.
    ("<details type=\"reasoning\"", "</details>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<thought_process", "</thought_process>"),
];

/// Ends that reveal an earlier draft even without its beginning.
const LONE_ENDS: [&str; 10] = [
    "</think>",
    "</thinking>",
    "</thought>",
    "</scratchpad>",
    "</reasoning>",
    "◁/think▷",
    "[/THINK]",
    "<|end_of_thought|>",
    "<|END_THINKING|>",
    FINAL,
];

const CHANNEL: &str = "<|channel|>";
const FINAL: &str = "<|channel|>final";
const MESSAGE: &str = "<|message|>";
const GLUED_FINAL: &str = "assistantfinal";
