//! Bodies: where they end, and which decorations are removed.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use memchr::memmem;

use super::{
    build::token,
    fault::Reason,
    prose::drafts,
    prose::marks,
    prose::quoted,
    tags::closings::begins_line,
    tags::{self, Name, Opening, Spelling},
    text::{Cursor, Line},
};
use crate::agent::{command::Kind, outbox::markers};

/// Text between a tag and its closing tag.
pub(super) struct Body<'a> {
    pub(super) text: &'a str,
    /// True if its closing tag was found.
    pub(super) closed: bool,
    /// The line of the first opening tag of the same command in the body.
    inner: Option<usize>,
}

impl Body<'_> {
    /// Reports why the extent of the body is ambiguous.
    pub(super) fn fault(
        &self,
        kind: Kind,
        opening: &Opening<'_>,
        swallowed: usize,
    ) -> Option<Reason> {
        if let Some(inner) = self.inner {
            let path = opening.attribute("path").map(ToOwned::to_owned);
            return Some(Reason::Ambiguous {
                path,
                inner,
                unclosed: !self.closed,
            });
        }
        if self.closed {
            return None;
        }
        let token = token(opening).map_or_else(String::new, |token| format!(" {token}"));
        let closing = format!("[/{}{token}]", kind.name());
        Some(Reason::Unclosed { closing, swallowed })
    }
}

/// Reads up to the closing tag, or to the end of the message.
pub(super) fn read_body<'a>(
    cursor: &mut Cursor<'a>,
    name: Name<'_>,
    kind: Kind,
    token: Option<&str>,
    strict: bool,
) -> Body<'a> {
    let start = cursor.at;
    let mut body = Body {
        text: "",
        closed: false,
        inner: None,
    };
    let mut depth = 1;
    let mut end = cursor.message.len();
    while let Some(line) = cursor.next_with_bracket() {
        if !may_be(line.text, name, kind) {
            continue;
        }
        if closes(line, name, kind, token, strict) {
            depth -= 1;
            if depth == 0 {
                (body.closed, end) = (true, line.start);
                break;
            }
        } else if token.is_none() && opens(line, name, kind) {
            body.inner.get_or_insert(line.number);
            depth += usize::from(!tags::ends_with_closing(line.text, kind));
        }
    }
    body.text = &cursor.message[start..end];
    body
}

/// Rejects nearly every line with two comparisons.
fn may_be(line: &str, name: Name<'_>, kind: Kind) -> bool {
    let Some(inner) = line.strip_prefix('[') else {
        return false;
    };
    name.spelling != Spelling::Exact
        || inner
            .strip_prefix('/')
            .unwrap_or(inner)
            .starts_with(kind.name())
}

fn opens(line: Line<'_>, name: Name<'_>, kind: Kind) -> bool {
    tags::opening_name(line.text).is_some_and(|inner| same_command(inner, name, kind))
}

fn closes(line: Line<'_>, name: Name<'_>, kind: Kind, token: Option<&str>, strict: bool) -> bool {
    tags::read_closing(line.text).is_some_and(|closing| {
        same_command(closing.name, name, kind)
            && closing.token == token
            && !(strict && closing.blanks)
    })
}

/// Returns true if both names are the same command. A tag in the protocol's spelling can only be closed by a tag in the
/// protocol's spelling (CodingAgent protocol v1.0, "Parsing Rules", rule 4).
fn same_command(other: Name<'_>, name: Name<'_>, kind: Kind) -> bool {
    other.kind == Some(kind)
        && (name.spelling != Spelling::Exact || other.spelling == Spelling::Exact)
}

/// Returns the text of a block that opens and closes on one line.
pub(super) fn on_one_line<'a>(line: &'a str, opening: &Opening<'a>, kind: Kind) -> Option<&'a str> {
    if !tags::ends_with_closing(line, kind) {
        return None;
    }
    Some(opening.rest.rsplit_once("[/").map_or("", |(text, _)| text))
}

/// Skips the body of an unknown command. Returns false if its closing tag never came, and the message is at its end.
pub(super) fn skip_unknown(cursor: &mut Cursor<'_>, name: &str) -> bool {
    let mut depth = 1;
    while let Some(line) = cursor.next() {
        if tags::read_closing(line.text).is_some_and(|closing| closing.name.text == name) {
            depth -= 1;
            if depth == 0 {
                return true;
            }
        } else if tags::opening_name(line.text).is_some_and(|inner| inner.text == name) {
            depth += 1;
        }
    }
    false
}

/// Content of the rest of a message that became the body of an unclosed tag.
#[derive(Debug, Default)]
pub(super) struct Swallowed {
    /// Number of commands.
    pub(super) commands: usize,
    /// Closing tags without an opening tag: an earlier body may have ended too early.
    pub(super) strays: Vec<(Kind, usize)>,
    /// Line where a draft ends; everything before it may be a draft.
    pub(super) ends_draft: Option<usize>,
    /// Line up to which the rest holds a copy of an outbox.
    pub(super) outbox_copy: Option<usize>,
}

/// Reads the rest of the message, in which `open` is still unclosed.
pub(super) fn swallow(cursor: &mut Cursor<'_>, open: Option<Kind>) -> Swallowed {
    let mut swallowed = Swallowed::default();
    let mut depths = [0usize; Kind::COUNT];
    if let Some(open) = open {
        depths[open as usize] = 1;
    }
    let mut draft = None;
    while let Some(line) = cursor.next() {
        if let Some(open) = draft {
            draft = drafts::after_end(line.text, open).map_or(Some(open), |_| None);
        } else if let Some((open, rest)) = drafts::opens(line.text) {
            draft = drafts::after_end(rest, open).map_or(Some(open), |_| None);
        } else if drafts::after_lone_end(line.text, false).is_some() {
            swallowed.ends_draft = Some(line.number);
        }
        if line.text == markers::PROTOCOL || quoted::begins_part(line.text) {
            swallowed.outbox_copy = Some(line.number);
        }
        if let Some(kind) = marks::any_closing(line.text) {
            match &mut depths[kind as usize] {
                0 if swallowed.strays.len() < STRAYS => swallowed.strays.push((kind, line.number)),
                0 => {}
                depth => *depth -= 1,
            }
        } else if let Some(name) = tags::opening_name(line.text) {
            swallowed.commands += usize::from(name.spelling == Spelling::Exact);
            let opens = name
                .kind
                .filter(|&kind| !tags::ends_with_closing(line.text, kind));
            if let Some(kind) = opens {
                depths[kind as usize] += 1;
            }
        }
    }
    swallowed
}

/// Skips the text enclosed by a tag after quote marks. Returns false if the tag encloses nothing and is only mentioned.
///
/// The end is a closing tag after marks if one follows; otherwise a plain one, unless the command is opened before it.
pub(super) fn skip_quoted(
    cursor: &mut Cursor<'_>,
    kind: Kind,
    is_closed_behind_marks: bool,
) -> bool {
    let mut ahead = cursor.clone();
    let mut plain: Option<Cursor<'_>> = None;
    let mut reopened = false;
    while let Some(line) = ahead.next() {
        match marks::closing_of(line.text, kind) {
            Some(marks::Marks::Decorated) => {
                *cursor = ahead;
                return true;
            }
            Some(marks::Marks::Plain) if !reopened => {
                plain.get_or_insert_with(|| ahead.clone());
            }
            Some(marks::Marks::Plain) => {}
            None => reopened |= opens_kind(line.text, kind),
        }
        if !is_closed_behind_marks && (reopened || plain.is_some()) {
            break;
        }
    }
    plain.map(|plain| *cursor = plain).is_some()
}

/// Returns true if a line opens this command, with or without marks.
fn opens_kind(line: &str, kind: Kind) -> bool {
    tags::opening_name(line).is_some_and(|name| name.kind == Some(kind))
        || marks::read_decorated(line).is_some_and(|tag| tag.kind == kind && !tag.closing)
}

/// Reads the body of a tag after marks: up to the first closing tag, with or without marks.
pub(super) fn read_marked<'a>(
    cursor: &mut Cursor<'a>,
    kind: Kind,
    token: Option<&str>,
) -> Result<Marked<'a>, NoEnd> {
    let start = cursor.at;
    let mut ahead = cursor.clone();
    while let Some(line) = ahead.next() {
        let tag = marks::unmark(line.text).map_or(line.text, |marked| marked.tag);
        let closing = tags::read_closing(tag).filter(|closing| closing.name.kind == Some(kind));
        if closing.is_some_and(|closing| closing.token == token) {
            let indent = indent(&cursor.message[line.start..]);
            let text = &cursor.message[start..line.start];
            *cursor = ahead;
            return Ok(Marked { text, indent });
        }
        if token.is_none() && opens_kind(line.text, kind) {
            return Err(NoEnd::OtherTag);
        }
    }
    Err(NoEnd::Message)
}

/// Reason why a tag after marks has no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoEnd {
    /// The command is opened again before it is closed, so the tag is only mentioned.
    OtherTag,
    /// The message is at its end.
    Message,
}

/// The body of a tag after marks, and the indentation of its closing tag in blanks.
pub(super) struct Marked<'a> {
    pub(super) text: &'a str,
    indent: usize,
}

impl Marked<'_> {
    /// Returns the body without the indentation of the surrounding list, if all lines have it.
    pub(super) fn without_list_indent(&self, text: &str) -> Option<String> {
        without_indent(text, self.indent)
    }
}

/// Number of blanks at the start of a text.
pub(super) fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// Returns the text without the blanks that begin all of its lines.
pub(super) fn without_indent(text: &str, indent: usize) -> Option<String> {
    let blanks = &BLANKS[..indent.min(BLANKS.len())];
    let inside = |line: &str| line.trim().is_empty() || line.starts_with(blanks);
    if blanks.is_empty() || text.trim().is_empty() || !text.lines().all(inside) {
        return None;
    }
    let lines = text.split_inclusive('\n');
    Some(
        lines
            .map(|line| line.strip_prefix(blanks).unwrap_or("\n"))
            .collect(),
    )
}

/// Returns the first line that mentions a command's tag after other text; if no line does, a number that no message
/// reaches.
pub(super) fn first_mention(message: &str, kind: Kind) -> usize {
    let word = kind.name().split('_').next().unwrap_or_default();
    let finder = format!("[{word}");
    let mention =
        memmem::find_iter(message.as_bytes(), &finder).find(|&at| !begins_line(message, at));
    mention.map_or(usize::MAX, |at| {
        1 + memchr::memchr_iter(b'\n', &message.as_bytes()[..at]).count()
    })
}

/// Limit of stray tags: further ones give no new information, since the first one already holds back everything it can.
const STRAYS: usize = 1_000;
/// The deepest indentation that a list gives to its content.
const BLANKS: &str = "            ";
