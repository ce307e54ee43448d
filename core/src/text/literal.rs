//! Converts bytes and text to Python literals and back: for files, mounted folders, loaded programs and the debugger.

use alloc::{format, string::String, vec::Vec};
use core::str::Chars;

/// Returns a `str` literal of pure ASCII: any path survives any board's encoding, and no byte of it can be a command.
pub(crate) fn text(value: &str) -> String {
    let mut literal = String::from("'");
    for char in value.chars() {
        push_char(&mut literal, char);
    }
    literal.push('\'');
    literal
}

/// Returns a `bytes` literal of pure ASCII.
pub(crate) fn bytes(value: &[u8]) -> String {
    let mut literal = String::with_capacity(value.len() + 3);
    literal.push_str("b'");
    for &byte in value {
        push_char(&mut literal, char::from(byte));
    }
    literal.push('\'');
    literal
}

/// Returns a `bytes` literal for links that carry every byte: each character stands for the [byte](to_bytes) of its
/// number, and only those are escaped that have a special meaning to a prompt or Python's lexer.
pub(crate) fn dense(value: &[u8]) -> String {
    let mut literal = String::with_capacity(value.len() + 3);
    literal.push_str("b'");
    for (at, &byte) in value.iter().enumerate() {
        let is_digit_next = value.get(at + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            0..=5 if is_digit_next => push_code(&mut literal, 'x', 2, char::from(byte)),
            0..=5 => literal.extend(['\\', char::from(b'0' + byte)]),
            b'\n' | b'\r' | b'\'' | b'\\' => push_char(&mut literal, char::from(byte)),
            _ => literal.push(char::from(byte)),
        }
    }
    literal.push('\'');
    literal
}

/// Returns the bytes of a program, whose characters are all below U+0100.
pub(crate) fn to_bytes(program: &str) -> Vec<u8> {
    program
        .chars()
        .map(|char| u8::try_from(char).unwrap_or(b'?'))
        .collect()
}

fn push_char(literal: &mut String, char: char) {
    match char {
        '\\' => literal.push_str("\\\\"),
        '\'' => literal.push_str("\\'"),
        '\n' => literal.push_str("\\n"),
        '\r' => literal.push_str("\\r"),
        '\t' => literal.push_str("\\t"),
        ' '..='~' => literal.push(char),
        '\0'..='\u{ff}' => push_code(literal, 'x', 2, char),
        '\u{100}'..='\u{ffff}' => push_code(literal, 'u', 4, char),
        _ => push_code(literal, 'U', 8, char),
    }
}

fn push_code(literal: &mut String, kind: char, digits: usize, char: char) {
    literal.push_str(&format!("\\{kind}{:0digits$x}", u32::from(char)));
}

/// Reads the output of `repr` for bytes: `b'…'` or `b"…"`.
pub(crate) fn parse_bytes(literal: &[u8]) -> Option<Vec<u8>> {
    let quoted = core::str::from_utf8(literal).ok()?.strip_prefix('b')?;
    let (text, rest) = parse_quoted(quoted)?;
    let bytes = text.chars().map(|char| u8::try_from(char).ok());
    rest.is_empty().then(|| bytes.collect())?
}

/// Reads the output of `repr` for text, with either kind of quote. Returns the text, and the rest after it.
pub(crate) fn parse_quoted(literal: &str) -> Option<(String, &str)> {
    let mut chars = literal.chars();
    let quote = chars.next().filter(|char| matches!(char, '\'' | '"'))?;
    let mut text = String::new();
    loop {
        match chars.next()? {
            char if char == quote => return Some((text, chars.as_str())),
            '\\' => text.push(parse_escape(&mut chars)?),
            char => text.push(char),
        }
    }
}

fn parse_escape(chars: &mut Chars<'_>) -> Option<char> {
    let digits = match chars.next()? {
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        char @ ('\\' | '\'' | '"') => return Some(char),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let code = chars.as_str().get(..digits)?;
    *chars = chars.as_str()[digits..].chars();
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

/// Reads pairs of hexadecimal digits.
pub(crate) fn parse_hex(text: &[u8]) -> Option<Vec<u8>> {
    text.len()
        .is_multiple_of(2)
        .then(|| text.chunks(2).map(parse_hex_byte).collect())?
}

fn parse_hex_byte(pair: &[u8]) -> Option<u8> {
    let text = core::str::from_utf8(pair).ok()?;
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_bytes() -> Vec<u8> {
        (0..=255).collect()
    }

    #[test]
    fn every_byte_survives_its_literal() {
        for value in [all_bytes(), b"it's \"x\"\\n".to_vec(), Vec::new()] {
            assert_eq!(parse_bytes(bytes(&value).as_bytes()), Some(value));
        }
    }

    #[test]
    fn a_dense_literal_is_what_a_lexer_reads_and_holds_no_command() {
        let pairs = (0..=255u8).flat_map(|byte| [byte, b'7', byte, b'x']);
        for value in [all_bytes(), pairs.collect(), Vec::new()] {
            let literal = to_bytes(&dense(&value));
            assert!(
                !literal
                    .iter()
                    .any(|byte| matches!(byte, 0..=5 | b'\n' | b'\r'))
            );
            assert_eq!(lexed(&literal), value);
        }
    }

    /// Reads a literal as Python does, with octal escapes of up to three digits.
    fn lexed(literal: &[u8]) -> Vec<u8> {
        let mut rest = literal[2..literal.len() - 1].iter().copied().peekable();
        let mut value = Vec::new();
        while let Some(byte) = rest.next() {
            if byte != b'\\' {
                value.push(byte);
                continue;
            }
            let kind = rest.next().expect("an escape has a kind");
            value.push(match kind {
                b'n' => b'\n',
                b'r' => b'\r',
                b'x' => {
                    let pair = [rest.next(), rest.next()].map(|digit| digit.expect("a digit"));
                    parse_hex_byte(&pair).expect("they are digits")
                }
                b'0'..=b'7' => {
                    let mut octal = kind - b'0';
                    for _ in 0..2 {
                        let digit = rest.next_if(|digit| (b'0'..=b'7').contains(digit));
                        octal = digit.map_or(octal, |digit| octal * 8 + digit - b'0');
                    }
                    octal
                }
                _ => kind,
            });
        }
        value
    }

    #[test]
    fn a_literal_never_holds_a_byte_that_the_repl_takes_as_a_command() {
        assert!(
            bytes(&all_bytes())
                .bytes()
                .all(|byte| (b' '..=b'~').contains(&byte))
        );
        assert_eq!(
            text("naïve '日本' 🦀\u{4}"),
            "'na\\xefve \\'\\u65e5\\u672c\\' \\U0001f980\\x04'"
        );
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for text in [&b"'x'"[..], b"b'x", b"b'\\q'", b"b'\\x4'", b"b", b""] {
            assert_eq!(parse_bytes(text), None, "{text:?}");
        }
        assert_eq!(parse_hex(b"0g"), None);
    }
}
