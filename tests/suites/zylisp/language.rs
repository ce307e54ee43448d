//! 158 programs with what the original interpreter makes of them, and what ours does.

use flylead_core::zylisp::lang::{Answer, Error, Interpreter, Limits, Step};
use serde_json::Value as Json;

/// Inputs, each with what was printed or said of it, and the JSON that the original server made of the value. They
/// ran in one environment, in this order.
const PAIRS: &str = include_str!("../../transcripts/zylisp/pairs.jsonl");

/// Where we do otherwise, on purpose.
const DIFFERENT: &[(&str, &str, &str)] = &[
    (
        "9223372036854775808",
        "syntax-error: invalid number \"9223372036854775808\" at line 1, col 1: value out of range",
        "the original's message names a function of Go's library",
    ),
    ("(println \"hello\")", "nil", "the original has no output"),
    ("(+ 1 2) (+ 3 4)", "7", "a source may hold many forms"),
    (
        "(+ 1 2))",
        "syntax-error: unexpected closing paren at line 1, col 8",
        "many forms: what follows a form is read like a form",
    ),
    (
        "1abc",
        "unbound-variable: undefined variable: abc",
        "many forms: a number and a name",
    ),
    ("; only a comment", "nil", "many forms: none is nil"),
    ("", "nil", "many forms: none is nil"),
];

#[test]
fn every_measured_program_gives_what_the_original_gives() {
    let mut interpreter = Interpreter::new(Limits::default());
    let pairs: Vec<Json> = PAIRS
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(pairs.len(), 158);
    for pair in &pairs {
        let code = pair["code"].as_str().unwrap();
        let result = run(&mut interpreter, code);
        match DIFFERENT.iter().find(|(different, ..)| *different == code) {
            Some((_, expected, why)) => assert_eq!(text(&result), *expected, "{code}: {why}"),
            None => same(code, pair, &result),
        }
        if code == "(reset)" {
            interpreter = Interpreter::new(Limits::default());
        }
    }
}

fn same(code: &str, pair: &Json, result: &Result<Answer, Error>) {
    match (&pair["error"], result) {
        (Json::String(error), Err(ours)) => {
            assert_eq!(original_message(ours), without_stage(error), "{code}");
        }
        (Json::Null, Ok(answer)) => {
            assert_eq!(Json::from(answer.to_string()), pair["text"], "{code}");
            if let Some(value) = plain(&pair["json"]) {
                assert_eq!(answer.value, value, "{code}");
            }
        }
        _ => panic!("{code}: {pair} but {result:?}"),
    }
}

/// The message as the original words it: it names the operator of a division, as the design document does not.
fn original_message(error: &Error) -> String {
    match error.message.as_str() {
        "division by zero" => "/: division by zero".into(),
        message => message.into(),
    }
}

/// The stage is our kind of error: everything before evaluation is a syntax error.
fn without_stage(error: &str) -> &str {
    ["tokenize error: ", "parse error: ", "eval error: "]
        .iter()
        .find_map(|stage| error.strip_prefix(stage))
        .unwrap_or(error)
}

/// What the original's structs hold. `None` for functions, which it sends as their source, and for what it cannot
/// send at all.
fn plain(value: &Json) -> Option<Json> {
    let object = value.as_object()?;
    if object.is_empty() {
        return Some(Json::Null);
    }
    if let Some(elements) = object.get("Elements") {
        let elements = elements.as_array().map(Vec::as_slice).unwrap_or_default();
        return elements
            .iter()
            .map(plain)
            .collect::<Option<Vec<_>>>()
            .map(Json::Array);
    }
    object.get("Value").or(object.get("Name")).cloned()
}

fn run(interpreter: &mut Interpreter, source: &str) -> Result<Answer, Error> {
    interpreter.begin(source);
    loop {
        if let Step::Done(result) = interpreter.run(1_000) {
            return result;
        }
    }
}

fn text(result: &Result<Answer, Error>) -> String {
    match result {
        Ok(answer) => answer.to_string(),
        Err(error) => error.to_string(),
    }
}
