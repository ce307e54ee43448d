//! Variables and expressions.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::{Value, json};

use super::{Adapter, request::Request};
use crate::{
    Instant,
    debug::{
        self, Container, DebugError, Handle, Reply, RequestId, Variable, source::free_names,
        wire::quote,
    },
};

/// Variables that an editor may request by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// Frame in which expressions are evaluated.
    pub(super) frame: usize,
    pub(super) container: Container,
    /// Value that contains these items.
    pub(super) parent: Option<Parent>,
}

impl Reference {
    /// True if the value does not report its number of variables.
    fn is_object(&self) -> bool {
        let is_listed = |kind: &str| matches!(kind, "list" | "tuple" | "dict" | "set");
        self.parent
            .as_ref()
            .is_some_and(|parent| !is_listed(&parent.kind))
    }

    /// Returns true if the container may have variables of the requested kind.
    fn has(&self, filter: Option<&str>) -> bool {
        match (filter, self.container) {
            (Some("indexed"), Container::Items { .. }) => !self.is_object(),
            (Some("named"), Container::Items { .. }) => self.parent.is_none() || self.is_object(),
            (Some("indexed"), _) => false,
            _ => true,
        }
    }
}

/// A value, as given by an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parent {
    expression: String,
    /// Name of the value's type.
    kind: String,
}

/// Request that an editor awaits.
#[derive(Debug)]
pub(super) struct Question {
    request: Request,
    frame: usize,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Variables(Reference),
    Evaluate,
    Set,
    /// An assignment by `setExpression`, and the request for the target's new value.
    Assign(RequestId),
}

impl Adapter {
    fn ask(&mut self, asked: Result<RequestId, DebugError>, question: Question) {
        match asked {
            Ok(id) => drop(self.questions.insert(id, question)),
            Err(error) => self.refuse(&question.request, &error.to_string()),
        }
    }

    /// Takes the questions of a request that awaits the board, and returns the request.
    pub(super) fn take_questions(&mut self, seq: Option<i64>) -> Option<Request> {
        let is_it = |question: &Question| Some(question.request.seq) == seq;
        let found = self.questions.values().find(|one| is_it(one))?;
        let request = found.request.clone();
        self.questions.retain(|_, one| !is_it(one));
        Some(request)
    }

    fn with_session<R>(
        &mut self,
        ask: impl FnOnce(&mut debug::Session) -> Result<R, DebugError>,
    ) -> Result<R, DebugError> {
        self.session.as_mut().map_or(Err(DebugError::Over), ask)
    }

    pub(super) fn variables(&mut self, now: Instant, request: Request) {
        let number = request.number("variablesReference").unwrap_or_default();
        let Some(reference) = self.stops.referred(number) else {
            return self.refuse(
                &request,
                "these variables are no longer valid: the program has continued since",
            );
        };
        if !reference.has(request.text("filter")) {
            return self.answer(&request, json!({"variables": []}));
        }
        let wanted = request.number("count").filter(|&count| count > 0);
        let container = match reference.container {
            Container::Items { of, start, count } => {
                let skipped = request.number("start").unwrap_or_default();
                let start = start.saturating_add(skipped);
                let rest = match reference.is_object() {
                    true => wanted.unwrap_or(FEW_ITEMS),
                    false => count.saturating_sub(skipped),
                };
                if wanted.is_none() && rest > FEW_ITEMS {
                    return self.pages(&request, &reference, of, start, rest);
                }
                let count = wanted.unwrap_or(rest).min(rest);
                Container::Items { of, start, count }
            }
            other => other,
        };
        let asked = self.with_session(|session| session.variables(now, container));
        self.ask(
            asked,
            Question {
                request,
                frame: reference.frame,
                kind: Kind::Variables(reference),
            },
        );
    }

    /// Answers with parts of a long value, for an editor that requests all of it.
    fn pages(
        &mut self,
        request: &Request,
        reference: &Reference,
        of: Handle,
        start: u32,
        count: u32,
    ) {
        let mut size = FEW_ITEMS;
        while count / size > FEW_ITEMS {
            size = size.saturating_mul(FEW_ITEMS);
        }
        let end = start.saturating_add(count);
        let starts = (start..end).step_by(size as usize);
        let pages: Vec<_> = starts
            .map(|first| {
                let count = size.min(end - first);
                let number = self.stops.reference(Reference {
                    container: Container::Items {
                        of,
                        start: first,
                        count,
                    },
                    ..reference.clone()
                });
                let name = format!("[{first} … {}]", first + count - 1);
                json!({"name": name, "value": "", "variablesReference": number})
            })
            .collect();
        self.answer(request, json!({"variables": pages}));
    }

    pub(super) fn evaluate(&mut self, now: Instant, request: Request) {
        let python = request.text("expression").unwrap_or_default().to_string();
        let is_console = request.text("context") == Some("repl");
        if is_console && self.stops.stop.is_none() {
            return self.type_in(&request, &python);
        }
        let Some(frame) = self.frame(&request) else {
            return self.refuse(&request, &DebugError::Running.to_string());
        };
        if !is_console && !debug::is_expression(&python) {
            return match free_names(&python) {
                Some(_) => self.refuse(&request, STATEMENT),
                None => self.refuse(&request, &DebugError::Syntax.to_string()),
            };
        }
        let asked = self.with_session(|session| session.evaluate(now, frame, &python));
        self.ask(
            asked,
            Question {
                request,
                frame,
                kind: Kind::Evaluate,
            },
        );
    }

    /// Passes text typed into the console to the running program as input.
    fn type_in(&mut self, request: &Request, line: &str) {
        let done = self.session.as_mut().map(|session| session.type_in(line));
        match done {
            Some(Err(error)) => self.refuse(request, &error.to_string()),
            _ => self.answer(request, json!({"result": "", "variablesReference": 0})),
        }
    }

    pub(super) fn set_variable(&mut self, now: Instant, request: Request) {
        let number = request.number("variablesReference").unwrap_or_default();
        let [name, python] =
            ["name", "value"].map(|field| request.text(field).unwrap_or_default().to_string());
        let Some(Reference {
            frame, container, ..
        }) = self.stops.referred(number)
        else {
            return self.refuse(
                &request,
                "these variables are no longer valid: the program has continued since",
            );
        };
        let asked = self
            .with_session(|session| session.set_variable(now, frame, container, &name, &python));
        self.ask(
            asked,
            Question {
                request,
                frame,
                kind: Kind::Set,
            },
        );
    }

    pub(super) fn set_expression(&mut self, now: Instant, request: Request) {
        let [target, python] = ["expression", "value"]
            .map(|field| request.text(field).unwrap_or_default().to_string());
        let Some(frame) = self.frame(&request) else {
            return self.refuse(&request, &DebugError::Running.to_string());
        };
        let statement = format!("{target} = {python}");
        let asked = self.with_session(|session| {
            let assigned = session.evaluate(now, frame, &statement)?;
            Ok((assigned, session.evaluate(now, frame, &target)?))
        });
        match asked {
            Ok((assigned, value)) => {
                let question = |kind| Question {
                    request: request.clone(),
                    frame,
                    kind,
                };
                self.questions
                    .insert(assigned, question(Kind::Assign(value)));
                self.questions.insert(value, question(Kind::Set));
            }
            Err(error) => self.refuse(&request, &error.to_string()),
        }
    }

    pub(super) fn replied(&mut self, id: RequestId, reply: Result<Reply, DebugError>) {
        let Some(Question {
            request,
            frame,
            kind,
        }) = self.questions.remove(&id)
        else {
            return;
        };
        match (reply, kind) {
            (Err(error), kind) => {
                if let Kind::Assign(value) = kind {
                    self.questions.remove(&value);
                }
                self.refuse(&request, &error.to_string());
            }
            (Ok(Reply::Variables(variables)), Kind::Variables(reference)) => {
                let shown = variables.iter().map(|one| self.variable(&reference, one));
                let mut shown: Vec<_> = shown.collect();
                if reference.is_object() && variables.len() == FEW_ITEMS as usize {
                    let rest = "there may be more; request them by name";
                    shown.push(json!({"name": "…", "value": rest, "variablesReference": 0}));
                }
                self.answer(&request, json!({"variables": shown}));
            }
            (Ok(Reply::Variables(_)), _) => self.answer(&request, json!({"variables": []})),
            // The value follows.
            (Ok(_), Kind::Assign(_)) => {}
            (Ok(Reply::Value(value)), Kind::Set) => {
                let body = self.value(frame, &value, "value", None);
                self.answer(&request, body);
            }
            (Ok(Reply::Value(value)), _) => {
                let expression = request.text("expression").map(|text| format!("({text})"));
                let body = self.value(frame, &value, "result", expression);
                self.answer(&request, body);
            }
            (Ok(Reply::Done), _) => {
                self.answer(&request, json!({"result": "", "variablesReference": 0}));
            }
        }
    }

    /// Converts a value to the protocol's form; the field for its text has a different name in each answer.
    fn value(
        &mut self,
        frame: usize,
        value: &debug::Value,
        field: &str,
        expression: Option<String>,
    ) -> Value {
        // An object does not report its number of attributes.
        let count = value.length.unwrap_or(FEW_ITEMS);
        let parent = expression.map(|expression| Parent {
            expression,
            kind: value.kind.clone(),
        });
        let reference = value.handle.map_or(0, |of| {
            let container = Container::Items {
                of,
                start: 0,
                count,
            };
            self.stops.reference(Reference {
                frame,
                container,
                parent,
            })
        });
        let mut shown = json!({field: value.text, "variablesReference": reference});
        if !value.kind.is_empty() {
            shown["type"] = value.kind.clone().into();
        }
        let is_long = value.length.is_some_and(|length| length > FEW_ITEMS);
        if reference > 0
            && is_long
            && matches!(value.kind.as_str(), "list" | "tuple" | "dict" | "set")
        {
            shown["indexedVariables"] = count.into();
        }
        shown
    }

    fn variable(&mut self, of: &Reference, variable: &Variable) -> Value {
        let is_body = self.is_body(of.frame);
        let expression = expression(of, &variable.name, is_body);
        let mut shown = self.value(of.frame, &variable.value, "value", expression.clone());
        shown["name"] = variable.name.clone().into();
        if let Some(expression) = expression {
            shown["evaluateName"] = expression.into();
        }
        shown
    }
}

/// Returns an expression for this variable, evaluated in its frame; `None` if there is no such expression.
fn expression(of: &Reference, name: &str, is_body: bool) -> Option<String> {
    match (&of.container, &of.parent) {
        (Container::Locals(_), _) => is_name(name).then(|| name.to_string()),
        (Container::Globals(_), _) if is_body => is_name(name).then(|| name.to_string()),
        // The function may have a variable of this name.
        (Container::Globals(_), _) => Some(format!("globals()[{}]", quote(name))),
        (Container::Items { .. }, None) => None,
        (Container::Items { .. }, Some(Parent { expression, kind })) => match kind.as_str() {
            "list" | "tuple" => Some(format!("{expression}[{name}]")),
            // The output of `repr` for a key may not be an expression, or may denote another object.
            "dict" => is_literal(name).then(|| format!("{expression}[{name}]")),
            "set" => Some(format!("list({expression})[{name}]")),
            _ => is_name(name).then(|| format!("{expression}.{name}")),
        },
    }
}

/// Returns true for the literal of a text or a number.
fn is_literal(text: &str) -> bool {
    let is_start = |one: char| one.is_ascii_digit() || matches!(one, '\'' | '"' | '-');
    (text.starts_with(is_start) || matches!(text, "None" | "True" | "False"))
        && debug::is_expression(text)
}

fn is_name(text: &str) -> bool {
    let is_start = |one: char| one.is_alphabetic() || one == '_';
    text.starts_with(is_start) && text.chars().all(|one| one.is_alphanumeric() || one == '_')
}

const STATEMENT: &str =
    "this is a statement and not an expression; the debug console runs statements";
/// Lists up to this length are shown whole; longer ones in parts.
const FEW_ITEMS: u32 = 100;
