//! Whole sessions on the unix port and the micro:bit.

use flylead_core::{
    debug::{End, Step},
    raw_repl::Config,
};
use flylead_tests::boards::{Microbit, Session, UnixBoard};

use crate::debugging::{Debugging, Start, stack};

const MEAN: &str = "\
def mean(a):
    s = 0
    for x in a:
        s += x
    return s // len(a)

def work(n):
    q = [n, n + 1, n + 2]
    m = mean(q)
    return m

print('before')
print(work(4))
print('after')
";

#[test]
fn a_program_stops_and_shows_its_variables_on_the_unix_port() {
    let board = UnixBoard::start();
    let mut debugging = Debugging::start(board.path(), &Start::program(MEAN).at(4));
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(stack(&stop), "mean:4 work:9 <module>:13");
    assert_eq!(debugging.locals(0), ["a=[4, 5, 6]", "s=0", "x=4"]);
    assert_eq!(debugging.locals(1), ["n=4", "q=[4, 5, 6]"]);
    assert_eq!(debugging.value(0, "[s + y for y in a]"), "[4, 5, 6]");
    debugging.set(0, "s", "100").expect("it is set");
    let stop = debugging.go(Step::Over).expect("it stops again");
    assert_eq!(stack(&stop), "mean:4 work:9 <module>:13");
    assert_eq!(debugging.locals(0), ["a=[4, 5, 6]", "s=104", "x=5"]);
    debugging.set_breakpoints(&[]);
    let stop = debugging.go(Step::Out).expect("it stops in the caller");
    assert_eq!(stack(&stop), "work:10 <module>:13");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "before\n38\nafter\n");
}

#[test]
fn a_program_stops_and_shows_its_variables_on_the_microbit() {
    let board = Microbit::start();
    let mut debugging = Debugging::start(board.path(), &Start::program(MEAN).at(4));
    let stop = debugging
        .next_stop()
        .unwrap_or_else(|| panic!("{:?}", debugging.end));
    assert_eq!(stack(&stop), "mean:4 work:9 <module>:13");
    assert_eq!(debugging.locals(0), ["a=[4, 5, 6]", "s=0", "x=4"]);
    assert_eq!(debugging.locals(1), ["n=4", "q=[4, 5, 6]"]);
    let stop = debugging.go(Step::Over).expect("it stops again");
    assert_eq!(stack(&stop), "mean:4 work:9 <module>:13");
    assert_eq!(debugging.locals(0), ["a=[4, 5, 6]", "s=4", "x=5"]);
    let stop = debugging.go(Step::Continue).expect("it stops once more");
    assert_eq!(stack(&stop), "mean:4 work:9 <module>:13");
    assert_eq!(debugging.locals(0), ["a=[4, 5, 6]", "s=9", "x=6"]);
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "before\n5\nafter\n");
}

/// It has room for 64 bytes that it has not read yet.
#[test]
fn what_a_microbit_is_told_reaches_it_whole() {
    let text = format!(
        "def f(n):\n{}    return n\n\nprint(f(0))\n",
        "    n += 1\n".repeat(5)
    );
    let board = Microbit::start();
    let mut debugging = Debugging::start(board.path(), &Start::program(&text).at(2));
    debugging.next_stop().expect("it stops");
    let lines: Vec<_> = (2..8).collect();
    debugging.set_breakpoints(&lines);
    assert_eq!(debugging.value(0, "n"), "0");
    for line in 3..8 {
        let stop = debugging.go(Step::Continue).expect("it stops again");
        assert_eq!(stack(&stop), format!("f:{line} <module>:9"));
    }
    debugging.set_breakpoints(&[]);
    assert_eq!(debugging.go(Step::Continue), None);
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "5\n");
}

#[test]
fn a_microbit_does_not_stop_at_a_breakpoint_that_is_gone() {
    let text = "def f(n):\n    n += 1\n    return n\n\ni = 77\n_ = 5\nfor k in range(4):\n    f(k)\nprint(i, _)\n";
    let board = Microbit::start();
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(2).at(3));
    debugging.next_stop().expect("it stops");
    // Its `input()` takes printable ASCII alone.
    assert_eq!(debugging.value(0, "'ä'!=n"), "True");
    debugging.set_breakpoints(&[3]);
    let stop = debugging.go(Step::Continue).expect("it stops again");
    assert_eq!(stack(&stop), "f:3 <module>:8");
    debugging.set_breakpoints(&[2]);
    let stop = debugging.go(Step::Continue).expect("it stops again");
    assert_eq!(stack(&stop), "f:2 <module>:8");
    assert_eq!(debugging.locals(0), ["n=1"]);
    debugging.set_breakpoints(&[]);
    assert_eq!(debugging.go(Step::Continue), None);
    assert_eq!(debugging.finish(), End::Completed);
    // What changes breakpoints, and what clears up, has no variables among the program's own.
    assert_eq!(debugging.output(), "77 5\n");
    let mut session = Session::open(board.path(), Config::default());
    assert_eq!(session.exec(b"print(_)").0, b"5\r\n");
}
