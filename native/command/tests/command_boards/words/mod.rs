//! Tests the words of errors: the board's errors for a person, with their remedies.

mod completions;
mod documented_lines;
mod errors;
mod json;
mod mpremote;
mod mpremote_lines;

use std::path::Path;

use flylead_tests::boards::{Microbit, UnixBoard};

use crate::common::{flylead, folder, must, run, write};

/// Runs it and expects these words, this exit code, and no traceback of ours.
fn says(board: &Path, arguments: &[&str], exit: i32, words: &str) {
    let (code, stdout, stderr) = run(flylead(board, arguments));
    assert_eq!(
        (code, stdout.as_str()),
        (exit, ""),
        "{arguments:?}: {stderr}"
    );
    assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    assert!(!stderr.contains("Traceback"), "{arguments:?}: {stderr}");
}

#[test]
fn a_name_that_is_too_long_is_called_so() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "a", "a");
    let name = format!(":{}", "x".repeat(256));
    for words in [
        &["fs", "cp", &file, &name][..],
        &["fs", "cp", "--in-place", &file, &name],
        &["fs", "cat", &name],
        &["fs", "rm", &name],
        &["fs", "mkdir", &name],
        &["fs", "touch", &name],
        &["fs", "stat", &name],
        &["fs", "sha256", &name],
    ] {
        says(board.path(), words, 5, "the name is too long");
    }
    // The longest that the file system takes has room for the name that the file has on its way.
    let longest = format!(":{}", "y".repeat(255));
    must(board.path(), &["fs", "cp", &file, &longest]);
    assert_eq!(must(board.path(), &["fs", "cat", &longest]), "a");
}

#[test]
fn a_directory_takes_what_is_moved_or_copied_into_it() {
    let board = UnixBoard::start();
    must(board.path(), &["fs", "mkdir", ":a", ":lib"]);
    must(board.path(), &["fs", "touch", ":a/x", ":y"]);
    must(board.path(), &["fs", "mv", ":y", ":lib"]);
    must(board.path(), &["fs", "cp", "-r", ":a", ":b"]);
    for there in ["lib/y", "b/x", "a/x"] {
        assert!(board.flash().join(there).is_file(), "{there}");
    }
    says(
        board.path(),
        &["fs", "mv", ":lib/y", ":none/y"],
        5,
        ":none/y: the parent directory does not exist",
    );
}

#[test]
fn what_a_board_lacks_is_called_by_its_name() {
    let board = Microbit::start();
    must(board.path(), &["fs", "touch", ":a"]);
    // It has no SHA-256 either; this computer reads the file and has one.
    let hash = must(board.path(), &["fs", "sha256", ":a"]);
    assert!(hash.starts_with("e3b0c442"), "{hash}");
    for (words, lacks) in [
        (&["fs", "mkdir", ":d"][..], "directories"),
        (&["fs", "df"], "os.statvfs"),
    ] {
        says(board.path(), words, 5, lacks);
    }
    // It cannot rename either, so a file is copied, and the old one removed.
    must(board.path(), &["fs", "mv", ":a", ":b"]);
    assert!(must(board.path(), &["fs", "ls"]).ends_with("  b\n"));
}
