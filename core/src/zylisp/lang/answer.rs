//! What a program came to, in the form that travels.

use alloc::{format, string::String, vec::Vec};
use core::fmt;

use serde_json::Value as Json;

use super::{
    error::{Error, ErrorKind},
    print::{Names, Output, print, quoted},
    value::Value,
};

/// The value of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// As JSON: numbers, strings, truth values and lists as themselves, nil as null, symbols and functions as the
    /// text they print as.
    pub value: Json,
    /// As the language prints it, when that cannot be told from the JSON: there is a symbol or a function in it.
    pub text: Option<String>,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => f.write_str(&text_of(&self.value)),
        }
    }
}

/// Plain data as the language prints it: strings quoted, lists in parentheses, null as `nil`. Objects, which the
/// language does not have, stay JSON.
#[must_use]
pub fn text_of(value: &Json) -> String {
    match value {
        Json::Null => "nil".into(),
        Json::String(text) => quoted(text),
        Json::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(text_of).collect();
            format!("({})", elements.join(" "))
        }
        other => format!("{other}"),
    }
}

impl Answer {
    pub(super) fn new(value: Value, names: Names<'_>, limit: usize) -> Result<Self, Error> {
        let mut builder = Builder {
            names,
            room: limit,
            limit,
            plain: true,
        };
        let json = builder.build(value)?;
        let text = (!builder.plain).then(|| printed(value, names, limit));
        Ok(Self {
            value: json,
            text: text.transpose()?,
        })
    }
}

fn printed(value: Value, names: Names<'_>, limit: usize) -> Result<String, Error> {
    let mut output = Output::new(limit);
    print(value, names, &mut output);
    if output.is_full() {
        return Err(too_large(limit));
    }
    Ok(output.into_text())
}

struct Builder<'a> {
    names: Names<'a>,
    room: usize,
    limit: usize,
    plain: bool,
}

impl Builder<'_> {
    /// Lists that are half built wait in a vector, with what is still to come of them.
    fn build(&mut self, value: Value) -> Result<Json, Error> {
        let mut open: Vec<(Vec<Json>, Value)> = Vec::new();
        let mut next = value;
        loop {
            let mut done = match next {
                Value::Pair(_) if open.len() >= NESTING_LIMIT => return Err(too_deep()),
                Value::Pair(_) => {
                    open.push((Vec::new(), next));
                    Json::Null
                }
                atom => self.atom(atom)?,
            };
            let mut opened = matches!(next, Value::Pair(_));
            next = loop {
                let Some((elements, rest)) = open.last_mut() else {
                    return Ok(done);
                };
                if !opened {
                    elements.push(core::mem::take(&mut done));
                }
                opened = false;
                if let Value::Pair(pair) = *rest {
                    let (first, after) = self.names.heap().first_and_rest(pair);
                    *rest = after;
                    break first;
                }
                done = Json::Array(core::mem::take(elements));
                open.pop();
            };
        }
    }

    fn atom(&mut self, atom: Value) -> Result<Json, Error> {
        let json = match atom {
            Value::Nil | Value::Unset | Value::Pair(_) => Json::Null,
            Value::Bool(truth) => Json::Bool(truth),
            Value::Number(number) => Json::from(number),
            Value::Empty => Json::Array(Vec::new()),
            Value::Text(text) => Json::from(self.names.heap().str(text)),
            Value::Symbol(symbol) => self.named(self.names.symbols().name(symbol)),
            Value::Function(_) => self.named("<function>"),
            Value::Primitive(primitive) => self.named(&format!("<primitive:{}>", primitive.name())),
        };
        let cost = 8 + json.as_str().map_or(0, str::len);
        self.room = self
            .room
            .checked_sub(cost)
            .ok_or_else(|| too_large(self.limit))?;
        Ok(json)
    }

    fn named(&mut self, text: &str) -> Json {
        self.plain = false;
        Json::from(text)
    }
}

/// Readers of JSON give up at a depth of their own, often 128, and some crash there.
const NESTING_LIMIT: usize = 64;

fn too_deep() -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("the result nests deeper than {NESTING_LIMIT} lists; ask for a part of it"),
    )
}

fn too_large(limit: usize) -> Error {
    Error::new(
        ErrorKind::Limit,
        format!("the result is larger than {limit} bytes; ask for a part of it"),
    )
}
