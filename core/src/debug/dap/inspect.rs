//! Variables and expressions.

use alloc::{format, string::ToString, vec::Vec};

use serde_json::{Value, json};

use super::{Adapter, request::Request};
use crate::{
    Instant,
    debug::{self, Container, DebugError, Reply, RequestId, Variable},
};

/// Variables that an editor may ask for by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference {
    /// The frame that expressions are evaluated in.
    pub(super) frame: usize,
    pub(super) container: Container,
}

/// What an editor waits for.
#[derive(Debug)]
pub(super) struct Question {
    request: Request,
    frame: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Variables,
    Evaluate,
    Set,
    /// An assignment by `setExpression`, after which the value is asked for.
    Assign,
}

impl Adapter {
    fn ask(&mut self, asked: Result<RequestId, DebugError>, question: Question) {
        match asked {
            Ok(id) => drop(self.questions.insert(id, question)),
            Err(error) => self.refuse(&question.request, &error.to_string()),
        }
    }

    fn with_session(
        &mut self,
        ask: impl FnOnce(&mut debug::Session) -> Result<RequestId, DebugError>,
    ) -> Result<RequestId, DebugError> {
        self.session.as_mut().map_or(Err(DebugError::Over), ask)
    }

    pub(super) fn variables(&mut self, now: Instant, request: Request) {
        let number = request.number("variablesReference").unwrap_or_default();
        let Some(Reference { frame, container }) = self.stops.referred(number) else {
            return self.refuse(
                &request,
                "these variables are gone: the program has run since",
            );
        };
        let container = match container {
            Container::Items { of, count, .. } => Container::Items {
                of,
                start: request.number("start").unwrap_or_default(),
                count: request
                    .number("count")
                    .filter(|&count| count > 0)
                    .unwrap_or(count)
                    .min(MOST_ITEMS),
            },
            Container::Locals(_) | Container::Globals(_) => container,
        };
        let asked = self.with_session(|session| session.variables(now, container));
        self.ask(
            asked,
            Question {
                request,
                frame,
                kind: Kind::Variables,
            },
        );
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
            return self.refuse(&request, &DebugError::Syntax.to_string());
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

    /// What is typed into the console of a running program is its input.
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
        let Some(Reference { frame, container }) = self.stops.referred(number) else {
            return self.refuse(
                &request,
                "these variables are gone: the program has run since",
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
        let asked = self.with_session(|session| session.evaluate(now, frame, &statement));
        self.ask(
            asked,
            Question {
                request,
                frame,
                kind: Kind::Assign,
            },
        );
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
            (Err(error), _) => self.refuse(&request, &error.to_string()),
            (Ok(Reply::Variables(variables)), _) => {
                let variables: Vec<_> = variables
                    .iter()
                    .map(|one| self.variable(frame, one))
                    .collect();
                self.answer(&request, json!({"variables": variables}));
            }
            (Ok(Reply::Value(value)), Kind::Set | Kind::Assign) => {
                let body = self.value(frame, &value, "value");
                self.answer(&request, body);
            }
            (Ok(Reply::Value(value)), _) => {
                let body = self.value(frame, &value, "result");
                self.answer(&request, body);
            }
            (Ok(Reply::Done), Kind::Assign) => {
                let value = request.text("value").unwrap_or_default().to_string();
                self.answer(&request, json!({"value": value}));
            }
            (Ok(Reply::Done), _) => {
                self.answer(&request, json!({"result": "", "variablesReference": 0}));
            }
        }
    }

    /// A value as the protocol has it; the field for its text has another name in each answer.
    fn value(&mut self, frame: usize, value: &debug::Value, field: &str) -> Value {
        let count = value.length.unwrap_or(MOST_ITEMS);
        let reference = value.handle.map_or(0, |of| {
            let container = Container::Items {
                of,
                start: 0,
                count,
            };
            self.stops.reference(Reference { frame, container })
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

    fn variable(&mut self, frame: usize, variable: &Variable) -> Value {
        let mut shown = self.value(frame, &variable.value, "value");
        shown["name"] = variable.name.clone().into();
        if is_name(&variable.name) {
            shown["evaluateName"] = variable.name.clone().into();
        }
        shown
    }
}

fn is_name(text: &str) -> bool {
    let is_start = |one: char| one.is_alphabetic() || one == '_';
    text.starts_with(is_start) && text.chars().all(|one| one.is_alphanumeric() || one == '_')
}

/// Lists up to this length are shown whole; longer ones in parts.
const FEW_ITEMS: u32 = 100;
/// The most that is fetched at once.
const MOST_ITEMS: u32 = 300;
