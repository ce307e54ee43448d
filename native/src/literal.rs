//! Parses Python values from the output of `repr`.

use flylead_core::to_hexadecimal;
use serde_json::{Map, Number, Value, json};

/// Python value, parsed from its `repr`.
///
/// ```
/// use flylead_native::literal::Literal;
///
/// let value = Literal::parse("{'on': True, 'pins': (1, 2)}");
/// assert_eq!(value.to_json().to_string(), r#"{"on":true,"pins":[1,2]}"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// A number as it is written: Python's integers are unlimited.
    Number(String),
    /// Text.
    Text(String),
    /// `b'…'` or `bytearray(b'…')`
    Bytes(Vec<u8>),
    /// A list, a tuple, a set or a frozenset.
    List(Vec<Self>),
    /// A dictionary, in the board's order.
    Dict(Vec<(Self, Self)>),
    /// Anything else, such as `<module 'machine'>`, as it is written.
    Other(String),
}

impl Literal {
    /// Reads a `repr`. Any text gives a value; text that is not wholly a literal becomes [`Literal::Other`].
    #[must_use]
    pub fn parse(repr: &str) -> Self {
        let mut reader = Reader {
            rest: repr,
            depth: 0,
        };
        match reader.value() {
            Some(value) if reader.rest.is_empty() => value,
            _ => Self::Other(repr.to_owned()),
        }
    }

    /// Returns the text, if the value is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        let Self::Text(text) = self else {
            return None;
        };
        Some(text)
    }

    /// Returns the items of a list, a tuple or a set.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        let Self::List(items) = self else {
            return &[];
        };
        items
    }

    /// Returns the value as an unsigned number, if it is one.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        let Self::Number(digits) = self else {
            return None;
        };
        digits.parse().ok()
    }

    /// Converts the value to JSON. Bytes become `{"bytes": "hexadecimal"}`, and values that JSON cannot express
    /// `{"repr": "…"}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Bool(bool) => Value::Bool(*bool),
            Self::Number(digits) => {
                number(digits).map_or_else(|| json!({ "repr": digits }), Value::Number)
            }
            Self::Text(text) => Value::String(text.clone()),
            Self::Bytes(bytes) => json!({ "bytes": to_hexadecimal(bytes) }),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Dict(pairs) => Value::Object(
                pairs
                    .iter()
                    .map(|(key, value)| (key.to_key(), value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
            Self::Other(repr) => json!({ "repr": repr }),
        }
    }

    /// Converts the value to a key, which JSON requires to be text.
    fn to_key(&self) -> String {
        if let Self::Text(text) | Self::Number(text) | Self::Other(text) = self {
            return text.clone();
        }
        self.to_json().to_string()
    }
}

/// Returns an exact JSON number; `None` for integers that would become inexact.
fn number(digits: &str) -> Option<Number> {
    match (digits.parse::<i64>(), digits.parse::<u64>()) {
        (Ok(number), _) => Some(number.into()),
        (_, Ok(number)) => Some(number.into()),
        _ if digits.contains(['.', 'e']) => Number::from_f64(digits.parse().ok()?),
        _ => None,
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Literal> {
        for (word, value) in [
            ("None", Literal::None),
            ("True", Literal::Bool(true)),
            ("False", Literal::Bool(false)),
            ("set()", Literal::List(Vec::new())),
            ("frozenset()", Literal::List(Vec::new())),
        ] {
            if self.eat(word) {
                return Some(value);
            }
        }
        match self.rest.chars().next()? {
            '\'' | '"' => self.quoted().and_then(text).map(Literal::Text),
            'b' => self.bytes(),
            '[' => self.sequence("[", "]").map(Literal::List),
            '(' => self.sequence("(", ")").map(Literal::List),
            'f' => self.wrapped("frozenset(", |reader| {
                reader.sequence("{", "}").map(Literal::List)
            }),
            '{' => self.braces(),
            '<' => self.angles(),
            _ => self.number(),
        }
    }

    fn bytes(&mut self) -> Option<Literal> {
        if self.rest.starts_with("bytearray(") {
            return self.wrapped("bytearray(", Self::bytes);
        }
        self.expect("b")?;
        self.quoted().and_then(bytes).map(Literal::Bytes)
    }

    fn wrapped(
        &mut self,
        open: &str,
        inside: impl FnOnce(&mut Self) -> Option<Literal>,
    ) -> Option<Literal> {
        self.expect(open)?;
        let value = inside(self)?;
        self.expect(")")?;
        Some(value)
    }

    fn braces(&mut self) -> Option<Literal> {
        let set = Self {
            rest: self.rest,
            depth: self.depth,
        }
        .sequence("{", "}")
        .filter(|items| !items.is_empty());
        if set.is_some() {
            return self.sequence("{", "}").map(Literal::List);
        }
        self.between("{", "}", Self::pair).map(Literal::Dict)
    }

    /// Parses `<closure <lambda>>` and similar.
    fn angles(&mut self) -> Option<Literal> {
        let mut open = 0_usize;
        let end = self.rest.find(|c| {
            open += usize::from(c == '<');
            open -= usize::from(c == '>');
            open == 0
        })?;
        let (repr, rest) = self.rest.split_at(end + 1);
        self.rest = rest;
        Some(Literal::Other(repr.to_owned()))
    }

    fn pair(&mut self) -> Option<(Literal, Literal)> {
        let key = self.value()?;
        self.expect(": ")?;
        Some((key, self.value()?))
    }

    fn sequence(&mut self, open: &str, close: &str) -> Option<Vec<Literal>> {
        self.between(open, close, Self::value)
    }

    /// Parses items separated by commas, with an optional one after the last, as in `(1,)`.
    fn between<T>(
        &mut self,
        open: &str,
        close: &str,
        item: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.expect(open)?;
        self.depth += 1;
        let mut items = Vec::new();
        while !self.eat(close) {
            if self.depth > DEPTH_LIMIT || !(items.is_empty() || self.eat(", ")) {
                return None;
            }
            items.push(item(self)?);
            if self.rest.starts_with(',') && self.rest[1..].starts_with(close) {
                self.eat(",");
            }
        }
        self.depth -= 1;
        Some(items)
    }

    fn number(&mut self) -> Option<Literal> {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        // Rust also parses `inf`, `.5` and `+1`, but no `repr` is written like the last two.
        digits.parse::<f64>().ok()?;
        self.rest = rest;
        Some(Literal::Number(digits.to_owned()))
    }

    /// Parses the text between quotes, still escaped.
    fn quoted(&mut self) -> Option<&str> {
        let quote = self.rest.chars().next()?;
        let body = &self.rest[1..];
        let mut escaped = false;
        for (at, c) in body.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.rest = &body[at + 1..];
                    return Some(&body[..at]);
                }
                _ => {}
            }
        }
        None
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.eat(text).then_some(())
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

fn text(escaped: &str) -> Option<String> {
    unescape(escaped, |c| Some(c.to_string())).map(|parts| parts.concat())
}

fn bytes(escaped: &str) -> Option<Vec<u8>> {
    let one = |c: char| u8::try_from(u32::from(c)).ok();
    unescape(escaped, one)
}

/// Decodes escapes, and passes each resulting character to `one`.
fn unescape<T>(escaped: &str, one: impl Fn(char) -> Option<T>) -> Option<Vec<T>> {
    let mut parts = Vec::new();
    let mut rest = escaped.chars();
    while let Some(c) = rest.next() {
        let c = match c {
            '\\' => match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'x' => code_point(&mut rest, 2)?,
                'u' => code_point(&mut rest, 4)?,
                'U' => code_point(&mut rest, 8)?,
                itself => itself,
            },
            c => c,
        };
        parts.push(one(c)?);
    }
    Some(parts)
}

fn code_point(rest: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let text = rest.as_str().get(..digits)?;
    rest.nth(digits - 1);
    char::from_u32(u32::from_str_radix(text, 16).ok()?)
}

/// Limit of nesting; deeper values stay text.
const DEPTH_LIMIT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_writes_becomes_json() {
        let table = [
            ("None", "null"),
            ("True", "true"),
            ("-7", "-7"),
            ("1.5e-07", "1.5e-7"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", r#"{"repr":"18446744073709551616"}"#),
            ("nan", r#"{"repr":"nan"}"#),
            (r"'a\n\xe4\u20ac\'\\'", r#""a\nä€'\\""#),
            ("\"it's\"", r#""it's""#),
            (r"b'\x00\xffA'", r#"{"bytes":"00ff41"}"#),
            ("bytearray(b'A')", r#"{"bytes":"41"}"#),
            ("()", "[]"),
            ("(1,)", "[1]"),
            ("[1, [2, 'x']]", r#"[1,[2,"x"]]"#),
            ("{1, 2}", "[1,2]"),
            ("set()", "[]"),
            ("frozenset({1})", "[1]"),
            ("{}", "{}"),
            ("{'a': None, 2: (1,)}", r#"{"2":[1],"a":null}"#),
            ("<module 'machine'>", r#"{"repr":"<module 'machine'>"}"#),
            ("[1, <f <g>>]", r#"[1,{"repr":"<f <g>>"}]"#),
            ("Point(x=1)", r#"{"repr":"Point(x=1)"}"#),
            ("<open", r#"{"repr":"<open"}"#),
            ("'open", r#"{"repr":"'open"}"#),
            ("", r#"{"repr":""}"#),
        ];
        for (repr, json) in table {
            assert_eq!(Literal::parse(repr).to_json().to_string(), json, "{repr}");
        }
    }

    #[test]
    fn nesting_without_end_is_only_text() {
        let deep = "[".repeat(100_000);
        assert_eq!(Literal::parse(&deep), Literal::Other(deep.clone()));
    }
}
