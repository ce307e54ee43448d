//! `--json`: what went well and what went wrong, as data.

use std::path::Path;

use flylead_tests::boards::UnixBoard;
use serde_json::{Value, json};

use crate::common::{flylead, folder, json, run, write};

/// The lines of JSON and the exit code. Nothing else is said.
fn lines(board: &Path, words: &[&str]) -> (i32, Vec<Value>) {
    let (code, stdout, stderr) = run(flylead(board, &[&["--json"], words].concat()));
    assert_eq!(stderr, "", "{words:?}");
    let line =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{words:?}: {stdout}"));
    (code, stdout.lines().map(line).collect())
}

/// The one error that a command ends with.
fn error(board: &Path, words: &[&str]) -> (i32, Value) {
    let (code, mut lines) = lines(board, words);
    let last = lines
        .pop()
        .unwrap_or_else(|| panic!("{words:?} says nothing"));
    assert_eq!(last["ok"], json!(false), "{words:?}: {last}");
    assert!(
        last["error"]["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{last}"
    );
    (code, last["error"].clone())
}

#[test]
fn every_error_is_json_with_a_code() {
    let board = UnixBoard::start();
    let none = Path::new("/no/such/port");
    for (board, words, exit, code) in [
        (board.path(), &["fs", "cat", ":none"][..], 5, "refused"),
        (board.path(), &["fs", "cp", "no-such", ":"], 2, "usage"),
        (board.path(), &["fs", "cp"], 2, "usage"),
        (board.path(), &["no-such-command"], 2, "usage"),
        (board.path(), &["repl"], 2, "usage"),
        (board.path(), &["run", "no-such.py"], 2, "usage"),
        (board.path(), &["install", "./no-such"], 2, "usage"),
        (board.path(), &["eval", "1/0"], 1, "raised"),
        (none, &["info"], 3, "no-link"),
        (none, &["export", "stop"], 3, "no-link"),
        (none, &["edit", ":a"], 2, "usage"),
        (Path::new("process:true"), &["exec", "print(1)"], 4, "lost"),
        (
            board.path(),
            &["--timeout", "0.5", "eval", "__import__('time').sleep(99)"],
            4,
            "lost",
        ),
    ] {
        let (number, error) = error(board, words);
        assert_eq!(
            (number, &error["code"]),
            (exit, &json!(code)),
            "{words:?}: {error}"
        );
    }
}

#[test]
fn a_programs_output_and_end_are_lines() {
    let board = UnixBoard::start();
    let (code, said) = lines(board.path(), &["exec", "print('h\u{e9}')"]);
    let text: String = said
        .iter()
        .filter_map(|line| line["stdout"].as_str())
        .collect();
    assert_eq!((code, text.as_str()), (0, "h\u{e9}\n"));
    assert_eq!(
        said.last(),
        Some(&json!({ "ok": true, "outcome": "completed" }))
    );

    let here = folder();
    let file = write(&here, "fail.py", "print(1)\n1/0\n");
    let (code, error) = error(board.path(), &["run", &file]);
    assert_eq!(
        (code, &error["message"]),
        (1, &json!("ZeroDivisionError: divide by zero"))
    );
    let traceback = &error["traceback"];
    assert_eq!(traceback["exception"], "ZeroDivisionError");
    assert_eq!(
        traceback["frames"],
        json!([{ "file": file, "line": 2, "function": "<module>" }])
    );
}

#[test]
fn commands_that_print_nothing_else_say_what_they_did() {
    let board = UnixBoard::start();
    assert_eq!(json(board.path(), &["reset"]), json!({ "reset": "soft" }));
    let mut command = flylead(board.path(), &["--json", "edit", ":new.py"]);
    command.env("VISUAL", "echo 1 >");
    let (code, stdout, _) = run(command);
    let said: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, said),
        (0, json!({ "path": "new.py", "changed": true }))
    );
}
