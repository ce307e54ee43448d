//! Reads one line of a message as a tag.
//!
//! ```text
//! open   = "[" NAME *( 1*blank key *blank "=" *blank quote value quote ) *blank [ "/" ] "]"   the whole trimmed line
//! close  = "[/" NAME [ 1*blank TOKEN ] *blank "]"                                             the whole trimmed line
//! ```

pub(super) mod closings;

use alloc::vec::Vec;

use super::{
    fault::Reason,
    note::Note,
    prose::debris::{trim, without_end_tokens},
};
use crate::agent::command::Kind;

/// Quotes around a value; first those of the CodingAgent protocol v1.0, "Parsing Rules", rule 2. Word processors, mail
/// programs and phones replace them.
pub(super) const QUOTES: [(char, char); 5] =
    [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('„', '“')];

/// Meaning of a line that begins with `[`.
#[derive(Debug)]
pub(super) enum Tag<'a> {
    Open(Opening<'a>),
    Close(Closing<'a>),
}

/// `[NAME key="value"]`
#[derive(Debug)]
pub(super) struct Opening<'a> {
    pub(super) name: Name<'a>,
    pub(super) attributes: Vec<(&'a str, &'a str)>,
    /// Reason why the tag cannot be executed.
    pub(super) fault: Option<Reason>,
    pub(super) notes: Vec<Note>,
    /// Text after the `]` on the line.
    pub(super) rest: &'a str,
    /// `[NAME … /]`
    pub(super) slash: bool,
}

impl<'a> Opening<'a> {
    /// Creates a tag without attributes.
    pub(super) const fn plain(name: Name<'a>) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            fault: None,
            notes: Vec::new(),
            rest: "",
            slash: false,
        }
    }

    /// Returns the value of this attribute, if the tag has it.
    pub(super) fn attribute(&self, key: &str) -> Option<&'a str> {
        self.attributes
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(key))
            .map(|(_, value)| *value)
    }
}

/// `[/NAME]` or `[/NAME TOKEN]`
#[derive(Debug)]
pub(super) struct Closing<'a> {
    pub(super) name: Name<'a>,
    pub(super) token: Option<&'a str>,
    /// True if the tag has blanks that the CodingAgent protocol v1.0, "Parsing Rules", does not
    /// allow.
    pub(super) blanks: bool,
}

/// The name in a tag, as written, and the command it names, if any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) kind: Option<Kind>,
    pub(super) spelling: Spelling,
}

/// Spelling of a known name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Exact,
    /// `CREATE\_FILE`, as chat pages escape it.
    Escaped,
    OtherCase,
}

impl<'a> Name<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| same_name(text, kind.name()));
        let spelling = match kind {
            Some(kind) if kind.name() == text => Spelling::Exact,
            Some(_) if !text.bytes().any(|byte| byte.is_ascii_lowercase()) => Spelling::Escaped,
            _ => Spelling::OtherCase,
        };
        Self {
            text,
            kind,
            spelling,
        }
    }
}

/// Returns true if a written name equals `name` except for case and for `\` before `_`.
fn same_name(written: &str, name: &str) -> bool {
    let mut rest = name.bytes();
    written
        .bytes()
        .filter(|&byte| byte != b'\\')
        .all(|byte| Some(byte.to_ascii_uppercase()) == rest.next())
        && rest.next().is_none()
}

/// Reads a trimmed line; `None` for prose.
pub(super) fn read(line: &str) -> Option<Tag<'_>> {
    let inner = line.strip_prefix('[')?;
    match inner.strip_prefix('/') {
        Some(inner) => read_close(without_end_tokens(inner)).map(Tag::Close),
        None => read_open(inner).map(Tag::Open),
    }
}

/// Returns true if a line, trimmed, opens or closes this command, even with mistakes.
pub(super) fn names_kind(line: &str, kind: Kind) -> bool {
    match read(trim(line)) {
        Some(Tag::Open(opening)) => opening.name.kind == Some(kind),
        Some(Tag::Close(closing)) => closing.name.kind == Some(kind),
        None => false,
    }
}

/// Returns the name of an opening tag at the start of a trimmed line, without reading its attributes.
pub(super) fn opening_name(line: &str) -> Option<Name<'_>> {
    let (name, _) = split_name(line.strip_prefix('[')?)?;
    Some(Name::new(name))
}

/// Returns the name of a closing tag at the start of `text`.
pub(super) fn closing_name(text: &str) -> Option<&str> {
    let (name, after) = split_name(text.strip_prefix("[/")?)?;
    after
        .trim_start_matches(is_blank)
        .starts_with(']')
        .then_some(name)
}

/// Reads a trimmed line as a closing tag.
pub(super) fn read_closing(line: &str) -> Option<Closing<'_>> {
    read_close(without_end_tokens(line.strip_prefix("[/")?))
}

/// Returns true if a line is the plain closing tag of this command.
pub(super) fn is_own_closing(line: &str, kind: Kind) -> bool {
    read_closing(trim(line))
        .is_some_and(|closing| closing.name.kind == Some(kind) && closing.token.is_none())
}

/// Returns true if a line ends with a closing tag of this command, after other text.
pub(super) fn ends_with_closing(line: &str, kind: Kind) -> bool {
    line.rfind("[/")
        .is_some_and(|at| at > 0 && is_own_closing(&line[at..], kind))
}

/// Returns true if a text mentions a tag of this command anywhere.
pub(super) fn mentions(text: &str, kind: Kind) -> bool {
    text.match_indices('[').any(|(at, _)| {
        let inner = &text[at + 1..];
        let name = split_name(inner.strip_prefix('/').unwrap_or(inner));
        name.is_some_and(|(name, _)| Name::new(name).kind == Some(kind))
    })
}

fn read_close(inner: &str) -> Option<Closing<'_>> {
    let (name, after) = split_name(inner)?;
    let content = after.strip_suffix(']')?;
    let token = content.trim_matches(is_blank);
    if !token.is_empty() && !is_token(token) {
        return None;
    }
    Some(Closing {
        name: Name::new(name),
        token: (!token.is_empty()).then_some(token),
        blanks: token.is_empty() && !content.is_empty(),
    })
}

fn read_open(inner: &str) -> Option<Opening<'_>> {
    let (name, after) = split_name(inner)?;
    let mut opening = Opening::plain(Name::new(name));
    if let Err(reason) = read_attributes(after, &mut opening) {
        opening.fault = Some(reason);
    }
    Some(opening)
}

fn read_attributes<'a>(mut text: &'a str, opening: &mut Opening<'a>) -> Result<(), Reason> {
    loop {
        let next = text.trim_start_matches(is_blank);
        if let Some(rest) = next.strip_prefix(']') {
            opening.rest = without_end_tokens(rest);
            return Ok(());
        }
        if let Some(rest) = next.strip_prefix("/]") {
            (opening.rest, opening.slash) = (rest, true);
            return Ok(());
        }
        if next.is_empty() {
            return Err(Reason::UnfinishedTag);
        }
        if next.len() == text.len() {
            return Err(Reason::UnreadableTag {
                rest: start_of(next),
            });
        }
        text = read_attribute(next, opening)?;
    }
}

fn read_attribute<'a>(text: &'a str, opening: &mut Opening<'a>) -> Result<&'a str, Reason> {
    let unreadable = || Reason::UnreadableTag {
        rest: start_of(text),
    };
    let length = text.find(|c: char| !is_key(c)).unwrap_or(text.len());
    let (key, after) = text.split_at(length);
    let value = after
        .trim_start_matches(is_blank)
        .strip_prefix('=')
        .filter(|_| !key.is_empty());
    let value = value.ok_or_else(unreadable)?.trim_start_matches(is_blank);
    if opening.attributes.len() == ATTRIBUTE_LIMIT {
        return Err(unreadable());
    }
    let (value, rest) = match QUOTES
        .into_iter()
        .find(|(open, _)| value.starts_with(*open))
    {
        Some(quotes) => quoted(value, quotes, opening),
        None => bare_number(value, opening),
    }
    .ok_or_else(|| Reason::UnquotedValue { key: key.into() })?;
    if opening
        .attributes
        .iter()
        .any(|(known, _)| known.eq_ignore_ascii_case(key))
    {
        return Err(Reason::DuplicateAttribute { key: key.into() });
    }
    if value.is_empty() {
        return Err(Reason::EmptyAttribute { key: key.into() });
    }
    opening.attributes.push((key, value));
    Ok(rest)
}

fn quoted<'a>(
    text: &'a str,
    (open, close): (char, char),
    opening: &mut Opening<'a>,
) -> Option<(&'a str, &'a str)> {
    let (value, rest) = text[open.len_utf8()..].split_once(close)?;
    if open != '"' {
        note(opening, Note::OtherQuotes);
    }
    Some((value, rest))
}

/// Reads `start_line=3`, which can only mean `start_line="3"`.
fn bare_number<'a>(text: &'a str, opening: &mut Opening<'a>) -> Option<(&'a str, &'a str)> {
    let length = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    if length == 0 || !text[length..].starts_with([' ', '\t', ']', '/']) {
        return None;
    }
    note(opening, Note::MissingQuotes);
    Some(text.split_at(length))
}

fn note(opening: &mut Opening<'_>, note: Note) {
    if !opening.notes.contains(&note) {
        opening.notes.push(note);
    }
}

/// Splits off a name of ASCII letters, digits, `_` and `-` (and `\` before `_`) that begins with a letter, at most
/// [`NAME_LIMIT`] long.
pub(super) fn split_name(text: &str) -> Option<(&str, &str)> {
    let in_name = |byte: u8| is_key(char::from(byte)) || byte == b'\\';
    let length = text
        .bytes()
        .position(|byte| !in_name(byte))
        .unwrap_or(text.len());
    let named = text.starts_with(|c: char| c.is_ascii_alphabetic()) && length <= NAME_LIMIT;
    named.then(|| text.split_at(length))
}

fn start_of(text: &str) -> alloc::string::String {
    text.chars().take(40).collect()
}

/// Returns true if a text is a valid `end=` token.
pub(super) fn is_token(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.chars().all(is_key)
}

const fn is_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

pub(super) const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}')
}

/// Limit of attributes in a tag; each one is compared with those before it, and no command has as many.
const ATTRIBUTE_LIMIT: usize = 32;
/// Length limit of a name; no program has commands with longer names.
const NAME_LIMIT: usize = 40;
