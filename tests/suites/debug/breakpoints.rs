//! Tests breakpoints beside each other: on other threads, on one line, and while others change.

use std::path::Path;

use flylead_core::debug::{Breakpoint, End, ModuleId, Step};
use flylead_tests::boards::{Microbit, UnixBoard};

use crate::debugging::{Debugging, Start, stack};

fn breakpoint(line: u32) -> Breakpoint {
    Breakpoint {
        line,
        ..Breakpoint::default()
    }
}

/// A stop is one thread's; what the others pass meanwhile is no end of it.
#[test]
fn a_thread_that_waits_evaluates_while_another_passes_conditions() {
    let board = UnixBoard::start();
    let text = "\
import _thread, time

def answer():
    return 42

def spin():
    rounds = 0
    while not over:
        rounds += 1
        time.sleep_ms(1)

over = []
_thread.start_new_thread(spin, ())
time.sleep_ms(20)
over = over
over.append(1)
time.sleep_ms(20)
print('end')
";
    let never = Breakpoint {
        condition: Some("rounds < 0".into()),
        ..breakpoint(9)
    };
    let start = Start::program(text).with(never).at(4).at(15);
    let mut debugging = Debugging::start(board.path(), &start);
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(stack(&stop), "<module>:15");
    for _ in 0..5 {
        // The other thread passes its breakpoint meanwhile.
        assert_eq!(debugging.value(0, "time.sleep_ms(20)"), "None");
        assert_eq!(debugging.value(0, "answer()"), "42");
    }
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "end\n");
}

/// Sets these and no others.
fn replace(debugging: &Debugging, wishes: &[Breakpoint]) {
    let wishes = wishes.to_vec();
    let statuses = debugging
        .command(move |session, now| session.set_breakpoints(now, ModuleId::MAIN, &wishes));
    assert!(
        statuses.iter().all(|one| one.problem.is_none()),
        "{statuses:?}"
    );
}

fn counted(line: u32, hits: &str) -> Breakpoint {
    Breakpoint {
        hits: Some(hits.into()),
        ..breakpoint(line)
    }
}

fn conditional(line: u32, condition: &str) -> Breakpoint {
    Breakpoint {
        condition: Some(condition.into()),
        ..breakpoint(line)
    }
}

const LOOP: &str = "\
for i in range(9):
    x = i
    y = x
print('end')
";

fn goes_on_counting(board: &Path) {
    let fifth = counted(2, "5");
    let start = Start::program(LOOP)
        .with(fifth.clone())
        .with(conditional(3, "i == 2"));
    let mut debugging = Debugging::start(board, &start);
    debugging.next_stop().expect("it stops");
    assert_eq!(debugging.value(0, "i"), "2");
    // Another one changes, and this one has counted three times.
    replace(&debugging, &[fifth.clone(), breakpoint(4)]);
    let stop = debugging.go(Step::Continue).expect("it stops");
    assert_eq!(stack(&stop), "<module>:2");
    assert_eq!(debugging.value(0, "i"), "4");
    // One that was gone counts from the start.
    replace(&debugging, &[breakpoint(4)]);
    replace(&debugging, &[counted(2, "3")]);
    debugging.go(Step::Continue).expect("it stops");
    assert_eq!(debugging.value(0, "i"), "7");
    assert_eq!(debugging.finish(), End::Completed);
}

#[test]
fn a_hit_count_goes_on_while_other_breakpoints_change() {
    goes_on_counting(UnixBoard::start().path());
}

#[test]
fn a_hit_count_goes_on_on_a_board_with_little_memory() {
    goes_on_counting(Microbit::start().path());
}

/// Each of several breakpoints at one line decides, and any of them stops.
fn decide_together(board: &Path) {
    let start = Start::program(LOOP)
        .with(conditional(2, "i == 2"))
        .with(conditional(2, "i == 4"))
        .with(counted(2, "7"));
    let mut debugging = Debugging::start(board, &start);
    for expected in ["2", "4", "6"] {
        debugging.next_stop().expect("it stops");
        assert_eq!(debugging.value(0, "i"), expected);
        debugging.resume();
    }
    assert_eq!(debugging.finish(), End::Completed);
    let mut start = Start::program(LOOP)
        .with(breakpoint(2))
        .with(conditional(2, "i == 7"));
    start.reset_first = true;
    let mut debugging = Debugging::start(board, &start);
    debugging.next_stop().expect("it stops");
    assert_eq!(debugging.value(0, "i"), "0");
    replace(&debugging, &[conditional(2, "i == 7")]);
    debugging.go(Step::Continue).expect("it stops");
    assert_eq!(debugging.value(0, "i"), "7");
    assert_eq!(debugging.finish(), End::Completed);
}

#[test]
fn breakpoints_of_one_line_decide_together() {
    decide_together(UnixBoard::start().path());
}

#[test]
fn breakpoints_of_one_line_decide_together_on_a_board_with_little_memory() {
    decide_together(Microbit::start().path());
}

#[test]
fn a_log_message_is_told_where_another_breakpoint_stops() {
    let board = UnixBoard::start();
    let log = Breakpoint {
        log: Some("i={i}".into()),
        ..breakpoint(3)
    };
    let start = Start::program(LOOP).at(3).with(log);
    let mut debugging = Debugging::start(board.path(), &start);
    debugging.next_stop().expect("it stops");
    debugging.go(Step::Continue).expect("it stops");
    assert_eq!(debugging.log, ["i=0", "i=1"]);
    assert_eq!(debugging.finish(), End::Completed);
}

/// Hooks check conditions that are known at the start; the board's own code checks changed ones.
#[test]
fn conditions_hold_whoever_checks_them() {
    let text = "\
from micropython import const
_N = const(3)
def f(n):
    s = 0
    for i in range(n):
        s += i
    return s
def outer():
    k = 5
    def inner(a):
        return a
    return inner(1) + inner(k)
for j in range(5):
    f(j)
outer()
x = 1 if j else 2
print(sorted(k for k in dir() if k[0] != '_'))
";
    let at = |line, condition: &str| Breakpoint {
        line,
        condition: Some(condition.to_owned()),
        ..Breakpoint::default()
    };
    let board = UnixBoard::start();
    let start = Start::program(text)
        .with(at(6, "i == 1 and n == _N"))
        .with(at(5, "n > 3"))
        .with(at(11, "a == 5"))
        .with(at(14, "j == 2"))
        .with(at(16, "missing"));
    let mut debugging = Debugging::start(board.path(), &start);
    let mut stops = Vec::new();
    let mut next = debugging.next_stop();
    while let Some(stop) = next {
        stops.push(stack(&stop));
        if stops.len() == 2 {
            let wishes = [
                at(6, "i == 3"),
                at(6, "i == 0"),
                at(5, "n > 3"),
                at(11, "a == 1"),
            ];
            debugging
                .command(move |session, now| session.set_breakpoints(now, ModuleId::MAIN, &wishes));
        }
        next = debugging.go(Step::Continue);
    }
    let expected = [
        "<module>:14",
        "f:6 <module>:14",
        "f:5 <module>:14",
        "f:6 <module>:14",
        "f:6 <module>:14",
        "inner:11 outer:12 <module>:15",
    ];
    let expected = expected.map(|stop| stop.replace("inner", "outer.inner"));
    assert_eq!(stops, expected);
    assert_eq!(debugging.finish(), End::Completed);
    assert!(
        debugging
            .output()
            .ends_with("['const', 'f', 'j', 'outer', 'x']\n")
    );
}
