//! Transfers that Ctrl-C ends.

use std::fs;

use flylead_tests::boards::{Faults, UnixBoard, Wire};

use crate::common::{
    entries, flylead, folder, must, piped, press_ctrl_c, random, started, told_of, wait_until,
    write,
};

/// Slow enough that no transfer of these tests gets to its end.
fn slowly(board: &UnixBoard) -> Wire {
    let faults = Faults {
        baud: Some(200_000),
        ..Faults::default()
    };
    Wire::attach(board.path(), faults)
}

/// At its prompt, and Ctrl-C works.
fn check_board(board: &UnixBoard) {
    assert_eq!(must(board.path(), &["exec", "print(1)"]), "1\n");
    let endless = "print('ready')\nwhile 1:pass";
    let child = started(flylead(board.path(), &["exec", endless]));
    press_ctrl_c(&child);
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 130, "{stderr}");
}

#[test]
fn ctrl_c_ends_an_upload_and_leaves_the_old_file() {
    let board = UnixBoard::start();
    let here = folder();
    let (old, new) = (
        write(&here, "old", "old"),
        write(&here, "new", random(4_000_000)),
    );
    must(board.path(), &["fs", "cp", &old, ":a"]);
    let wire = slowly(&board);
    let child = piped(flylead(wire.path(), &["fs", "cp", &new, ":a"]));
    wait_until("the transfer begins", || entries(&board.flash()) == 2);
    press_ctrl_c(&child);
    let (code, _, stderr) = told_of(child);
    assert_eq!((code, stderr.as_str()), (130, "flylead: interrupted\n"));
    drop(wire);
    assert_eq!(must(board.path(), &["fs", "cat", ":a"]), "old");
    assert_eq!(must(board.path(), &["fs", "ls"]).lines().count(), 1);
    check_board(&board);
}

/// Some of the content has come.
fn has_begun(trace: &str) -> bool {
    let mut progress = trace
        .lines()
        .filter_map(|line| line.strip_prefix("! Progress "));
    progress.any(|bytes| bytes != "0")
}

#[test]
fn ctrl_c_ends_a_download_and_leaves_the_old_file() {
    let board = UnixBoard::start();
    fs::write(board.flash().join("a"), random(4_000_000)).unwrap();
    let here = folder();
    let target = write(&here, "copy", "old");
    let wire = slowly(&board);
    let trace = here.path().join("trace").display().to_string();
    let words = ["--trace", &trace, "fs", "cp", ":a", &target];
    let child = piped(flylead(wire.path(), &words));
    wait_until("the transfer begins", || {
        fs::read_to_string(&trace).is_ok_and(|text| has_begun(&text))
    });
    press_ctrl_c(&child);
    let (code, _, stderr) = told_of(child);
    assert_eq!((code, stderr.as_str()), (130, "flylead: interrupted\n"));
    drop(wire);
    assert_eq!(fs::read(&target).unwrap(), b"old");
    check_board(&board);
}
