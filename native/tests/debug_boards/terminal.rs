//! Commands as in Python's pdb.

use std::fs;

use flylead_tests::boards::UnixBoard;

use crate::run::{Debugging, debug, is_free, program};

const MEAN: &str = "\
import lib

def mean(a):
    s = 0
    for x in a:
        s += x
    return s // len(a)

def work(n):
    q = [n, n + 1, n + 2]
    m = mean(q)
    return lib.twice(m)

print('before')
print(work(4))
name = input()
print('hello', name)
";

#[test]
fn the_commands_of_pdb_drive_a_program() {
    let board = UnixBoard::start();
    let (folder, path) = program(MEAN);
    let lib = "def twice(n):\n    r = n * 2\n    return r\n";
    fs::write(folder.path().join("lib.py"), lib).expect("the folder is ours");
    let commands = "b 6\ntbreak lib.py:2\nc\nw\nlocals\np [x * 2 for x in a]\ns = 100\nu\na\nd\nn\np s\n\
                    cl 1\nc\nl\nr\nb\ntype you\nc\n";
    let ended = debug(board.path(), &path, commands, &[]);
    let main = path.display();
    let lib = folder.path().join("lib.py");
    let lib = lib.display();
    let expected = format!(
        "> {main}(1)<module>\n-> import lib\n\
         Breakpoint 1 at {main}:6\nBreakpoint 2 at {lib}:2\n\
         before\n> {main}(6)mean()\n-> s += x\n\
         \x20 {main}(15)<module>\n-> print(work(4))\n  {main}(11)work()\n-> m = mean(q)\n> {main}(6)mean()\n-> s += x\n\
         a = [4, 5, 6]\ns = 0\nx = 4\n[8, 10, 12]\n\
         > {main}(11)work()\n-> m = mean(q)\nn = 4\n> {main}(6)mean()\n-> s += x\n\
         > {main}(6)mean()\n-> s += x\n104\n\
         > {lib}(2)twice()\n-> r = n * 2\n\
         \x20  1    def twice(n):\n   2 ->     r = n * 2\n   3        return r\n\
         76\n> {main}(16)<module>\n-> name = input()\n"
    );
    let printed = ended.stdout.replace('\r', "");
    assert!(
        printed.starts_with(&expected),
        "{printed}\n{}",
        ended.stderr
    );
    assert!(printed.ends_with("hello you\n"), "{printed}");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_free(board.path());
}

#[test]
fn a_syntax_error_is_told_with_its_line_and_nothing_is_sent() {
    let (_folder, path) = program("x = 1\ndef f(:\n");
    let ended = debug("/dev/nowhere".as_ref(), &path, "", &[]);
    assert_eq!(ended.code, Some(2));
    let expected = format!("flylead: {}, line 2, column 7: ", path.display());
    assert!(ended.stderr.starts_with(&expected), "{}", ended.stderr);
}

#[test]
fn an_exception_is_looked_at_where_it_is_raised() {
    let board = UnixBoard::start();
    let (_folder, path) = program("def f(n):\n    return 1 // n\n\nf(0)\n");
    let ended = debug(
        board.path(),
        &path,
        "c\np n\nc\n",
        &["--stop-at", "uncaught"],
    );
    let expected = "Nothing catches this: ZeroDivisionError";
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("\n0\n"), "{}", ended.stdout);
    let place = format!("File \"{}\", line 2, in f", path.display());
    assert!(ended.stderr.contains(&place), "{}", ended.stderr);
    assert_eq!(ended.code, Some(1));
    is_free(board.path());
}

#[test]
fn breakpoints_on_empty_lines_move_and_printed_markers_are_output() {
    let board = UnixBoard::start();
    let text = "x = 1\n\n# nothing\ny = 2\nprint('\\x1e0a0a0a0a', y)\nprint('\\x04>')\n";
    let (_folder, path) = program(text);
    let ended = debug(board.path(), &path, "b 2\nc\np x\nc\n", &[]);
    let moved = format!("Breakpoint 1 at {}:4\n", path.display());
    assert!(ended.stdout.contains(&moved), "{}", ended.stdout);
    assert!(ended.stdout.contains("0a0a0a0a 2"), "{}", ended.stdout);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_free(board.path());
}

#[test]
fn ctrl_c_stops_a_program_that_runs_and_ends_one_that_is_stopped() {
    let board = UnixBoard::start();
    let (_folder, path) = program("n = 0\nprint('runs')\nwhile True:\n    n += 1\n");
    let path = path.display().to_string();
    let mut debugging = Debugging::start(board.path(), &[&path]);
    debugging.type_in("c\n");
    debugging.until("runs");
    debugging.interrupt();
    debugging.until("Interrupted");
    debugging.type_in("p n > 0\n");
    debugging.until("True");
    debugging.interrupt();
    let status = debugging.child.wait().expect("it is our child");
    assert_eq!(status.code(), Some(0));
    is_free(board.path());
}

#[test]
fn a_reset_before_the_program_is_told_and_the_first_step_leaves_the_first_line() {
    let board = UnixBoard::start();
    let (_folder, path) = program("x = 1\ny = 2\nprint(x + y)\n");
    let ended = debug(
        board.path(),
        &path,
        "globals\nn\nglobals\nc\n",
        &["--reset"],
    );
    let word = "flylead: the board was reset";
    assert!(ended.stderr.contains(word), "{}", ended.stderr);
    let path = path.display();
    let expected = format!("> {path}(1)<module>\n-> x = 1\n> {path}(2)<module>\n-> y = 2\nx = 1\n");
    assert!(ended.stdout.starts_with(&expected), "{}", ended.stdout);
    let ended = debug(board.path(), format!("{path}").as_ref(), "c\n", &[]);
    assert!(!ended.stderr.contains(word), "{}", ended.stderr);
}

#[test]
fn a_script_that_ends_while_the_program_waits_ends_it() {
    let board = UnixBoard::start();
    let (_folder, path) = program("print('never')\n");
    let ended = debug(board.path(), &path, "", &[]);
    assert!(!ended.stdout.contains("\nnever"), "{}", ended.stdout);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_free(board.path());
}
