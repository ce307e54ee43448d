//! Tests faults during debugging: each gives a clear message, a board at its prompt, and unchanged
//! files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use flylead_tests::boards::{Faults, Microbit, UnixBoard, Wire};

use crate::run::{Debugging, debug, is_free, program};

/// A board with files that are its own.
struct Kept {
    board: UnixBoard,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Kept {
    fn start() -> Self {
        let board = UnixBoard::start();
        for (name, text) in [("data.txt", "1\n2\n"), ("lib.mpy", "no module")] {
            fs::write(board.flash().join(name), text).expect("the folder is ours");
        }
        let files = files(&board.flash());
        Self { board, files }
    }

    fn path(&self) -> &Path {
        self.board.path()
    }

    /// Asserts that the board is at its prompt, and that its files are what they were.
    fn is_as_before(&self) {
        is_free(self.path());
        assert_eq!(files(&self.board.flash()), self.files);
    }
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(folder).expect("it is a folder");
    let paths = paths.map(|entry| entry.expect("it is read").path());
    let read = |path: PathBuf| (path.clone(), fs::read(path).expect("it is a file"));
    paths.map(read).collect()
}

/// A program that waits at its first line.
fn waiting(board: &Path) -> (tempfile::TempDir, Debugging) {
    let (folder, path) = program("x = 1\nprint(x)\n");
    let debugging = Debugging::start(board, &[&path.display().to_string()]);
    debugging.until("-> x = 1");
    (folder, debugging)
}

#[test]
fn a_board_that_is_pulled_out_while_the_program_waits_is_told() {
    let kept = Kept::start();
    let mut wire = Wire::attach(kept.path(), Faults::default());
    let (_folder, mut debugging) = waiting(wire.path());
    wire.unplug();
    debugging.type_in("n\n");
    let ended = debugging.end();
    assert_ne!(ended.code, Some(0));
    assert!(ended.stderr.starts_with("flylead: "), "{}", ended.stderr);
    // Whoever plugs it in again ends the program that still waits.
    kept.is_as_before();
}

#[test]
fn a_board_that_is_reset_while_the_program_waits_is_told() {
    let kept = Kept::start();
    let (_folder, mut debugging) = waiting(kept.path());
    kept.board.reset();
    debugging.type_in("n\n");
    let ended = debugging.end();
    let word = "the board was reset, and the program is gone";
    assert!(ended.stderr.contains(word), "{}", ended.stderr);
    assert_ne!(ended.code, Some(0));
    kept.is_as_before();
}

#[test]
fn ctrl_c_while_the_program_waits_ends_it() {
    let kept = Kept::start();
    let (_folder, mut debugging) = waiting(kept.path());
    debugging.interrupt();
    let status = debugging.child.wait().expect("it is our child");
    assert_eq!(status.code(), Some(0));
    kept.is_as_before();
}

#[test]
fn a_program_that_closes_its_stdin_cannot_wait_any_more_and_says_so() {
    let kept = Kept::start();
    let (_folder, path) = program("import sys\nsys.stdin.close()\nprint('closed')\nx = 1\n");
    let ended = debug(kept.path(), &path, "b 4\nc\nc\n", &[]);
    assert!(ended.stdout.contains("closed"), "{}", ended.stdout);
    let word = "line 4, in <module>\nValueError: I/O operation on closed file";
    assert!(ended.stderr.contains(word), "{}", ended.stderr);
    assert_eq!(ended.code, Some(1));
    // The port reads nothing more either, and crashes only when its line editor has filled the memory: after seconds,
    // or after a minute on a busy machine.
    kept.board.reset();
    kept.is_as_before();
}

#[test]
fn a_program_that_is_nested_deeply_ends_by_the_boards_error() {
    let kept = Kept::start();
    let (_folder, path) = program(&format!("x = {}1\n", "-".repeat(100_000)));
    let ended = debug(kept.path(), &path, "c\n", &[]);
    // The board has no memory for so deep a tree.
    assert!(ended.stderr.contains("Error: "), "{}", ended.stderr);
    assert_eq!(ended.code, Some(1));
    kept.is_as_before();
}

#[test]
fn markers_that_a_program_prints_are_output() {
    let kept = Kept::start();
    let text = "for n in range(3):\n    print('\\x1e0a0a0a0a', repr('s'), [], n)\nprint('OK\\x04\\x04>')\n";
    let (_folder, path) = program(text);
    let ended = debug(kept.path(), &path, "b 2\nc\np n\nc\np n\ncl 1\nc\n", &[]);
    assert!(
        ended.stdout.contains("0a0a0a0a 's' [] 2"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("\n0\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("\n1\n"), "{}", ended.stdout);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    kept.is_as_before();
}

#[test]
fn an_expression_for_which_there_is_no_memory_says_so_and_the_program_goes_on() {
    let kept = Kept::start();
    let (_folder, path) = program("x = 5\nprint('done', x)\n");
    let commands = "b 2\nc\np len(bytearray(1000000000))\np x\nc\n";
    let ended = debug(kept.path(), &path, commands, &[]);
    assert!(ended.stdout.contains("MemoryError"), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("\n5\ndone 5\n"), "{}", ended.stdout);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    kept.is_as_before();
}

#[test]
fn a_program_that_fills_the_memory_ends_as_it_would_and_can_be_looked_at() {
    let kept = Kept::start();
    let (_folder, path) = program(
        "def fill():\n    a = []\n    while True:\n        a.append(bytearray(9999))\n\nfill()\n",
    );
    let ended = debug(
        kept.path(),
        &path,
        "c\nlocals\nc\n",
        &["--stop-at", "uncaught"],
    );
    let place = format!("File \"{}\", line 4, in fill", path.display());
    assert!(ended.stderr.contains(&place), "{}", ended.stderr);
    assert!(ended.stderr.contains("MemoryError"), "{}", ended.stderr);
    assert_eq!(ended.code, Some(1));
    kept.is_as_before();
}

#[test]
fn a_board_without_room_says_so_and_is_free_again() {
    let board = Microbit::start();
    let functions = (0..60).map(|n| format!("def f{n}(a):\n    b = a + {n}\n    return b\n"));
    let text: String = functions.chain(["print(f1(1))\n".to_owned()]).collect();
    let (_folder, path) = program(&text);
    let ended = debug(board.path(), &path, "c\n", &["--stop-at", "raised"]);
    assert_ne!(ended.code, Some(0), "{}", ended.stdout);
    assert!(ended.stderr.contains("memory"), "{}", ended.stderr);
    let small = program("x = 5\nprint('again', x)\n");
    let ended = debug(board.path(), &small.1, "n\np x\nc\n", &["--reset"]);
    assert!(
        ended.stdout.contains("again 5"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
}
