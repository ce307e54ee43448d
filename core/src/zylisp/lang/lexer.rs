//! Source text into tokens.

use alloc::{format, string::String, vec::Vec};

use super::{
    error::{Error, ErrorKind},
    print::quoted,
};

/// Reads tokens byte by byte, as the original does: what lies beyond ASCII is taken as Latin-1 outside of strings,
/// and columns count bytes.
pub(super) struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    place: Place,
}

/// A position in the source, both from 1; the column counts bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

#[derive(Debug, PartialEq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    Number(i64),
    Bool(bool),
    Text(String),
    Symbol(&'a str),
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source: source.as_bytes(),
            at: 0,
            place: Place { line: 1, column: 1 },
        }
    }

    /// The next token and where it begins, or `None` at the end of the source.
    pub(super) fn next(&mut self) -> Result<Option<(Token<'a>, Place)>, Error> {
        self.skip_blanks();
        let place = self.place;
        let Some(byte) = self.peek(0) else {
            return Ok(None);
        };
        let token = match byte {
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b'"' => self.text()?,
            b'-' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number()?,
            b'0'..=b'9' => self.number()?,
            _ if starts_symbol(byte) => self.symbol(),
            _ => {
                return Err(illegal(
                    place,
                    &quoted(char::from(byte).encode_utf8(&mut [0; 4])),
                ));
            }
        };
        Ok(Some((token, place)))
    }

    /// Whether everything was read: after an error, that a string has no end.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.source.len()
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.advance(),
                b';' => self.skip_comment(),
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.advance();
        }
    }

    fn single(&mut self, token: Token<'a>) -> Token<'a> {
        self.advance();
        token
    }

    fn number(&mut self) -> Result<Token<'a>, Error> {
        let place = self.place;
        let start = self.at;
        self.advance();
        while self.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
            self.advance();
        }
        let digits = self.slice(start);
        digits.parse().map(Token::Number).map_err(|_| {
            let Place { line, column } = place;
            let digits = quoted(shortened(digits));
            syntax(format!(
                "invalid number {digits} at line {line}, col {column}: value out of range"
            ))
        })
    }

    fn symbol(&mut self) -> Token<'a> {
        let start = self.at;
        while self.peek(0).is_some_and(continues_symbol) {
            self.advance();
        }
        match self.slice(start) {
            "true" => Token::Bool(true),
            "false" => Token::Bool(false),
            name => Token::Symbol(name),
        }
    }

    fn text(&mut self) -> Result<Token<'a>, Error> {
        let mut bytes = Vec::new();
        self.advance();
        loop {
            let byte = self.text_byte()?;
            match byte {
                b'"' => {
                    self.advance();
                    return Ok(Token::Text(into_text(bytes)));
                }
                b'\\' => {
                    self.advance();
                    bytes.push(unescaped(self.text_byte()?));
                }
                _ => bytes.push(byte),
            }
            self.advance();
        }
    }

    fn text_byte(&self) -> Result<u8, Error> {
        self.peek(0)
            .ok_or_else(|| illegal(self.place, &quoted("unterminated string")))
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    fn advance(&mut self) {
        if self.source[self.at] == b'\n' {
            self.place.line += 1;
            self.place.column = 1;
        } else {
            self.place.column += 1;
        }
        self.at += 1;
    }

    /// The source from `start` to here. A name that ends inside a character is empty here, and harmless: the rest of
    /// that character is an illegal token, so the source is refused.
    fn slice(&self, start: usize) -> &'a str {
        core::str::from_utf8(&self.source[start..self.at]).unwrap_or_default()
    }
}

/// Taking a backslash out of UTF-8 leaves UTF-8.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn unescaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        other => other,
    }
}

fn starts_symbol(byte: u8) -> bool {
    char::from(byte).is_alphabetic() || b"+-*/<>=!?&|%$_".contains(&byte)
}

fn continues_symbol(byte: u8) -> bool {
    starts_symbol(byte) || byte.is_ascii_digit()
}

fn shortened(digits: &str) -> &str {
    &digits[..digits.len().min(64)]
}

fn illegal(Place { line, column }: Place, token: &str) -> Error {
    syntax(format!(
        "illegal token at line {line}, col {column}: {token}"
    ))
}

pub(super) fn syntax(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, message)
}
