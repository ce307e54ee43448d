//! Bodies: where they end.

use alloc::{borrow::ToOwned, collections::BTreeMap, format, string::String, vec::Vec};

use memchr::memmem;

use super::{
    command::Kind,
    copies,
    fault::{Note, Reason},
    made::{attribute, token},
    tags::{self, Name, Opening, Spelling},
    text::{Cursor, Line},
};

/// The last closing tag of every name, so that looking ahead costs nothing.
pub(super) struct Closings<'a> {
    last: BTreeMap<&'a str, usize>,
    /// There are more names than anyone needs: every name counts as closed somewhere.
    too_many: bool,
}

impl<'a> Closings<'a> {
    pub(super) fn of(message: &'a str) -> Self {
        let mut closings = Self {
            last: BTreeMap::new(),
            too_many: false,
        };
        let mut held: Option<(&str, usize)> = None;
        for at in memmem::find_iter(message.as_bytes(), b"[/") {
            // Most closing tags are the one before once more, which is seen without reading the name.
            let again = held.map(|(name, _)| name);
            let again = again.filter(|name| is_plain_closing(&message[at..], name));
            let name = again.or_else(|| tags::closing_name(&message[at..]));
            let Some(name) = name.filter(|_| begins_line(message, at)) else {
                continue;
            };
            if let Some((other, at)) = held.filter(|(other, _)| *other != name) {
                closings.insert(other, at);
            }
            held = Some((name, at));
        }
        held.into_iter()
            .for_each(|(name, at)| closings.insert(name, at));
        closings
    }

    fn insert(&mut self, name: &'a str, at: usize) {
        self.too_many |= self.last.len() >= CLOSING_NAMES;
        if !self.too_many || self.last.contains_key(name) {
            self.last.insert(name, at);
        }
    }

    /// Whether a closing tag, spelled like this name, follows `offset`.
    pub(super) fn follows(&self, name: &Name<'_>, offset: usize) -> bool {
        self.too_many || self.last.get(name.text).is_some_and(|&last| last > offset)
    }
}

/// Whether `text` begins with `[/NAME]`.
fn is_plain_closing(text: &str, name: &str) -> bool {
    let rest = text.as_bytes().get(2..).unwrap_or_default();
    rest.starts_with(name.as_bytes()) && rest.get(name.len()) == Some(&b']')
}

fn begins_line(message: &str, at: usize) -> bool {
    if at == 0 || message.as_bytes()[at - 1] == b'\n' {
        return true;
    }
    let before = tags::trim_end(&message[..at]);
    before.is_empty() || before.ends_with('\n')
}

/// What is between a tag and its closing tag.
pub(super) struct Body<'a> {
    pub(super) text: &'a str,
    /// Its closing tag was found.
    pub(super) closed: bool,
    /// The line of the first opening tag of the same command in the body.
    inner: Option<usize>,
}

impl Body<'_> {
    /// Why nobody can tell what the body is.
    pub(super) fn fault(
        &self,
        kind: Kind,
        opening: &Opening<'_>,
        swallowed: usize,
    ) -> Option<Reason> {
        if let Some(inner) = self.inner {
            let path = attribute(opening, "path").map(ToOwned::to_owned);
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
    while let Some(line) = cursor.next() {
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

/// Sorts out nearly every line of a body with two comparisons.
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

/// A tag in the document's spelling is only answered by tags in the document's spelling.
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

/// What is in the rest of a message that became the body of something unclosed.
#[derive(Debug, Default)]
pub(super) struct Swallowed {
    /// How many commands.
    pub(super) commands: usize,
    /// Closing tags that close nothing in it: an earlier body may have ended too early.
    pub(super) strays: Vec<(Kind, usize)>,
    /// A thought ends in it, so all before may be a draft.
    pub(super) ends_thought: bool,
    /// The line up to which it holds a copy of an outbox.
    pub(super) outbox_copy: Option<usize>,
}

/// Reads the rest of the message, in which `open` is not closed yet.
pub(super) fn swallow(cursor: &mut Cursor<'_>, open: Option<Kind>) -> Swallowed {
    let mut swallowed = Swallowed::default();
    let mut depths: BTreeMap<Kind, usize> = open.into_iter().map(|kind| (kind, 1)).collect();
    let mut thinks = false;
    while let Some(line) = cursor.next() {
        match copies::thought(line.text) {
            Some(copies::Thought::Begins) => thinks = true,
            Some(copies::Thought::Ends) => swallowed.ends_thought |= !core::mem::take(&mut thinks),
            _ => {}
        }
        if line.text == copies::PROTOCOL || copies::begins_part(line.text) {
            swallowed.outbox_copy = Some(line.number);
        }
        if let Some(kind) = tags::any_closing(line.text) {
            match depths.get_mut(&kind) {
                Some(depth) if *depth > 0 => *depth -= 1,
                _ => swallowed.strays.push((kind, line.number)),
            }
        } else if let Some(name) = tags::opening_name(line.text) {
            swallowed.commands += usize::from(name.spelling == Spelling::Exact);
            let opens = name
                .kind
                .filter(|&kind| !tags::ends_with_closing(line.text, kind));
            if let Some(kind) = opens {
                *depths.entry(kind).or_default() += 1;
            }
        }
    }
    swallowed
}

/// Passes over what a tag behind marks encloses. False: it encloses nothing, it is only mentioned.
pub(super) fn skip_decorated(cursor: &mut Cursor<'_>, kind: Kind) -> bool {
    let mut ahead = cursor.clone();
    let mut plain: Option<Cursor<'_>> = None;
    let mut reopened = false;
    while let Some(line) = ahead.next() {
        match tags::closing_of(line.text, kind) {
            Some(tags::Marks::Decorated) => {
                *cursor = ahead;
                return true;
            }
            Some(tags::Marks::Plain) if !reopened => {
                plain.get_or_insert_with(|| ahead.clone());
            }
            _ => {
                reopened |=
                    tags::opening_name(line.text).is_some_and(|name| name.kind == Some(kind));
            }
        }
    }
    plain.map(|plain| *cursor = plain).is_some()
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

/// LLMs like to put a fence around a file's text. It is the file's text unless the person says otherwise.
pub(super) fn unfence<'a>(
    text: &'a str,
    opening: &Opening<'_>,
    kind: Kind,
    strip: bool,
) -> (&'a str, Option<Note>) {
    let in_file = matches!(kind, Kind::CreateFile | Kind::EditFile);
    if !in_file || attribute(opening, "path").is_some_and(is_markdown) {
        return (text, None);
    }
    match inside_fence(text) {
        Some(inside) if strip => (inside, Some(Note::FenceRemoved)),
        Some(_) => (text, Some(Note::Fenced)),
        None => (text, None),
    }
}

fn inside_fence(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    let rest = rest.strip_suffix('\n').unwrap_or(rest);
    let last_start = rest.rfind('\n').map_or(0, |at| at + 1);
    let fenced = first.trim().starts_with("```") && rest[last_start..].trim() == "```";
    fenced.then(|| &rest[..last_start])
}

fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["md", "markdown", "mdx", "rst", "adoc"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

const CLOSING_NAMES: usize = 10_000;
