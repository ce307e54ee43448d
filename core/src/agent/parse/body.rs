//! Bodies: where they end, and what is taken off them.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use memchr::memmem;

use super::{
    build::token,
    closings::begins_line,
    drafts,
    fault::Reason,
    marks, quoted,
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

/// Sorts out nearly every line with two comparisons.
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

/// A tag in the protocol's spelling is only closed by a tag in the protocol's spelling (CodingAgent protocol v1.0, "Parsing
/// Rules", rule 4).
fn same_command(other: Name<'_>, name: Name<'_>, kind: Kind) -> bool {
    other.kind == Some(kind)
        && (name.spelling != Spelling::Exact || other.spelling == Spelling::Exact)
}

/// The text of a block that opens and closes on one line.
pub(super) fn on_one_line<'a>(line: &'a str, opening: &Opening<'a>, kind: Kind) -> Option<&'a str> {
    if !tags::ends_with_closing(line, kind) {
        return None;
    }
    Some(opening.rest.rsplit_once("[/").map_or("", |(text, _)| text))
}

/// Passes over the body of an unknown command. False: its closing tag never came, and the message is at its end.
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
    /// Closing tags that close nothing in it: an earlier body may have ended too early.
    pub(super) strays: Vec<(Kind, usize)>,
    /// The line where a draft ends in it, so all before may be one.
    pub(super) ends_draft: Option<usize>,
    /// The line up to which it holds a copy of an outbox.
    pub(super) outbox_copy: Option<usize>,
}

/// Reads the rest of the message, in which `open` is not closed yet.
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

/// Passes over what a tag behind quote marks encloses. False: it encloses nothing, it is only mentioned.
///
/// With a closing tag behind marks ahead, that is its end; a plain one is, if the command is not opened before.
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

/// The body of a tag behind marks: up to the first closing tag, with or without marks.
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

/// Reason why a tag behind marks has no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoEnd {
    /// Its command is opened once more before it is closed, so that the tag is only mentioned.
    OtherTag,
    /// The message is at its end.
    Message,
}

/// The body of a tag behind marks, and by how many blanks its closing tag is indented.
pub(super) struct Marked<'a> {
    pub(super) text: &'a str,
    indent: usize,
}

impl Marked<'_> {
    /// The body without the indentation of the list around it, if all of its lines have that.
    pub(super) fn without_list_indent(&self, text: &str) -> Option<String> {
        without_indent(text, self.indent)
    }
}

/// Number of blanks at the start of a text.
pub(super) fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// The text without the blanks that all of its lines begin with.
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

/// The first line that names a command's tag behind other text. There is none: a line that no message has.
pub(super) fn first_mention(message: &str, kind: Kind) -> usize {
    let word = kind.name().split('_').next().unwrap_or_default();
    let finder = format!("[{word}");
    let mention =
        memmem::find_iter(message.as_bytes(), &finder).find(|&at| !begins_line(message, at));
    mention.map_or(usize::MAX, |at| {
        1 + memchr::memchr_iter(b'\n', &message.as_bytes()[..at]).count()
    })
}

/// Limit of strays: further ones give no new information, as the first one holds back all that
/// could be held back.
const STRAYS: usize = 1_000;
/// The deepest indentation that a list gives to what is in it.
const BLANKS: &str = "            ";
