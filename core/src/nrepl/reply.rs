//! Writes the replies to one request.

use alloc::{string::String, vec::Vec};

use zylisp_lang::{Name, NameKind, Place};

use super::bencode::{Map, Value, encode_map};
use crate::zylisp::{
    Answer,
    evaluator::{EvalError, Help, Outcome},
    session::Finished,
};

/// Replies to the request with an id; all of them name it and the session that carries it out.
pub(super) struct Replies<'a> {
    pub(super) out: &'a mut Vec<u8>,
    pub(super) session: &'a str,
    pub(super) id: &'a str,
}

impl Replies<'_> {
    /// Sends a reply with these fields.
    pub(super) fn send(&mut self, fields: impl IntoIterator<Item = (&'static str, Value)>) {
        let mut reply = Map::from_iter(fields);
        for (key, text) in [("session", self.session), ("id", self.id)] {
            if !text.is_empty() {
                reply.insert(key, text.into());
            }
        }
        encode_map(&reply, self.out);
    }

    pub(super) fn status(&mut self, words: &[&str]) {
        self.send([status(words)]);
    }

    /// Sends the last reply: done, with these fields.
    pub(super) fn done(&mut self, fields: impl IntoIterator<Item = (&'static str, Value)>) {
        self.send(fields.into_iter().chain([status(&["done"])]));
    }

    /// Sends the last reply to a refused request, with the reason: a keyword for programs, and text for people in
    /// `err`.
    pub(super) fn refuse(&mut self, word: &str, why: &str) {
        let words = status(&["error", word, "done"]);
        self.send([("err", line(why)), words]);
    }

    pub(super) fn output(&mut self, text: String) {
        if !text.is_empty() {
            self.send([("out", text.into())]);
        }
    }

    /// Sends a form's value, as printed. A truncated value is marked in the same words as by nREPL's print middleware.
    pub(super) fn value(&mut self, answer: &Answer) {
        let text = alloc::format!("{answer}");
        let value = ("value", text.into());
        let namespace = ("ns", NAMESPACE.into());
        if answer.more {
            let truncated = Value::from_iter(["value"]);
            let keys = ("nrepl.middleware.print/truncated-keys", truncated);
            let word = status(&["nrepl.middleware.print/truncated"]);
            self.send([namespace, value, keys, word]);
        } else {
            self.send([namespace, value]);
        }
    }

    /// Reports the end of a request that a session has carried out.
    pub(super) fn finished(&mut self, finished: Finished) {
        self.output(finished.output);
        if finished.omitted > 0 {
            let omitted = finished.omitted;
            let note = alloc::format!("… {omitted} bytes of output were omitted");
            self.send([("err", line(&note))]);
        }
        match finished.outcome {
            Outcome::Value(answer) => {
                self.value(&answer);
                self.done([]);
            }
            Outcome::Completed => self.done([]),
            Outcome::Error(error) => self.failed(&error),
            Outcome::Interrupted => self.status(&["interrupted", "done"]),
            Outcome::Failed(why) => self.refuse("eval-error", &why),
            Outcome::Help(help) => self.help("lookup", &help),
        }
    }

    /// Reports an exception like nREPL's `caught` middleware: its text, its type, and the end.
    fn failed(&mut self, error: &EvalError) {
        self.send([("err", line(&alloc::format!("{error}")))]);
        let kind = Value::from(error.kind.as_str());
        let words = status(&["eval-error"]);
        let mut fields = Vec::from([("ex", kind.clone()), ("root-ex", kind), words]);
        if let Some(call) = error.trace.first() {
            fields.push(("line", call.place.line.into()));
            fields.push(("column", call.place.column.into()));
            let file = call.source.as_deref();
            fields.extend(file.map(|file| ("file", file.into())));
        }
        self.send(fields);
        self.done([]);
    }

    /// Reports the known facts about names, in the form of that operation.
    pub(super) fn help(&mut self, operation: &str, help: &Help) {
        match help {
            Help::Names(names) => {
                let names = names.iter().map(|(name, kind)| candidate(name, *kind));
                self.done([("completions", Value::from_iter(names))]);
            }
            Help::Name(Some(name)) if operation == "eldoc" => self.done(eldoc(name)),
            Help::Name(Some(name)) if operation == "info" => self.done(info(name)),
            Help::Name(Some(name)) => self.done([("info", Value::Map(info(name)))]),
            Help::Name(None) => match operation {
                "eldoc" => self.status(&["no-eldoc", "done"]),
                "info" => self.status(&["no-info", "done"]),
                // nREPL's own `lookup` reports an unknown name as an empty dictionary.
                _ => self.done([("info", Value::Map(Map::new()))]),
            },
        }
    }
}

/// Appends a message to a client that is refused entirely, with the reason.
pub fn refuse(why: &str, out: &mut Vec<u8>) {
    let (session, id) = ("", "");
    Replies { out, session, id }.refuse("unavailable", why);
}

fn status(words: &[&str]) -> (&'static str, Value) {
    ("status", words.iter().copied().collect())
}

fn line(text: &str) -> Value {
    alloc::format!("{text}\n").into()
}

fn candidate(name: &str, kind: NameKind) -> Value {
    Value::Map(Map::from([
        ("candidate", name.into()),
        ("type", kind_of(kind).into()),
    ]))
}

/// Returns the kind of a name in the words that editors know.
const fn kind_of(kind: NameKind) -> &'static str {
    match kind {
        NameKind::SpecialForm => "special-form",
        NameKind::Function => "function",
        NameKind::Variable => "var",
    }
}

fn info(name: &Name) -> Map {
    let mut info = Map::from([
        ("name", name.name.as_str().into()),
        ("ns", NAMESPACE.into()),
        ("type", kind_of(name.kind).into()),
        ("arglists-str", operands(name).into()),
    ]);
    if let Some(meaning) = &name.meaning {
        info.insert("doc", meaning.as_str().into());
    }
    if let Some((source, Place { line, column })) = &name.defined {
        info.insert("line", (*line).into());
        info.insert("column", (*column).into());
        if let Some(source) = source {
            info.insert("file", (&**source).into());
        }
    }
    info
}

fn eldoc(name: &Name) -> Map {
    let signature = Value::from_iter(parameters(&operands(name)));
    let mut eldoc = Map::from([
        ("name", name.name.as_str().into()),
        ("ns", NAMESPACE.into()),
        ("type", kind_of(name.kind).into()),
        ("eldoc", Value::List([signature].into())),
    ]);
    if let Some(meaning) = &name.meaning {
        eldoc.insert("docstring", meaning.as_str().into());
    }
    eldoc
}

/// Returns the operands of a function, in parentheses: its usage without its name, which Lisps write inside the
/// parentheses.
fn operands(name: &Name) -> String {
    let lisp = name
        .usage
        .strip_prefix('(')
        .and_then(|usage| usage.strip_prefix(&*name.name));
    match lisp {
        Some(rest) => alloc::format!("({}", rest.trim_start()),
        None => name
            .usage
            .strip_prefix(&*name.name)
            .unwrap_or_default()
            .into(),
    }
}

/// Splits operands, which are separated by blanks, or in other languages by commas.
fn parameters(operands: &str) -> Vec<&str> {
    let open = operands.strip_prefix('(').unwrap_or(operands);
    let inner = open.rfind(')').map_or(open, |end| &open[..end]);
    if !inner.contains(',') && !inner.contains('=') {
        return inner.split_whitespace().collect();
    }
    let mut depth = 0_i32;
    let separates = |character: char| {
        depth += match character {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        character == ',' && depth == 0
    };
    inner.split(separates).map(str::trim).collect()
}

/// The only namespace, under the name that is initial in Clojure's editors.
pub(super) const NAMESPACE: &str = "user";
