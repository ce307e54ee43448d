//! Bytes and text as Python literals, and back.

use alloc::{format, string::String, vec::Vec};

/// A `str` literal of pure ASCII: any path survives any board's encoding, and no byte of it can be a command.
pub(crate) fn text(value: &str) -> String {
    let mut literal = String::from("'");
    for char in value.chars() {
        push_char(&mut literal, char);
    }
    literal.push('\'');
    literal
}

/// A `bytes` literal of pure ASCII.
pub(super) fn bytes(value: &[u8]) -> String {
    let mut literal = String::with_capacity(value.len() + 3);
    literal.push_str("b'");
    for &byte in value {
        push_char(&mut literal, char::from(byte));
    }
    literal.push('\'');
    literal
}

/// Gives variables the names of files, and goes no further when a bad line has changed one on the way: nothing must
/// happen to another file than the one that was named.
pub(super) fn checked(names: &[(&str, &str)]) -> String {
    let mut source = String::new();
    let mut all = String::new();
    for (variable, name) in names {
        source.push_str(&format!("{variable}={}\n", text(name)));
        all.push_str(name);
    }
    let variables: Vec<&str> = names.iter().map(|(variable, _)| *variable).collect();
    let (sum, variables) = (weak_sum(all.as_bytes()), variables.join("+"));
    source.push_str(&format!(
        "_sum=0\nfor _byte in bytes({variables},'utf8'):_sum=(_sum*31+_byte)&16777215\nif _sum!={sum}:raise ValueError('sha256')\n"
    ));
    source
}

/// A hash for boards that have none, simple enough for a 16 MHz interpreter.
pub(super) fn weak_sum(data: &[u8]) -> u32 {
    data.iter()
        .fold(0, |sum, &byte| (sum * 31 + u32::from(byte)) & 0xff_ffff)
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

/// Reads what `repr` makes of bytes: `b'…'` or `b"…"`.
pub(super) fn parse_bytes(literal: &[u8]) -> Option<Vec<u8>> {
    let quoted = literal.strip_prefix(b"b")?;
    let (&quote, rest) = quoted.split_first()?;
    let mut rest = rest
        .strip_suffix(&[quote])
        .filter(|_| matches!(quote, b'\'' | b'"'))?;
    let mut value = Vec::with_capacity(rest.len());
    while let Some((&byte, after)) = rest.split_first() {
        rest = match byte {
            b'\\' => parse_escape(after, &mut value)?,
            _ => {
                value.push(byte);
                after
            }
        };
    }
    Some(value)
}

fn parse_escape<'a>(escape: &'a [u8], value: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (&kind, rest) = escape.split_first()?;
    let byte = match kind {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'\\' | b'\'' | b'"' => kind,
        b'x' => {
            value.push(parse_hex_byte(rest.get(..2)?)?);
            return rest.get(2..);
        }
        _ => return None,
    };
    value.push(byte);
    Some(rest)
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
