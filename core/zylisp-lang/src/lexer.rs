//! Converts source text to tokens.

use alloc::{format, string::String};
use core::ops::Range;

use crate::{
    error::{ErrorKind, Fault},
    place::{Lines, Place},
    print::quoted,
};

/// Reads tokens like the original (zylisp/lang, `lexer.go`), whose columns count bytes. The original treats each byte
/// beyond ASCII as a character of Latin-1, so `ê` is a name there and `é` is not; here, every letter of every script is
/// one.
///
/// It stores no text, so reading can pause after any token and continue later.
#[derive(Debug)]
pub(crate) struct Lexer {
    at: usize,
    pub(crate) lines: Lines,
}

/// A token; texts and names are ranges of the source.
#[derive(Debug, PartialEq)]
pub(crate) enum Token {
    Open,
    Close,
    /// An apostrophe, which quotes the datum that follows.
    Quote,
    Number(i64),
    Bool(bool),
    /// Range between the quotes, with escapes as written.
    Text(Range<usize>),
    Symbol(Range<usize>),
}

/// Error: an invalid token, and its place.
#[derive(Debug)]
pub(crate) struct Illegal {
    pub(crate) fault: Fault,
    pub(crate) at: usize,
}

impl Lexer {
    pub(crate) const fn new(start: Place) -> Self {
        Self {
            at: 0,
            lines: Lines::new(start),
        }
    }

    /// Returns the next token and its offset, or `None` at the end of the source.
    pub(crate) fn next(&mut self, source: &[u8]) -> Result<Option<(Token, usize)>, Illegal> {
        self.skip_blanks(source);
        let start = self.at;
        let Some(byte) = source.get(start).copied() else {
            return Ok(None);
        };
        let token = match byte {
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b'\'' => self.single(Token::Quote),
            b'"' => self.text(source)?,
            b'-' if source.get(start + 1).is_some_and(u8::is_ascii_digit) => self.number(source)?,
            b'0'..=b'9' => self.number(source)?,
            _ => match character(source, start) {
                Some(first) if starts_symbol(first) => self.symbol(source),
                found => {
                    let found = found.unwrap_or(char::from(byte));
                    return Err(self.illegal(start, found.encode_utf8(&mut [0; 4])));
                }
            },
        };
        Ok(Some((token, start)))
    }

    /// Returns the offset up to which it has read.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    fn skip_blanks(&mut self, source: &[u8]) {
        while let Some(byte) = source.get(self.at) {
            match byte {
                b'\n' => self.end_line(),
                b' ' | b'\t' | b'\r' => self.at += 1,
                b';' => self.skip_comment(source),
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self, source: &[u8]) {
        let rest = &source[self.at..];
        self.at += rest
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(rest.len());
    }

    fn end_line(&mut self) {
        self.at += 1;
        self.lines
            .begin_line(u32::try_from(self.at).unwrap_or(u32::MAX));
    }

    fn single(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    fn number(&mut self, source: &[u8]) -> Result<Token, Illegal> {
        let start = self.at;
        self.at += 1;
        self.pass(source, |byte| byte.is_ascii_digit());
        let digits = core::str::from_utf8(&source[start..self.at]).unwrap_or_default();
        digits.parse().map(Token::Number).map_err(|_| {
            let Place { line, column } = self.place(start);
            let digits = quoted(&digits[..digits.len().min(DIGITS_SHOWN)]);
            let message =
                format!("invalid number {digits} at line {line}, col {column}: value out of range");
            Illegal {
                fault: syntax(message),
                at: start,
            }
        })
    }

    fn symbol(&mut self, source: &[u8]) -> Token {
        let start = self.at;
        while let Some(next) = character(source, self.at).filter(|next| continues_symbol(*next)) {
            self.at += next.len_utf8();
        }
        match &source[start..self.at] {
            b"true" => Token::Bool(true),
            b"false" => Token::Bool(false),
            _ => Token::Symbol(start..self.at),
        }
    }

    fn text(&mut self, source: &[u8]) -> Result<Token, Illegal> {
        self.at += 1;
        let start = self.at;
        loop {
            match source.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Token::Text(start..self.at - 1));
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.text_byte(source);
                }
                Some(_) => self.text_byte(source),
                // The original reports the end of the source here, not the beginning of the string.
                None => return Err(self.illegal(self.at, "unterminated string")),
            }
        }
    }

    fn text_byte(&mut self, source: &[u8]) {
        match source.get(self.at) {
            Some(b'\n') => self.end_line(),
            Some(_) => self.at += 1,
            None => {}
        }
    }

    fn pass(&mut self, source: &[u8], belongs: impl Fn(u8) -> bool) {
        while source.get(self.at).is_some_and(|byte| belongs(*byte)) {
            self.at += 1;
        }
    }

    pub(crate) fn place(&self, offset: usize) -> Place {
        self.lines.place(u32::try_from(offset).unwrap_or(u32::MAX))
    }

    fn illegal(&self, at: usize, token: &str) -> Illegal {
        let Place { line, column } = self.place(at);
        let token = quoted(token);
        let fault = syntax(format!(
            "illegal token at line {line}, col {column}: {token}"
        ));
        Illegal { fault, at }
    }
}

/// Appends the characters that a text's bytes between its quotes stand for. Removing a backslash from UTF-8 leaves
/// valid UTF-8.
pub(crate) fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let mut characters = escape.chars();
        match characters.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
}

/// Returns the character at this offset of a source in UTF-8.
fn character(source: &[u8], at: usize) -> Option<char> {
    let first = *source.get(at)?;
    if first.is_ascii() {
        return Some(char::from(first));
    }
    let longest = (source.len() - at).min(4);
    let whole =
        (2..=longest).find_map(|length| core::str::from_utf8(&source[at..at + length]).ok());
    whole?.chars().next()
}

fn starts_symbol(character: char) -> bool {
    character.is_alphabetic()
        || (character.is_ascii() && b"+-*/<>=!?&|%$_".contains(&(character as u8)))
}

fn continues_symbol(character: char) -> bool {
    starts_symbol(character) || character.is_alphanumeric() || is_combining_mark(character)
}

/// Returns true for the marks of Unicode's blocks "Combining …", as in an `é` of two characters.
fn is_combining_mark(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{36f}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}

pub(crate) fn syntax(message: impl Into<String>) -> Fault {
    Fault::new(ErrorKind::Syntax, message)
}

/// Number of digits shown of an overlong number.
const DIGITS_SHOWN: usize = 64;
