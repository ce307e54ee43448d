//! Reports the result of an evaluation to people and programs.

use std::{collections::VecDeque, fmt::Write as _};

use flylead_native::zylisp::{
    EvalError, Reply, ReplyOutcome,
    lang::{Call, Place},
    text_of,
};
use serde_json::{Value as Json, json};

use crate::{
    Exit, Failure,
    terminal::{print, print_line, say},
};

/// Programs that errors may be in, by the server's names for them.
#[derive(Default)]
pub(super) struct Programs(VecDeque<(Option<String>, String)>);

impl Programs {
    /// Returns only this program, which has no name.
    pub(super) fn one(program: &str) -> Self {
        Self([(None, program.to_owned())].into())
    }

    /// Keeps another program, up to a limit.
    pub(super) fn keep(&mut self, name: String, program: &str) {
        self.0.push_front((Some(name), program.to_owned()));
        self.0.truncate(PROGRAMS_KEPT);
    }

    fn line(&self, call: &Call) -> Option<&str> {
        let mut programs = self.0.iter();
        let (_, program) = programs.find(|(name, _)| name.as_deref() == call.source.as_deref())?;
        program
            .lines()
            .nth(call.place.line.checked_sub(1)? as usize)
    }
}

/// Prints a reply: output and value on stdout, errors on stderr, with the line of the program that they are in.
pub(super) fn report(reply: Reply, programs: &Programs, as_json: bool) -> Result<Exit, Failure> {
    let exit = exit_of(&reply);
    if as_json {
        print_line(to_json(&reply))?;
        return Ok(exit);
    }
    print(&reply.output)?;
    match reply.outcome {
        // Python's `None`, which its REPL does not show either.
        ReplyOutcome::Value {
            value: Json::Null,
            text: Some(_),
        } => {}
        ReplyOutcome::Value { value, text } => {
            let more = reply.data.contains_key("more");
            print_line(text.unwrap_or_else(|| text_of(&value)) + if more { " …" } else { "" })?;
            if more {
                say(
                    "the value is longer than the server sends at once; `:more` in the REPL continues",
                );
            }
        }
        ReplyOutcome::Error(error) => say(explained(&error, programs).trim_end()),
        ReplyOutcome::Interrupted => say("interrupted"),
        ReplyOutcome::Refused(why) => say(format_args!("refused: {why}")),
    }
    Ok(exit)
}

const fn exit_of(reply: &Reply) -> Exit {
    match reply.outcome {
        ReplyOutcome::Value { .. } => Exit::Done,
        ReplyOutcome::Interrupted => Exit::Interrupted,
        ReplyOutcome::Refused(_) => Exit::Refused,
        ReplyOutcome::Error(_) => Exit::Raised,
    }
}

/// Returns an error with its line, a caret below the place, and the calls that led there.
fn explained(error: &EvalError, programs: &Programs) -> String {
    let mut text = format!("{}: {}\n", error.kind, error.message);
    if let Some(call) = error.trace.first()
        && let Some(line) = programs.line(call)
    {
        let _ = writeln!(text, "{}", pointed_at(line, call.place));
    }
    for call in &error.trace {
        let _ = writeln!(text, "  {call}");
    }
    if error.omitted > 0 {
        let _ = writeln!(text, "  and {} calls between them", error.omitted);
    }
    text
}

/// Returns the line, and below it a caret. Columns count bytes; the text before the place is as wide as its characters.
fn pointed_at(line: &str, place: Place) -> String {
    let column = (place.column as usize).saturating_sub(1);
    let before = &line[..line.floor_char_boundary(column)];
    let blanks: String = before
        .chars()
        .map(|character| if character == '\t' { '\t' } else { ' ' })
        .collect();
    format!("  {line}\n  {blanks}^")
}

fn to_json(reply: &Reply) -> Json {
    let (key, value) = match &reply.outcome {
        ReplyOutcome::Value { value, .. } => ("value", value.clone()),
        ReplyOutcome::Error(error) => ("error", error_as_json(error)),
        ReplyOutcome::Interrupted => ("interrupted", true.into()),
        ReplyOutcome::Refused(why) => ("refused", why.as_str().into()),
    };
    let mut object = json!({"output": reply.output, key: value});
    if reply.data.contains_key("more") {
        object["more"] = true.into();
    }
    object
}

fn error_as_json(error: &EvalError) -> Json {
    let trace: Vec<Json> = error.trace.iter().map(call_as_json).collect();
    json!({"type": error.kind, "message": error.message, "trace": trace})
}

fn call_as_json(call: &Call) -> Json {
    let Place { line, column } = call.place;
    json!({"function": call.function, "file": call.source.as_deref(), "line": line, "column": column})
}

/// Number of programs kept to show a line of.
const PROGRAMS_KEPT: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_shown_with_its_line_and_a_caret_below_the_place() {
        let call = |source: Option<&str>, line, column| Call {
            function: Some("f".into()),
            source: source.map(Into::into),
            place: Place { line, column },
        };
        let error = |call| EvalError {
            trace: [call].into(),
            ..EvalError::new("type-error", "no")
        };
        let program = "(define f\n\t(lambda () \"é\" (car 5)))";
        let mut programs = Programs::one(program);
        programs.keep("typed 1".into(), "(car 5)");
        let table = [
            (
                error(call(Some("typed 1"), 1, 1)),
                "type-error: no\n  (car 5)\n  ^\n  in f at typed 1:1:1\n",
            ),
            (
                error(call(None, 2, 18)),
                "type-error: no\n  \t(lambda () \"é\" (car 5)))\n  \t               ^\n  in f at line 2, column 18\n",
            ),
            (
                error(call(Some("a.zl"), 2, 18)),
                "type-error: no\n  in f at a.zl:2:18\n",
            ),
            (
                error(call(None, 9, 1)),
                "type-error: no\n  in f at line 9, column 1\n",
            ),
        ];
        for (error, shown) in table {
            assert_eq!(explained(&error, &programs), shown);
        }
    }
}
