//! A running program is paused, looked at, and goes on.

use std::path::Path;

use flylead_core::debug::{End, Reason, Reply, Step};
use flylead_tests::boards::{BrowserBoard, Faults, Microbit, UnixBoard, Wire};

use crate::debugging::{Debugging, Start, stack};

/// Sleeps now and then, in the program itself.
const SLEEPS: &str = "\
import time
n = 0
print('runs')
while n >= 0:
    time.sleep(0.02)
    n += 1
print('end')
";
/// Is busy without a pause, but calls a function.
const CALLS: &str = "\
def tick(n):
    n += 1
    return n

n = 0
print('runs')
while n >= 0:
    n = tick(n)
print('end')
";

/// Pauses it twice, looks at it, and lets it end as it does by itself.
fn is_paused_and_goes_on(board: &Path, text: &str) {
    let start = Start {
        stop_on_entry: true,
        reset_first: true,
        ..Start::program(text).at(2)
    };
    let mut debugging = Debugging::start(board, &start);
    debugging.next_stop().expect("it stops at its entry");
    debugging.go(Step::Continue).expect("it stops");
    debugging.set_breakpoints(&[]);
    debugging.resume();
    debugging.until_printed("runs");
    let mut count = -1;
    for _ in 0..2 {
        debugging.command(|session, now| session.pause(now));
        let stop = debugging.next_stop().expect("it stops");
        assert_eq!(stop.reason, Reason::Pause, "{}", stack(&stop));
        let last = stop.frames.last().expect("the program's own frame");
        assert_eq!(last.function, "<module>");
        assert!((4..=8).contains(&last.line), "{}", stack(&stop));
        let now: i64 = debugging
            .value(stop.frames.len() - 1, "n")
            .parse()
            .expect("a number");
        assert!(now >= count, "{now} after {count}");
        count = now;
        let stop = debugging.go(Step::Over).expect("it goes on step by step");
        assert_eq!(stop.reason, Reason::Step);
        debugging.resume();
    }
    debugging.command(|session, now| session.pause(now));
    let stop = debugging.next_stop().expect("it stops");
    let body = stop.frames.len() - 1;
    debugging.evaluate(body, "n = -5000").expect("it is set");
    if body > 0 {
        debugging.evaluate(0, "n = -5000").expect("it is set");
    }
    assert_eq!(debugging.finish(), End::Completed, "{}", debugging.output());
    assert_eq!(debugging.output(), "runs\nend\n");
}

#[test]
fn a_program_that_sleeps_is_paused_and_goes_on_on_the_unix_port() {
    is_paused_and_goes_on(UnixBoard::start().path(), SLEEPS);
}

#[test]
fn a_program_that_calls_is_paused_and_goes_on_on_the_unix_port() {
    is_paused_and_goes_on(UnixBoard::start().path(), CALLS);
}

#[test]
fn a_program_that_sleeps_is_paused_and_goes_on_on_the_board_in_the_page() {
    is_paused_and_goes_on(BrowserBoard::start().path(), SLEEPS);
}

#[test]
fn a_program_that_calls_is_paused_and_goes_on_on_the_board_in_the_page() {
    is_paused_and_goes_on(BrowserBoard::start().path(), CALLS);
}

/// Checks that Ctrl-C stops a program without hooks that check for a pause, and that the stop is reported.
fn is_interrupted(board: &Path, text: &str) {
    let start = Start {
        stop_on_entry: true,
        reset_first: true,
        ..Start::program(text)
    };
    let mut debugging = Debugging::start(board, &start);
    debugging.next_stop().expect("it stops at its entry");
    debugging.resume();
    debugging.until_printed("runs");
    debugging.command(|session, now| session.pause(now));
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(stop.reason, Reason::Interrupt);
    let End::Raised(traceback) = debugging.finish() else {
        panic!("{:?}", debugging.end)
    };
    assert!(traceback.is_interrupt(), "{}", traceback.text);
}

#[test]
fn a_hot_loop_is_interrupted_on_the_unix_port() {
    let text = "n = 0\nprint('runs')\nwhile True:\n    n += 1\n";
    let board = UnixBoard::start();
    let wire = interruptible(&board);
    is_interrupted(wire.path(), text);
}

/// This port takes Ctrl-C for data in programs that were sent in raw-paste mode.
fn interruptible(board: &UnixBoard) -> Wire {
    let faults = Faults {
        no_raw_paste: true,
        ..Faults::default()
    };
    Wire::attach(board.path(), faults)
}

#[test]
fn a_program_that_reads_is_interrupted_and_reads_nothing_of_ours() {
    let board = UnixBoard::start();
    is_interrupted(board.path(), "print('runs')\nline = input()\n");
}

#[test]
fn a_program_is_interrupted_on_the_microbit() {
    let text = "n = 0\nprint('runs')\nwhile True:\n    n += 1\n";
    is_interrupted(Microbit::start().path(), text);
}

#[test]
fn a_pause_before_the_program_has_begun_stops_at_its_first_statement() {
    let board = UnixBoard::start();
    let mut debugging = Debugging::start(board.path(), &Start::program("x = 1\nprint(x)\n"));
    debugging.command(|session, now| session.pause(now));
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(stack(&stop), "<module>:1");
    assert_eq!(debugging.finish(), End::Completed);
}

#[test]
fn what_is_typed_for_a_program_that_reads_nothing_ends_no_pause() {
    let board = UnixBoard::start();
    let wire = interruptible(&board);
    let mut debugging = Debugging::start(wire.path(), &Start::program(SLEEPS).at(2));
    debugging.next_stop().expect("it stops");
    debugging.set_breakpoints(&[]);
    debugging.resume();
    debugging.until_printed("runs");
    debugging
        .command(|session, _| session.send(b"half a line"))
        .expect("it runs");
    debugging.command(|session, now| session.pause(now));
    let stop = debugging.next_stop().expect("it stops");
    match stop.reason {
        // The pause came before a hook had seen what was typed.
        Reason::Pause => assert_eq!(debugging.evaluate(0, "n = -5000"), Ok(Reply::Done)),
        reason => assert_eq!(reason, Reason::Interrupt),
    }
    debugging.finish();
}
