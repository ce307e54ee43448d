//! A program does under the debugger what it does without: its words, its mistakes, its threads, its tracebacks.

use flylead_tests::boards::UnixBoard;

use crate::run::{debug, debug_words, plain, program};

#[test]
fn a_program_has_its_words() {
    let board = UnixBoard::start();
    let (_folder, path) = program("import sys\nprint(sys.argv)\n");
    let file = path.display().to_string();
    for words in [&["a", "-b", "it's"][..], &[], &["x", "--help"]] {
        let expected = plain(board.path(), &path, words);
        assert!(
            expected.stdout.starts_with(&format!("['{file}'")),
            "{}",
            expected.stdout
        );
        let words = [&["-c", "c", &file], words].concat();
        let ended = debug_words(board.path(), "", &words);
        assert!(ended.stdout.ends_with(&expected.stdout), "{}", ended.stdout);
    }
}

/// The host's parser knows more Python than a board.
#[test]
fn a_mistake_that_only_the_board_sees_keeps_all_of_the_program_from_running() {
    let text = "print('begins')\ndef a(): return 1\ndef b(): return 2\nprint('goes on')\ndef c(x, /):\n    return x\nprint('ends')\n";
    let board = UnixBoard::start();
    let (_folder, path) = program(text);
    let expected = plain(board.path(), &path, &[]);
    assert!(
        expected.stderr.contains("line 5\nSyntaxError"),
        "{}",
        expected.stderr
    );
    for more in [&[][..], &["--parts"], &["--no-callers"]] {
        let ended = debug(board.path(), &path, "c\n", more);
        let has_begun = ended.stdout.lines().any(|line| line == "begins");
        assert!(!has_begun, "{}", ended.stdout);
        assert_eq!(ended.stderr, expected.stderr);
        assert_eq!(ended.code, expected.code);
    }
}

#[test]
fn a_thread_that_prints_tears_no_message() {
    let text = "\
import _thread, time
stop = []
def talk():
    while not stop:
        print('t', end='')
_thread.start_new_thread(talk, ())
def a(): return 1
def b(): return a() + 1
def c(): return b() + 1
for i in range(3):
    c()
    time.sleep_ms(10)
stop.append(1)
time.sleep_ms(20)
print('end')
";
    let board = UnixBoard::start();
    let (_folder, path) = program(text);
    for command in ["s\n", "n\n"] {
        let ended = debug(
            board.path(),
            &path,
            &(command.repeat(40) + "c\n"),
            &["--reset"],
        );
        assert_eq!(ended.code, Some(0), "{command}: {}", ended.stderr);
        let printed = ended.stdout.replace('\r', "");
        assert!(
            printed.ends_with("end\n"),
            "{command}: {}",
            &printed[printed.len().saturating_sub(300)..]
        );
    }
}

#[test]
fn the_lines_of_an_expression_stay_in_tracebacks_when_its_parts_are_followed() {
    let text = "\
import sys
e = 3
def f():
    raise ValueError(
        'several',
        e)
def g():
    return [1,
      2].index(
        e)
for call in f, g:
    try: call()
    except ValueError as error: sys.print_exception(error)
g()
";
    let board = UnixBoard::start();
    let (_folder, path) = program(text);
    let expected = plain(board.path(), &path, &[]);
    let ended = debug(board.path(), &path, "c\n", &["--parts"]);
    let lines = |text: &str| {
        let lines = text.lines().filter_map(|line| line.split_once(", line "));
        lines
            .map(|(_, line)| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&ended.stdout), lines(&expected.stdout));
    assert_eq!(lines(&ended.stderr), lines(&expected.stderr));
}
