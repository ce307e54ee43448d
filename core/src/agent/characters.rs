//! Repairs characters that chats and word processors put into code: no-break spaces, zero-width characters and curly
//! quotes.
//!
//! In code, their intended meaning is certain: no language uses them there, except in the words of a shell. In texts
//! and comments they may be intended, and stay. A text whose code cannot be identified with certainty stays unchanged
//! as well.

use alloc::{borrow::Cow, string::String};

use super::settings::Commands;

/// Syntax that distinguishes texts and comments from code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Python,
    /// A shell, whose words may contain curly quotes.
    Shell,
    C,
    Go,
    Java,
    Json,
    /// Texts span several lines, comments nest, and `'` also begins a lifetime.
    Rust,
    /// Unknown, except that lines are indented by plain blanks.
    Indented,
}

/// Part of a file that a text covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// Some lines, which may begin in the middle of a long text or comment.
    Lines,
}

/// Repairs the code of a file whose name says that it is code; `None` if nothing needed repair.
///
/// # Errors
/// The line, from 1, whose meaning is uncertain.
pub(super) fn repair_file(path: &str, text: &str, extent: Extent) -> Result<Option<String>, usize> {
    match syntax_of(path).filter(|_| text.contains(is_strange)) {
        Some(syntax) => repair(syntax, text, extent),
        None => Ok(None),
    }
}

/// Repairs a script.
///
/// # Errors
/// Like [`repair_file`].
pub(super) fn repair_script(text: &str, commands: Commands) -> Result<Option<String>, usize> {
    let syntax = match commands {
        Commands::Shell => Syntax::Shell,
        Commands::Python => Syntax::Python,
    };
    match text.contains(is_strange) {
        true => repair(syntax, text, Extent::Whole),
        false => Ok(None),
    }
}

/// Returns a text with plain characters alone; borrowed if it is already plain.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_strange) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter_map(plain_character).collect())
}

fn repair(syntax: Syntax, text: &str, extent: Extent) -> Result<Option<String>, usize> {
    if syntax.is_beyond(text, extent) {
        return Ok(None);
    }
    let mut repaired = String::with_capacity(text.len());
    let mut place = Place::Code;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let indent = line.find(|c: char| !is_space(c) && !c.is_ascii_whitespace());
        let (indent, rest) = line.split_at(indent.unwrap_or(line.len()));
        match place {
            // Below a plain blank, this may be a text of several lines.
            Place::Code if syntax != Syntax::Indented || indent.starts_with(is_space) => {
                repaired.extend(indent.chars().filter_map(plain_character));
            }
            Place::Code | Place::Text(_) | Place::Raw(_) | Place::Comment(_) => {
                repaired.push_str(indent);
            }
        }
        match (syntax, extent) {
            (Syntax::Indented, _) => repaired.push_str(rest),
            (_, Extent::Lines) => repaired.push_str(&repair_fragment(rest)),
            (_, Extent::Whole) => {
                place = Line {
                    syntax,
                    whole: rest,
                    repaired: &mut repaired,
                }
                .walk(place)
                .ok_or(number + 1)?;
            }
        }
    }
    // An unterminated text may have been detected where none begins.
    let is_certain = place == Place::Code;
    Ok((is_certain && repaired != text).then_some(repaired))
}

impl Syntax {
    /// Returns true for syntax that this walk cannot follow: nested texts, and texts with custom ends.
    fn is_beyond(self, text: &str, extent: Extent) -> bool {
        let has = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
        match self {
            Self::Shell => extent == Extent::Lines || has(&["<<", "`", "$'", "$(", "${"]),
            Self::C => has(&["R\""]),
            Self::Indented => has(&["\"\"\"", "'''"]),
            Self::Python | Self::Go | Self::Java | Self::Json | Self::Rust => false,
        }
    }

    /// Returns the marks that begin and end a text, the longest first.
    const fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["\"\"\"", "'''", "\"", "'"],
            Self::Shell | Self::C => &["\"", "'"],
            Self::Go => &["\"", "'", "`"],
            Self::Java => &["\"\"\"", "\"", "'"],
            Self::Json | Self::Rust => &["\""],
            Self::Indented => &[],
        }
    }

    const fn has_block_comments(self) -> bool {
        matches!(self, Self::C | Self::Go | Self::Java | Self::Rust)
    }

    /// Returns true if a backslash in such a text escapes the next character.
    fn escapes(self, end: &str) -> bool {
        end != "`" && !(self == Self::Shell && end == "'")
    }
}

/// Place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    /// In a text that ends with this mark.
    Text(&'static str),
    /// In a raw text of Rust that ends with a quote and this many `#`.
    Raw(usize),
    /// In this many nested comments.
    Comment(usize),
}

struct Line<'a> {
    syntax: Syntax,
    whole: &'a str,
    repaired: &'a mut String,
}

impl Line<'_> {
    /// Returns the place where the line ends, or `None` if a quote in the line is ambiguous.
    fn walk(mut self, mut place: Place) -> Option<Place> {
        let mut at = 0;
        while let Some(c) = self.whole[at..].chars().next() {
            let is_code = place == Place::Code;
            let length = match is_code {
                true => self.code(at, c, &mut place)?,
                false => self.enclosed(&self.whole[at..], c, &mut place),
            };
            let is_written = is_code && is_strange(c);
            if !is_written {
                self.repaired.push_str(&self.whole[at..at + length]);
            }
            at += length;
        }
        let goes_on =
            matches!(self.syntax, Syntax::Rust | Syntax::Shell) || self.whole.ends_with("\\\n");
        Some(match place {
            Place::Text("\"" | "'") if !goes_on => Place::Code,
            place => place,
        })
    }

    /// Advances one step in a text or a comment.
    fn enclosed(&self, rest: &str, c: char, place: &mut Place) -> usize {
        let (length, next) = match *place {
            Place::Comment(depth) if rest.starts_with("*/") => match depth {
                0 | 1 => (2, Place::Code),
                _ => (2, Place::Comment(depth - 1)),
            },
            Place::Comment(depth) if self.syntax == Syntax::Rust && rest.starts_with("/*") => {
                (2, Place::Comment(depth + 1))
            }
            Place::Raw(marks) if c == '"' && count_marks(&rest[1..]) >= marks => {
                (1 + marks, Place::Code)
            }
            Place::Text(end) if rest.starts_with(end) => (end.len(), Place::Code),
            Place::Text(end) if c == '\\' && self.syntax.escapes(end) => (escaped(rest), *place),
            _ => (c.len_utf8(), *place),
        };
        *place = next;
        length
    }

    /// Advances one step in code, where a strange character is written as the plain one; `None` if its meaning is
    /// uncertain.
    fn code(&mut self, at: usize, c: char, place: &mut Place) -> Option<usize> {
        let rest = &self.whole[at..];
        if self.begins_comment(at) {
            return Some(rest.len());
        }
        if self.syntax.has_block_comments() && rest.starts_with("/*") {
            *place = Place::Comment(1);
            return Some(2);
        }
        if self.syntax == Syntax::Shell && c == '\\' {
            return Some(escaped(rest));
        }
        if self.syntax == Syntax::Rust
            && let Some(length) = self.rust_literal(at, place)
        {
            return Some(length);
        }
        if is_curly(c) {
            return self.curly(at);
        }
        if let Some(mark) = self
            .syntax
            .marks()
            .iter()
            .find(|mark| rest.starts_with(**mark))
        {
            *place = Place::Text(mark);
            return Some(mark.len());
        }
        if is_strange(c) {
            self.repaired.extend(plain_character(c));
        }
        Some(c.len_utf8())
    }

    /// Handles a character literal of Rust, or the beginning of a raw text.
    fn rust_literal(&self, at: usize, place: &mut Place) -> Option<usize> {
        let (before, rest) = self.whole.split_at(at);
        if let Some(rest) = rest.strip_prefix('\'') {
            let first = rest.chars().next()?;
            let length = match first {
                '\\' => escaped(rest),
                _ => first.len_utf8(),
            };
            return match first {
                '\\' => rest[length..].find('\'').map(|end| 1 + length + end + 1),
                _ => rest[length..].starts_with('\'').then_some(length + 2),
            };
        }
        let word = before
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        let behind = rest.strip_prefix('r')?;
        let marks = count_marks(behind);
        let is_raw = matches!(word, Some("" | "b" | "c")) && behind[marks..].starts_with('"');
        is_raw.then(|| {
            *place = Place::Raw(marks);
            2 + marks
        })
    }

    /// Replaces two curly quotes on one line by plain ones. A word of a shell may contain them.
    fn curly(&mut self, at: usize) -> Option<usize> {
        let rest = &self.whole[at..];
        if self.syntax == Syntax::Shell {
            let c = rest.chars().next()?;
            self.repaired.push(c);
            return Some(c.len_utf8());
        }
        let (inner, plain, length) = paired(rest)?;
        self.repaired.push(plain);
        self.repaired.push_str(inner);
        self.repaired.push(plain);
        Some(length)
    }

    fn begins_comment(&self, at: usize) -> bool {
        let rest = &self.whole[at..];
        match self.syntax {
            Syntax::Python => rest.starts_with('#'),
            Syntax::Shell => {
                let before = self.whole[..at].chars().next_back();
                let is_word_start = before.is_none_or(|c| is_space(c) || " \t;&|()<>".contains(c));
                rest.starts_with('#') && is_word_start
            }
            Syntax::C | Syntax::Go | Syntax::Java | Syntax::Rust => rest.starts_with("//"),
            Syntax::Json | Syntax::Indented => false,
        }
    }
}

/// Number of `#` at the start.
fn count_marks(rest: &str) -> usize {
    rest.len() - rest.trim_start_matches('#').len()
}

/// Returns the length of a backslash and the next character.
fn escaped(rest: &str) -> usize {
    rest.chars().take(2).map(char::len_utf8).sum()
}

/// Repairs curly quotes that enclose an argument or a value, whatever the lines are part of.
fn repair_fragment(line: &str) -> String {
    let mut repaired = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let before = line[..at].trim_end_matches([' ', 'f', 'r', 'b', 'u']);
        let is_value = before.ends_with(['(', '=', ',', '[', '{']);
        let pair = paired(&line[at..]).filter(|_| is_value);
        let after = |length: usize| line[at + length..].trim_start();
        let pair = pair.filter(|(.., length)| {
            let after = after(*length);
            after.is_empty() || after.starts_with([')', ',', ']', '}', ';', ':'])
        });
        match pair {
            Some((inner, plain, length)) => {
                repaired.push(plain);
                repaired.push_str(inner);
                repaired.push(plain);
                at += length;
            }
            None => {
                repaired.push(c);
                at += c.len_utf8();
            }
        }
    }
    repaired
}

/// Returns the text between two matching curly quotes, the plain quote, and the length including both.
fn paired(rest: &str) -> Option<(&str, char, usize)> {
    let first = rest.chars().next().filter(|c| is_curly(*c))?;
    let plain = plain_character(first)?;
    let inner = &rest[first.len_utf8()..];
    let end = inner.find(|c| is_curly(c) && plain_character(c) == Some(plain))?;
    let last = inner[end..].chars().next()?;
    let inner = &inner[..end];
    let is_plain = !inner.contains([plain, '\\', '\n']) && !inner.contains(is_curly);
    is_plain.then_some((inner, plain, first.len_utf8() + end + last.len_utf8()))
}

/// Returns the plain character for a strange one; `None` for zero-width ones.
fn plain_character(c: char) -> Option<char> {
    match c {
        _ if is_zero_width(c) => None,
        _ if is_space(c) => Some(' '),
        '“' | '”' | '„' => Some('"'),
        '‘' | '’' | '‚' => Some('\''),
        _ => Some(c),
    }
}

fn is_strange(c: char) -> bool {
    !c.is_ascii() && (is_space(c) || is_zero_width(c) || is_curly(c))
}

/// Returns true for blanks that look like the plain one.
const fn is_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}'
    )
}

const fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}')
}

const fn is_curly(c: char) -> bool {
    matches!(c, '“' | '”' | '„' | '‘' | '’' | '‚')
}

fn syntax_of(path: &str) -> Option<Syntax> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match &*extension.to_ascii_lowercase() {
        "py" | "pyi" => Syntax::Python,
        "sh" | "bash" => Syntax::Shell,
        "c" | "h" | "cc" | "cpp" | "hpp" => Syntax::C,
        "go" => Syntax::Go,
        "java" => Syntax::Java,
        "json" => Syntax::Json,
        "rs" => Syntax::Rust,
        "yaml" | "yml" | "toml" => Syntax::Indented,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
