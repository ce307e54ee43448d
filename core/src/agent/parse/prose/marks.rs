//! Marks around a tag on its line: those of Markdown, lists and quoting.

use crate::agent::command::Kind;
use crate::agent::parse::{
    prose::debris::{is_debris, trim},
    tags::{self, Spelling},
};

/// A tag after a Markdown mark.
#[derive(Debug, Clone, Copy)]
pub(in crate::agent::parse) struct Marked<'a> {
    /// The line without its marks.
    pub(in crate::agent::parse) tag: &'a str,
    /// True for a list item, whose following lines may be indented.
    pub(in crate::agent::parse) in_list: bool,
}

/// Removes a list mark, the `#` of a heading and emphasis, which LLMs add to make a tag stand out; the tag remains
/// unambiguous. Quote marks and backquotes are not removed: the text they enclose is quoted.
pub(in crate::agent::parse) fn unmark(line: &str) -> Option<Marked<'_>> {
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

/// Returns the text after `- `, `* `, `+ `, `• `, `1. ` or `1) `.
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

/// Returns the length of the list mark at the beginning of a line.
pub(in crate::agent::parse) fn list_mark(line: &str) -> Option<usize> {
    after_list_mark(line).map(|item| line.len() - item.len())
}

/// A tag with other text before it on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent::parse) struct Decorated {
    pub(in crate::agent::parse) kind: Kind,
    pub(in crate::agent::parse) closing: bool,
    /// True if the tag is surrounded by marks alone.
    pub(in crate::agent::parse) alone: bool,
    /// True if the tag has attributes, and so is more than a mention.
    pub(in crate::agent::parse) has_attributes: bool,
}

/// Finds a tag in the protocol's spelling after list marks, quote marks, emphasis and the like.
pub(in crate::agent::parse) fn read_decorated(line: &str) -> Option<Decorated> {
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

/// Position of a closing tag on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent::parse) enum Marks {
    Plain,
    Decorated,
}

/// Returns the marks of a line that closes this command, with or without them.
pub(in crate::agent::parse) fn closing_of(line: &str, kind: Kind) -> Option<Marks> {
    if tags::is_own_closing(line, kind) {
        return Some(Marks::Plain);
    }
    let decorated = read_decorated(line)?;
    (decorated.closing && decorated.alone && decorated.kind == kind).then_some(Marks::Decorated)
}

/// Returns the command that a line closes, with or without marks around the tag.
pub(in crate::agent::parse) fn any_closing(line: &str) -> Option<Kind> {
    if let Some(closing) = tags::read_closing(line) {
        return closing
            .name
            .kind
            .filter(|_| closing.name.spelling != Spelling::OtherCase);
    }
    read_decorated(line)
        .filter(|tag| tag.closing && tag.alone)
        .map(|tag| tag.kind)
}

/// Returns true for characters that Markdown, quoting and lists put around a tag.
pub(in crate::agent::parse) fn is_mark(c: char) -> bool {
    is_debris(c) || c.is_ascii_digit() || "-*+>#`_\\.):~|\"'•".contains(c)
}
