//! Tests a debugged program's output to its terminal, and its input.

use std::path::Path;

use flylead_core::debug::{Dialect, End, Module, Reason, Step, with_hooks};
use flylead_tests::boards::{Microbit, UnixBoard};

use crate::debugging::{Debugging, Start, stack};

/// Programs whose output looks like an end, in the middle.
const CLOSINGS: [&str; 4] = ["\\x04>", "\\x04", "\\x04\\x04tick", "a\\x04b\\x04c>d"];

fn stops_after_it_printed_closings(board: &Path) {
    for closing in CLOSINGS {
        let text = format!("x = 5\nprint('{closing}')\ny = x\nx = 6\nprint('end', x, y)\n");
        let start = Start {
            reset_first: true,
            ..Start::program(&text).at(3)
        };
        let mut debugging = Debugging::start(board, &start);
        let stop = debugging
            .next_stop()
            .unwrap_or_else(|| panic!("{closing}: {:?}", debugging.end));
        assert_eq!(stack(&stop), "<module>:3");
        assert_eq!(debugging.value(0, "x"), "5");
        let stop = debugging.go(Step::Over).expect("it stops again");
        assert_eq!(stack(&stop), "<module>:4");
        assert_eq!(debugging.value(0, "y"), "5");
        assert_eq!(debugging.finish(), End::Completed);
        let printed = closing.replace("\\x04", "\x04");
        assert_eq!(debugging.output(), format!("{printed}\nend 6 5\n"));
    }
}

#[test]
fn a_program_that_printed_what_looks_like_its_end_stops_on_the_unix_port() {
    stops_after_it_printed_closings(UnixBoard::start().path());
}

#[test]
fn a_program_that_printed_what_looks_like_its_end_stops_on_the_microbit() {
    stops_after_it_printed_closings(Microbit::start().path());
}

/// A program whose parts are sent one after the other, as it leaves no room for hooks, and is long for a small board.
fn in_parts(reads: &str) -> String {
    let comment = "long ".repeat(90);
    let function = |n| {
        format!(
            "def f{n}(a):\n try:\n  b = a # {comment}\n except ValueError:\n  b = 0\n return b\n"
        )
    };
    let functions: String = (0..3).map(function).collect();
    format!("print('asks')\n{functions}c = f1(1)\n{functions}{reads}\nprint(repr(line), f2(2))\n")
}

fn reads_what_was_typed_early(board: &Path, reads: &str) {
    let text = in_parts(reads);
    let lines = text.lines().count();
    let last = u32::try_from(lines).expect("it is short");
    let module = Module::parse(&text).expect("it is Python");
    let all = module.function_ids().collect();
    assert!(with_hooks(&module, &all, Dialect::Walrus).1.len() > 1);
    let start = Start {
        stop_on_entry: true,
        reset_first: true,
        ..Start::program(&text).at(4).at(23).at(last)
    };
    let mut debugging = Debugging::start(board, &start);
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(stop.reason, Reason::Entry);
    debugging.resume();
    for line in ["one", "two"] {
        debugging
            .command(move |session, _| session.type_in(line))
            .expect("it will be read");
    }
    let mut seen = Vec::new();
    while let Some(stop) = debugging.next_stop() {
        seen.push(stack(&stop));
        if stop.frames[0].line == last {
            break;
        }
        debugging.resume();
    }
    assert_eq!(
        seen.last().map(String::as_str),
        Some(format!("<module>:{last}").as_str()),
        "{:?} {}",
        debugging.end,
        debugging.output()
    );
    assert_eq!(debugging.value(0, "line"), "['one', 'two']");
    debugging.set_breakpoints(&[]);
    assert_eq!(debugging.finish(), End::Completed, "{}", debugging.output());
    assert!(debugging.output().ends_with("['one', 'two'] 2\n"));
}

#[test]
fn what_is_typed_early_reaches_a_later_part_of_the_program_on_the_unix_port() {
    let board = UnixBoard::start();
    reads_what_was_typed_early(board.path(), "line = [input(), input()]");
    let reads = "import sys\nline = [sys.stdin.readline().strip(), sys.stdin.readline().strip()]";
    reads_what_was_typed_early(board.path(), reads);
}

#[test]
fn what_is_typed_and_never_read_disturbs_nothing() {
    let board = UnixBoard::start();
    for text in [
        in_parts("line = 5"),
        "print(1)\nx = 2\nprint(x)\n".to_owned(),
    ] {
        let mut debugging = Debugging::start(board.path(), &Start::program(&text).at(1));
        debugging.next_stop().expect("it stops");
        debugging.resume();
        // It may have ended meanwhile.
        let _ = debugging.command(|session, _| session.send(b"1 / 0\n\x05A\x01nobody reads"));
        assert_eq!(debugging.finish(), End::Completed, "{}", debugging.output());
    }
}

#[test]
fn the_first_step_from_the_entry_leaves_it() {
    let board = UnixBoard::start();
    for step in [Step::Over, Step::Into] {
        let start = Start {
            stop_on_entry: true,
            reset_first: true,
            ..Start::program("x = 1\ny = 2\nprint(x + y)\n").at(1)
        };
        let mut debugging = Debugging::start(board.path(), &start);
        let stop = debugging.next_stop().expect("it stops");
        assert_eq!(
            (stop.reason, stack(&stop).as_str()),
            (Reason::Entry, "<module>:1")
        );
        let variables = debugging.locals(0);
        assert_eq!(variables, [""; 0]);
        let stop = debugging.go(step).expect("it stops");
        assert_eq!(
            (stop.reason, stack(&stop).as_str()),
            (Reason::Step, "<module>:2")
        );
        assert_eq!(debugging.locals(0), ["x=1"]);
        let stop = debugging.go(step).expect("it stops");
        assert_eq!(stack(&stop), "<module>:3");
        assert_eq!(debugging.finish(), End::Completed);
        assert_eq!(debugging.output(), "3\n");
    }
}
