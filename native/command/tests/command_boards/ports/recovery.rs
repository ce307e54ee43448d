//! Tests the restart of boards that no longer answer. The port is a link, and the restart makes it lead to another board.

use std::{
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use flylead_tests::boards::{Recorder, UnixBoard};
use tempfile::TempDir;

use crate::common::{flylead, folder, run_with_notes, write};

/// A port that leads to one board, and the command line that makes it lead to another.
struct Port {
    path: PathBuf,
    recover: String,
}

impl Port {
    fn new(home: &TempDir, now: &Path, then: &Path) -> Self {
        let path = home.path().join("port");
        symlink(now, &path).expect("the folder is new");
        let recover = format!("ln -sfn {} \"$FLYLEAD_PORT\"", then.display());
        Self { path, recover }
    }
}

/// A device that says nothing.
fn mute() -> Recorder {
    Recorder::start(|_, _| {})
}

#[test]
fn a_board_that_does_not_answer_is_restarted_once_and_then_used() {
    let (home, mute, board) = (folder(), mute(), UnixBoard::start());
    let port = Port::new(&home, mute.path(), board.path());
    let words = [
        "--timeout",
        "3",
        "--recover",
        &port.recover,
        "exec",
        "print(6*7)",
    ];
    let (code, stdout, stderr) = run_with_notes(flylead(&port.path, &words));
    assert_eq!((code, &*stdout), (0, "42\n"), "{stderr}");
    assert!(
        stderr.contains("restarting the board by ln -sfn"),
        "{stderr}"
    );
    // A board that answers is left alone, also by each.
    let path = port.path.to_str().expect("it is text");
    let words = [
        "each",
        path,
        "--recover",
        "exit 1",
        "--",
        "exec",
        "print(1)",
    ];
    let (code, stdout, stderr) = run_with_notes(flylead(&port.path, &words));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let words = ["--recover", "exit 1", "exec", "print(1)"];
    let (code, stdout, stderr) = run_with_notes(flylead(&port.path, &words));
    assert_eq!((code, &*stdout, &*stderr), (0, "1\n", ""));
}

#[test]
fn a_restart_that_fails_is_reported_with_its_command() {
    let (home, mute) = (folder(), mute());
    let port = Port::new(&home, mute.path(), mute.path());
    let words = ["--timeout", "3", "--recover", "exit 3", "exec", "1"];
    let (code, stdout, stderr) = run_with_notes(flylead(&port.path, &words));
    assert_ne!(code, 0);
    assert_eq!(stdout, "");
    assert!(
        stderr.contains("the board was not restarted: `exit 3` failed: exit status: 3"),
        "{stderr}"
    );
    let words = ["--timeout", "3", "--recover", "dtr", "exec", "1"];
    let (_, _, stderr) = run_with_notes(flylead(&port.path, &words));
    assert!(!stderr.contains("panicked"), "{stderr}");
    let (code, _, stderr) = run_with_notes(flylead(&port.path, &["--recover", " ", "exec", "1"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("write dtr, rts, or a command"), "{stderr}");
}

/// The first file's test swallows every interrupt, so its board is lost. The second file runs on the restarted board.
#[test]
fn a_board_that_is_lost_in_a_test_is_restarted_for_the_next_file() {
    let (home, wedged, board) = (folder(), UnixBoard::start(), UnixBoard::start());
    let port = Port::new(&home, wedged.path(), board.path());
    let stubborn = "def test_forever():\n    while True:\n        try:\n            while True:\n                pass\n\
                    \x20       except KeyboardInterrupt:\n            pass\n";
    let first = write(&home, "tests/test_a.py", stubborn);
    let second = write(&home, "tests/test_b.py", "def test_b():\n    assert True\n");
    let words = ["--recover", &port.recover, "test", "--timeout", "2"];
    let words = [&words[..], &[&first, &second]].concat();
    let (code, stdout, stderr) = run_with_notes(flylead(&port.path, &words));
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stderr.contains("was lost and restarted"), "{stderr}");
    assert!(stdout.contains("1 passed"), "{stdout}");
}
