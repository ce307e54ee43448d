//! Compares the results of programs in the original interpreter with those in this one.

use serde_json::{Value as Json, json};
use zylisp_lang::{Error, Interpreter, Item, Limits, Step};

/// Inputs, each with the original interpreter's output or message, and the JSON that the original server made of the
/// value. They ran in one environment, in this order.
const PAIRS: &str = include_str!("pairs.jsonl");

/// Recorded answers of the original server: JSON or an error for each input.
const TRANSCRIPTS: &str = include_str!("transcripts.jsonl");

const LETTERS: &str = "names have letters of every script; the original reads bytes as Latin-1";

/// Intentional differences.
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
    ("é", "unbound-variable: undefined variable: é", LETTERS),
    ("中", "unbound-variable: undefined variable: 中", LETTERS),
    ("ÿ", "unbound-variable: undefined variable: ÿ", LETTERS),
    (
        "\u{a0}1",
        "syntax-error: illegal token at line 1, col 1: \"\\u00a0\"",
        "the original takes the first byte of the blank for a letter",
    ),
    ("'x", "x", "an apostrophe quotes"),
    ("; only a comment", "nil", "many forms: none is nil"),
    ("", "nil", "many forms: none is nil"),
    ("   ", "nil", "many forms: none is nil"),
    ("; hi", "nil", "many forms: none is nil"),
];

#[test]
fn every_measured_program_gives_what_the_original_gives() {
    assert_eq!(compare(PAIRS), 158);
}

#[test]
fn what_the_original_server_was_asked_in_recorded_conversations_is_answered_alike() {
    assert_eq!(compare(TRANSCRIPTS), 17);
}

fn compare(examples: &str) -> usize {
    let mut interpreter = Interpreter::new(Limits::default());
    let mut count = 0;
    for line in examples.lines() {
        let example: Json = serde_json::from_str(line).unwrap();
        let code = example["code"].as_str().unwrap();
        let result = run(&mut interpreter, code);
        match DIFFERENT.iter().find(|(different, ..)| *different == code) {
            Some((_, expected, why)) => assert_eq!(text(&result), *expected, "{code}: {why}"),
            None => same(code, &example, &result),
        }
        if code == "(reset)" {
            interpreter = Interpreter::new(Limits::default());
        }
        count += 1;
    }
    count
}

/// Result of a program: in print, and as JSON.
type Came = Result<(String, Json), Error>;

fn same(code: &str, example: &Json, result: &Came) {
    match (&example["error"], result) {
        (Json::String(error), Err(ours)) => {
            assert_eq!(original_message(ours), without_stage(error), "{code}");
        }
        (Json::Null, Ok((printed, value))) => {
            if let Some(text) = example.get("text") {
                assert_eq!(Json::from(printed.as_str()), *text, "{code}");
            }
            if let Some(original) = plain(&example["json"]) {
                assert_eq!(*value, original, "{code}");
            }
        }
        _ => panic!("{code}: {example} but {result:?}"),
    }
}

/// Returns the message in the words of the original, which names the operator of a division; the design document does
/// not.
fn original_message(error: &Error) -> String {
    match error.message.as_str() {
        "division by zero" => "/: division by zero".into(),
        message => message.into(),
    }
}

/// Removes the stage, which corresponds to the kind of error here: every fault before evaluation is a syntax error.
fn without_stage(error: &str) -> &str {
    ["tokenize error: ", "parse error: ", "eval error: "]
        .iter()
        .find_map(|stage| error.strip_prefix(stage))
        .unwrap_or(error)
}

/// Converts the content of the original's structs; `None` for functions, which it sends as their source, and for values
/// it cannot send at all.
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

fn run(interpreter: &mut Interpreter, source: &str) -> Came {
    interpreter.begin(source);
    loop {
        if let Step::Done(result) = interpreter.run(1_000) {
            return result.map(|()| (interpreter.printed(1 << 20), json_of(interpreter)));
        }
    }
}

/// Builds the JSON of a value from its parts.
fn json_of(interpreter: &mut Interpreter) -> Json {
    let mut open: Vec<Vec<Json>> = vec![Vec::new()];
    interpreter.rewind();
    while let Some(item) = interpreter.next_item() {
        let value = match item {
            Item::Open => {
                open.push(Vec::new());
                continue;
            }
            Item::Close => Json::from(open.pop().unwrap()),
            Item::Nil => Json::Null,
            Item::Bool(truth) => truth.into(),
            Item::Number(number) => number.into(),
            Item::Text(text) | Item::Symbol(text) => text.into(),
            other => json!(format!("{other:?}")),
        };
        open.last_mut().unwrap().push(value);
    }
    open.pop().unwrap().pop().unwrap()
}

fn text(result: &Came) -> String {
    match result {
        Ok((printed, _)) => printed.clone(),
        Err(error) => error.to_string(),
    }
}
