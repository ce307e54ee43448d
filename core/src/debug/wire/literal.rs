//! Literals as `repr` writes them: texts, numbers and lists of both.

use alloc::{string::String, vec::Vec};

use crate::literal::parse_quoted;

/// A value as Python writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::debug) enum Literal {
    None,
    Int(i64),
    Text(String),
    /// A list or a tuple.
    List(Vec<Self>),
}

impl Literal {
    /// Reads values separated by spaces.
    pub(super) fn parse_all(text: &str) -> Option<Vec<Self>> {
        let mut reader = Reader { rest: text };
        let mut values = Vec::new();
        loop {
            reader.rest = reader.rest.trim_start();
            if reader.rest.is_empty() {
                return Some(values);
            }
            values.push(reader.value(0)?);
        }
    }

    pub(in crate::debug) fn text(&self) -> Option<&str> {
        let Self::Text(text) = self else {
            return None;
        };
        Some(text)
    }

    pub(in crate::debug) const fn int(&self) -> Option<i64> {
        let Self::Int(int) = self else {
            return None;
        };
        Some(*int)
    }

    pub(in crate::debug) fn list(&self) -> Option<&[Self]> {
        let Self::List(list) = self else {
            return None;
        };
        Some(list)
    }
}

/// Limit of nested lists; data from a board has three levels.
const DEPTH: usize = 8;

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Option<Literal> {
        match self.rest.chars().next()? {
            '\'' | '"' => {
                let (text, rest) = parse_quoted(self.rest)?;
                self.rest = rest;
                Some(Literal::Text(text))
            }
            '[' if depth < DEPTH => self.list(']', depth),
            '(' if depth < DEPTH => self.list(')', depth),
            'N' => self.word("None").map(|()| Literal::None),
            'T' => self.word("True").map(|()| Literal::Int(1)),
            'F' => self.word("False").map(|()| Literal::Int(0)),
            _ => self.int(),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    fn int(&mut self) -> Option<Literal> {
        let is_part = |one: char| one.is_ascii_digit() || one == '-';
        let end = self
            .rest
            .find(|one| !is_part(one))
            .unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        number.parse().ok().map(Literal::Int)
    }

    fn list(&mut self, close: char, depth: usize) -> Option<Literal> {
        self.rest = &self.rest[1..];
        let mut items = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',']);
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Some(Literal::List(items));
            }
            items.push(self.value(depth + 1)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec};

    use super::*;

    #[test]
    fn what_repr_writes_is_read() {
        let read = Literal::parse_all(
            r#"'s' "it's" [(1025, 3), (0, -7)] None 'a\\\n\x1e\u00e4\U0001f600'"#,
        );
        let pair = |a, b| Literal::List(vec![Literal::Int(a), Literal::Int(b)]);
        let expected = vec![
            Literal::Text("s".to_string()),
            Literal::Text("it's".to_string()),
            Literal::List(vec![pair(1025, 3), pair(0, -7)]),
            Literal::None,
            Literal::Text("a\\\n\u{1e}ä😀".to_string()),
        ];
        assert_eq!(read, Some(expected));
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for text in [
            "'a",
            "[1",
            "(",
            "a",
            "1x",
            "'\\x1",
            "[[[[[[[[[[1]]]]]]]]]]",
            "\\",
        ] {
            assert_eq!(Literal::parse_all(text), None, "{text}");
        }
    }

    #[test]
    fn every_text_is_quoted_in_ascii_and_read_back() {
        let text = "a'\\\n\r\t\u{0}\u{7f}äß\u{2028}😀\"";
        let quoted = crate::literal::text(text);
        assert!(quoted.is_ascii() && !quoted.contains('\n'), "{quoted}");
        assert_eq!(
            Literal::parse_all(&quoted),
            Some(vec![Literal::Text(text.to_string())])
        );
    }
}
