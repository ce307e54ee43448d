//! `flylead test` when a test hangs, when boards are lost, and on two boards at once.

use std::{fs, path::Path};

use flylead_tests::boards::{Faults, UnixBoard, Wire};
use serde_json::Value;

use super::testing::{events, named, of, outcomes, read_events, tests, tests_on};
use crate::common::{flylead, folder, piped, press_ctrl_c, run, told_of, wait_until, write};

#[test]
fn a_test_past_its_time_is_interrupted_and_the_next_one_runs() {
    let (board, folder) = (UnixBoard::start(), folder());
    let source = "\
import time
def test_hangs():
    print('on its way')
    while True: time.sleep(0.01)
def test_resists():
    for n in range(2):
        try:
            while True: time.sleep(0.01)
        except KeyboardInterrupt: pass
def test_next(): pass
";
    write(&folder, "test_a.py", source);
    let (code, events) = events(board.path(), &folder, &["--timeout", "5"]);
    assert_eq!(code, 1);
    let ends = outcomes(&events);
    let ends: Vec<_> = ends.iter().map(|(_, outcome)| outcome.as_str()).collect();
    assert_eq!(ends, ["failed", "failed", "passed"], "{events:?}");
    let hung = of(&events, "test_hangs");
    assert_eq!(
        hung["message"],
        "it exceeded its time limit of 5 s and was interrupted"
    );
    assert_eq!(hung["printed"], "on its way\n");
    assert_eq!(hung["line"], 4);
}

/// A file whose only test says that it has begun, in a file on its board, and waits there for another file.
fn waiting(test: &str) -> String {
    format!(
        "import os\ndef {test}():\n open('begun','w').close()\n while 'go' not in os.listdir(): pass\n"
    )
}

#[test]
fn two_boards_run_two_files_at_once() {
    let (one, other, folder) = (UnixBoard::start(), UnixBoard::start(), folder());
    write(&folder, "test_a.py", waiting("test_a"));
    write(&folder, "test_b.py", waiting("test_b"));
    let child = piped(tests_on([one.path(), other.path()], &folder, &["-v"]));
    let flashes = [one.flash(), other.flash()];
    for flash in &flashes {
        wait_until("both have begun", || flash.join("begun").exists());
    }
    for flash in &flashes {
        fs::write(flash.join("go"), "").unwrap();
    }
    let (code, stdout, stderr) = told_of(child);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    for board in [one.path(), other.path()] {
        let line = format!("\n[{}] test_", board.display());
        assert_eq!(stdout.matches(&line).count(), 1, "{stdout}");
    }
}

/// A wire that is pulled out after so many bytes from the board.
fn cut_after(board: &UnixBoard, bytes: usize) -> Wire {
    let unplug_after = Some(bytes);
    let faults = Faults {
        unplug_after,
        ..Faults::default()
    };
    Wire::attach(board.path(), faults)
}

#[test]
fn a_board_that_is_pulled_out_is_named_and_what_is_left_are_errors() {
    let (board, folder) = (UnixBoard::start(), folder());
    let wire = cut_after(&board, 20_000);
    let source =
        "def test_a(): pass\ndef test_b():\n while True: print('x' * 100)\ndef test_c(): pass\n";
    write(&folder, "test_a.py", source);
    write(&folder, "test_z.py", "def test_d(): pass\n");
    let (code, events) = events(wire.path(), &folder, &[]);
    assert_eq!(code, 1);
    let expected = [
        ("test_a", "passed"),
        ("test_b", "error"),
        ("test_c", "error"),
        ("", "error"),
    ];
    assert_eq!(outcomes(&events), named(&expected), "{events:?}");
    let message = |event: &Value| event["message"].as_str().unwrap_or_default().to_owned();
    assert!(
        message(of(&events, "test_b")).starts_with("the board was lost: "),
        "{events:?}"
    );
    assert_eq!(
        message(of(&events, "test_c")),
        "it did not run: the board was lost"
    );
    let lost = events
        .iter()
        .find(|event| event["event"] == "lost")
        .unwrap();
    assert_eq!(lost["board"], wire.path().to_str().unwrap());
    let left = events
        .iter()
        .find(|event| event["file"] == "test_z.py")
        .unwrap();
    assert_eq!(message(left), "it did not run: no board is left");
}

#[test]
fn the_other_board_takes_the_files_of_one_that_is_lost() {
    let (one, other, folder) = (UnixBoard::start(), UnixBoard::start(), folder());
    let wire = cut_after(&one, 20_000);
    let source = "\
import os
def test_a():
 open('begun','w').close()
 if 'stays' not in os.listdir():
  while True: print('x' * 100)
 while 'go' not in os.listdir(): pass
";
    fs::write(other.flash().join("stays"), "").unwrap();
    for name in ["test_a.py", "test_b.py", "test_c.py"] {
        write(&folder, name, source);
    }
    let child = piped(tests_on([wire.path(), other.path()], &folder, &["--json"]));
    wait_until("it has begun", || one.flash().join("begun").exists());
    fs::write(other.flash().join("go"), "").unwrap();
    let (code, events) = read_events(told_of(child));
    assert_eq!(code, 1);
    let ends = outcomes(&events);
    let count = |wanted: &str| ends.iter().filter(|(_, outcome)| outcome == wanted).count();
    assert_eq!((count("error"), count("passed")), (1, 2), "{events:?}");
}

#[test]
fn a_board_that_restarts_goes_on_with_the_next_test() {
    let (board, folder) = (UnixBoard::start(), folder());
    let source = "\
def test_a():
 open('begun','w').close()
 while True: pass
def test_b(): pass
";
    write(&folder, "test_a.py", source);
    let child = piped(tests(board.path(), &folder, &["--json"]));
    wait_until("it has begun", || board.flash().join("begun").exists());
    board.reset();
    let (code, events) = read_events(told_of(child));
    assert_eq!(code, 1, "{events:?}");
    let expected = [("test_a", "error"), ("test_b", "passed")];
    assert_eq!(outcomes(&events), named(&expected), "{events:?}");
    assert_eq!(
        of(&events, "test_a")["message"],
        "the board restarted during the test"
    );
}

#[test]
fn ctrl_c_ends_the_tests_and_leaves_the_board_at_its_prompt() {
    let (board, folder) = (UnixBoard::start(), folder());
    write(&folder, "test_a.py", waiting("test_a"));
    let child = piped(tests(board.path(), &folder, &[]));
    wait_until("it has begun", || board.flash().join("begun").exists());
    press_ctrl_c(&child);
    let (code, stdout, stderr) = told_of(child);
    assert_eq!(code, 2, "{stdout}{stderr}");
    assert!(stdout.contains("interrupted"), "{stdout}");
    let (code, stdout, _) = run(flylead(board.path(), &["exec", "print(1)"]));
    assert_eq!((code, stdout.as_str()), (0, "1\n"));
}

#[test]
fn a_board_that_is_not_there_is_no_link() {
    let folder = folder();
    write(&folder, "test_a.py", "def test_a(): pass\n");
    let (code, _, stderr) = run(tests(Path::new("/dev/no-such-board"), &folder, &[]));
    assert_eq!(code, 3, "{stderr}");
}
