//! What stands around a tag on its line: the debris of pasting, and the marks of Markdown.

use super::tags::{self, Spelling};
use crate::agent::command::Kind;

/// A line without blanks, line ends and the invisible debris of pasting at its ends.
pub(super) fn trim(line: &str) -> &str {
    if let [first, .., last] = line.as_bytes()
        && first.is_ascii_graphic()
        && last.is_ascii_graphic()
    {
        return line;
    }
    line.trim_matches(is_debris)
}

/// The same at the end alone.
pub(super) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(|c| c != '\n' && is_debris(c))
}

fn is_debris(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}')
}

/// A line without the tokens that end a bare completion: `<|im_end|>`, `<|return|>`, `</s>`.
pub(super) fn without_end_tokens(mut line: &str) -> &str {
    while line.ends_with('>') {
        let token = match line.ends_with("|>") {
            true => line.rfind("<|"),
            false => line.strip_suffix("</s>").map(str::len),
        };
        let Some(start) = token else { break };
        line = trim_end(&line[..start]);
    }
    line
}

/// A tag that Markdown put a mark before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marked<'a> {
    /// The line without its marks.
    pub(super) tag: &'a str,
    /// It is an item of a list, whose following lines may be indented.
    pub(super) in_list: bool,
}

/// Takes away a list mark, the `#` of a heading and emphasis, which an LLM puts around a tag to show it off: the tag can
/// still mean one thing only. Quote marks and backquotes are no such marks: what they enclose is quoted.
pub(super) fn unmark(line: &str) -> Option<Marked<'_>> {
    let item = after_list_mark(line);
    let rest = item.unwrap_or(line);
    let heading = rest.trim_start_matches('#');
    let rest = match heading.starts_with(' ') && rest.len() - heading.len() <= 6 {
        true => heading.trim_start(),
        false => rest,
    };
    let tag = rest.trim_start_matches(['*', '_']);
    let emphasis = &rest[..rest.len() - tag.len()];
    let tag = match emphasis {
        "" => tag,
        _ => trim(tag.trim_end_matches(['*', '_'])),
    };
    (tag.len() < line.len() && tag.starts_with('[')).then_some(Marked {
        tag,
        in_list: item.is_some(),
    })
}

/// What follows `- `, `* `, `+ `, `• `, `1. ` or `1) `.
fn after_list_mark(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match line.len() - number.len() {
        0 => line.strip_prefix(['-', '*', '+', '•'])?,
        1..=3 => number.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let item = rest.trim_start_matches(is_debris);
    (item.len() < rest.len()).then_some(item)
}

/// A tag with something before it on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decorated {
    pub(super) kind: Kind,
    pub(super) closing: bool,
    /// There are only marks around it.
    pub(super) alone: bool,
    /// It says what it is about: nobody only mentions it.
    pub(super) has_attributes: bool,
}

/// Finds a tag in the protocol's spelling behind list marks, quote marks, emphasis and the like.
pub(super) fn read_decorated(line: &str) -> Option<Decorated> {
    let inner = line
        .trim_start_matches(is_mark)
        .strip_prefix('[')?
        .trim_start_matches(tags::is_blank);
    let (closing, inner) = inner
        .strip_prefix('/')
        .map_or((false, inner), |inner| (true, inner));
    let (name, after) = tags::split_name(inner)?;
    let name = tags::Name::new(name.trim_end_matches('\\'));
    let kind = name.kind.filter(|_| name.spelling != Spelling::OtherCase)?;
    let behind = after.rsplit_once(']').map(|(_, after)| after);
    Some(Decorated {
        kind,
        closing,
        alone: behind.is_some_and(|behind| behind.chars().all(is_mark)),
        has_attributes: after.contains('='),
    })
}

/// How a closing tag stands on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    Plain,
    Decorated,
}

/// Whether a line closes this command, with or without marks.
pub(super) fn closing_of(line: &str, kind: Kind) -> Option<Marks> {
    if tags::is_own_closing(line, kind) {
        return Some(Marks::Plain);
    }
    let decorated = read_decorated(line)?;
    (decorated.closing && decorated.alone && decorated.kind == kind).then_some(Marks::Decorated)
}

/// What Markdown, quoting and lists put around a tag.
pub(super) fn is_mark(c: char) -> bool {
    is_debris(c) || c.is_ascii_digit() || "-*+>#`_\\.):~|\"'•".contains(c)
}
