//! `flylead reset`: what counts as one.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use flylead_tests::boards::{Faults, Microbit, UnixBoard, Wire};
use tempfile::TempDir;

use crate::common::{done, flylead, folder, piped, run, told_of, wait_until};

/// Starts a board whose `machine` does this.
fn board_with(machine: &str) -> UnixBoard {
    let board = UnixBoard::start();
    fs::write(board.flash().join("machine.py"), machine).unwrap();
    board
}

/// Its reset waits for the test to pull the plug.
const WAITS: &str = "
def reset():
    open('now', 'w').close()
    while True: pass
bootloader = reset
";

/// It answers as an ESP's ROM does, once it has started.
const ROM: &str = "
def bootloader():
    import sys
    print('waiting for download')
    seen = b''
    while b'\\xc0\\0\\x08' not in seen or not seen.endswith(b'\\xc0'):
        seen += sys.stdin.buffer.read(1)
    sys.stdout.buffer.write(b'\\xc0\\x01\\x08\\x04\\0\\x07\\x07\\x12\\x20\\0\\0\\0\\0\\xc0')
    while True:
        try:
            while True: pass
        except KeyboardInterrupt: pass
";

/// Nothing answers at its port any more.
const DEAF: &str = "
def bootloader():
    while True:
        try:
            while True: pass
        except KeyboardInterrupt: pass
";

/// A serial port that can be taken away: a link, as systems give to boards.
struct Port(TempDir, Option<Wire>);

impl Port {
    fn new(board: &UnixBoard) -> Self {
        let mut port = Self(folder(), None);
        port.plug_in(board);
        port
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("port")
    }

    fn plug_in(&mut self, board: &UnixBoard) {
        let wire = Wire::attach(board.path(), Faults::default());
        symlink(wire.path(), self.path()).unwrap();
        self.1 = Some(wire);
    }

    fn pull_out(&mut self) {
        fs::remove_file(self.path()).unwrap();
        self.1 = None;
    }
}

fn refused(board: &Path, words: &[&str], why: &str) {
    let (code, _, stderr) = run(flylead(board, words));
    assert_eq!(code, 4, "{words:?}: {stderr}");
    assert!(stderr.contains(why), "{words:?}: {stderr}");
}

#[test]
fn what_is_no_board_cannot_be_reset() {
    for word in ["--hard", "--bootloader"] {
        let words = ["--timeout", "2", "reset", word];
        refused(Path::new("process:cat"), &words, "no board answered within");
    }
}

#[test]
fn a_board_that_restarts_behind_its_port_is_seen() {
    let board = board_with(WAITS);
    let child = piped(flylead(board.path(), &["reset", "--hard"]));
    wait_until("reset is called", || board.flash().join("now").exists());
    board.reset();
    assert_eq!(told_of(child), done(""));

    let board = Microbit::start();
    assert_eq!(run(flylead(board.path(), &["exec", "a = 1"])), done(""));
    assert_eq!(run(flylead(board.path(), &["reset", "--hard"])), done(""));
    assert_eq!(run(flylead(board.path(), &["eval", "a"])).0, 1);
}

#[test]
fn a_board_whose_port_goes_and_comes_is_seen() {
    let board = board_with(WAITS);
    let mut port = Port::new(&board);
    let child = piped(flylead(&port.path(), &["reset", "--hard"]));
    wait_until("reset is called", || board.flash().join("now").exists());
    port.pull_out();
    board.reset();
    port.plug_in(&board);
    assert_eq!(told_of(child), done(""));
}

#[test]
fn a_board_that_does_not_come_back_is_told() {
    let board = board_with(WAITS);
    let mut port = Port::new(&board);
    let words = ["--timeout", "4", "reset", "--hard"];
    let child = piped(flylead(&port.path(), &words));
    wait_until("reset is called", || board.flash().join("now").exists());
    port.pull_out();
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 4);
    assert!(stderr.contains("did not come back"), "{stderr}");
}

#[test]
fn a_board_that_goes_on_has_not_been_reset() {
    let board = board_with("def reset(): pass\nbootloader = reset\n");
    for word in ["--hard", "--bootloader"] {
        refused(board.path(), &["reset", word], "no restart was seen");
    }
    let silent = board_with(WAITS);
    refused(
        silent.path(),
        &["--timeout", "2", "reset", "--hard"],
        "it printed nothing",
    );
}

#[test]
fn a_bootloader_takes_the_port_away_or_answers_itself() {
    let board = board_with(WAITS);
    let mut port = Port::new(&board);
    let child = piped(flylead(&port.path(), &["reset", "--bootloader"]));
    wait_until("bootloader is called", || {
        board.flash().join("now").exists()
    });
    port.pull_out();
    assert_eq!(told_of(child), done(""));

    let board = board_with(ROM);
    let words = ["--timeout", "2", "reset", "--bootloader"];
    assert_eq!(run(flylead(board.path(), &words)), done(""));
}

/// A board that ignores the request, and Ctrl-C too, is silent like a bootloader, and is none.
#[test]
fn a_board_that_ignores_the_bootloader_and_answers_nothing_is_not_in_it() {
    let board = board_with(DEAF);
    let words = ["--timeout", "2", "reset", "--bootloader"];
    refused(
        board.path(),
        &words,
        "neither Python nor a bootloader answers",
    );
}
