//! Tests the features of a debugger, on the unix port.

use flylead_core::debug::{
    Breakpoint, BreakpointProblem, DebugError, End, Reach, Reason, Reply, Step,
};
use flylead_tests::boards::UnixBoard;

use crate::debugging::{Debugging, Start, stack};

fn breakpoint(line: u32) -> Breakpoint {
    Breakpoint {
        line,
        ..Breakpoint::default()
    }
}

#[test]
fn conditions_and_hit_counts_are_told_on_the_board() {
    let board = UnixBoard::start();
    let text = "def f(n):\n    return n * 2\n\nfor i in range(10):\n    f(i)\n";
    let condition = Breakpoint {
        condition: Some("n % 4 == 3".into()),
        ..breakpoint(2)
    };
    let mut debugging = Debugging::start(board.path(), &Start::program(text).with(condition));
    for expected in ["n=3", "n=7"] {
        debugging.next_stop().expect("it stops");
        assert_eq!(debugging.locals(0), [expected]);
        debugging
            .command(|session, now| session.resume(now, Step::Continue))
            .expect("it is stopped");
    }
    assert_eq!(debugging.finish(), End::Completed);

    let third = Breakpoint {
        hits: Some(">=9".into()),
        ..breakpoint(5)
    };
    let mut debugging = Debugging::start(board.path(), &Start::program(text).with(third));
    debugging.next_stop().expect("it stops");
    assert_eq!(debugging.value(0, "i"), "8");
    debugging.go(Step::Continue).expect("it stops");
    assert_eq!(debugging.value(0, "i"), "9");
    assert_eq!(debugging.finish(), End::Completed);
}

#[test]
fn a_condition_that_raises_stops_and_says_why() {
    let board = UnixBoard::start();
    let wrong = Breakpoint {
        condition: Some("missing > 3".into()),
        ..breakpoint(1)
    };
    let mut debugging = Debugging::start(board.path(), &Start::program("x = 1\n").with(wrong));
    debugging.next_stop().expect("it stops");
    assert_eq!(
        debugging.log,
        ["NameError(\"name 'missing' isn't defined\",)"]
    );
    assert_eq!(debugging.finish(), End::Completed);
}

#[test]
fn log_messages_are_told_and_do_not_stop() {
    let board = UnixBoard::start();
    let text = "def f(n):\n    return n * 2\n\nfor i in range(3):\n    f(i)\nprint('end')\n";
    let log = Breakpoint {
        log: Some("n is {n}, twice {n * 2}".into()),
        ..breakpoint(2)
    };
    let mut debugging = Debugging::start(board.path(), &Start::program(text).with(log));
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(
        debugging.log,
        ["n is 0, twice 0", "n is 1, twice 2", "n is 2, twice 4"]
    );
    assert_eq!(debugging.output(), "end\n");
}

#[test]
fn statements_run_in_a_frame_and_write_its_variables() {
    let board = UnixBoard::start();
    let text = "top = 1\ndef f(a):\n    b = a + 1\n    return a + b + top\n\nprint(f(1))\n";
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(4));
    debugging.next_stop().expect("it stops");
    assert_eq!(debugging.evaluate(0, "b = a * 100"), Ok(Reply::Done));
    assert_eq!(
        debugging.evaluate(0, "for c in (1, 2):\n    a += c"),
        Ok(Reply::Done)
    );
    assert_eq!(debugging.locals(0), ["a=4", "b=100"]);
    assert_eq!(debugging.evaluate(1, "top = 1000"), Ok(Reply::Done));
    assert_eq!(debugging.evaluate(0, "1 +"), Err(DebugError::Syntax));
    assert_eq!(
        debugging.evaluate(0, "1 // 0"),
        Err(DebugError::Raised(
            "ZeroDivisionError('divide by zero',)".into()
        ))
    );
    assert_eq!(debugging.evaluate(7, "1"), Err(DebugError::Unknown));
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "1104\n");
}

#[test]
fn values_are_looked_into_and_changed() {
    let board = UnixBoard::start();
    let text = "class P:\n    def __init__(self):\n        self.x = [1, (2, 3)]\n        self.d = {'k': 'v'}\np = P()\nprint(p.x, p.d)\n";
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(6));
    debugging.next_stop().expect("it stops");
    let Ok(Reply::Value(value)) = debugging.evaluate(0, "p") else {
        panic!("it is a value")
    };
    assert_eq!(value.kind, "P");
    let handle = value.handle.expect("it has something in it");
    assert_eq!(debugging.items(handle), ["d={'k': 'v'}", "x=[1, (2, 3)]"]);
    let Ok(Reply::Value(list)) = debugging.evaluate(0, "p.x") else {
        panic!("it is a value")
    };
    assert_eq!(list.length, Some(2));
    let list = list.handle.expect("it has items");
    assert_eq!(debugging.items(list), ["0=1", "1=(2, 3)"]);
    let request = debugging.command(move |session, now| {
        let container = flylead_core::debug::Container::Items {
            of: list,
            start: 0,
            count: 2,
        };
        session.set_variable(now, 0, container, "1", "'new'")
    });
    assert!(matches!(debugging.reply(request), Ok(Reply::Value(value)) if value.text == "'new'"));
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "[1, 'new'] {'k': 'v'}\n");
}

#[test]
fn a_step_goes_into_functions_and_methods() {
    let board = UnixBoard::start();
    let text = "\
class Base:
    def m(self):
        return 'base'
class Child(Base):
    def m(self):
        return super().m() + '!'
def helper(n):
    m = n + 1
    return m
x = helper(1)
y = Child().m()
print(x, y)
";
    let start = Start {
        stop_on_entry: true,
        ..Start::program(text)
    };
    let mut debugging = Debugging::start(board.path(), &start);
    let mut stop = debugging.next_stop().expect("it stops at once");
    assert_eq!(stop.reason, Reason::Entry);
    while stop.frames[0].line < 10 {
        stop = debugging.go(Step::Over).expect("it goes on");
    }
    assert_eq!(stack(&stop), "<module>:10");
    let path = [
        Step::Into,
        Step::Over,
        Step::Out,
        Step::Into,
        Step::Into,
        Step::Out,
    ];
    let seen: Vec<_> = path
        .iter()
        .map(|&step| stack(&debugging.go(step).expect("it goes on")))
        .collect();
    let expected = [
        "helper:8 <module>:10",
        "helper:9 <module>:10",
        "<module>:11",
        "Child.m:6 <module>:11",
        "Base.m:3 Child.m:6 <module>:11",
        "<module>:12",
    ];
    assert_eq!(seen, expected);
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "2 base!\n");
}

#[test]
fn modules_of_the_host_are_stepped_into() {
    let board = UnixBoard::start();
    let main = "import lib\nfrom pkg.inner import deep\nprint(lib.twice(4))\nprint(deep())\n";
    let start = Start {
        files: vec![
            ("main.py", main),
            (
                "lib.py",
                "FACTOR = 2\n\ndef twice(n):\n    r = n * FACTOR\n    return r\n",
            ),
            ("pkg/__init__.py", ""),
            ("pkg/inner.py", "def deep():\n    return 'deep'\n"),
        ],
        breakpoints: vec![(1, breakpoint(4)), (3, breakpoint(2))],
        ..Start::program(main)
    };
    let mut debugging = Debugging::start(board.path(), &start);
    let stop = debugging
        .next_stop()
        .unwrap_or_else(|| panic!("{:?} {}", debugging.end, debugging.output()));
    assert_eq!(stack(&stop), "twice:4 <module>:3");
    assert_eq!(debugging.locals(0), ["n=4"]);
    assert_eq!(debugging.value(0, "FACTOR"), "2");
    let stop = debugging.go(Step::Continue).expect("it stops");
    assert_eq!(stack(&stop), "deep:2 <module>:4");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "8\ndeep\n");
    assert_eq!(
        std::fs::read_dir(board.flash())
            .expect("it is a folder")
            .count(),
        0
    );
}

#[test]
fn a_breakpoint_that_is_set_late_says_what_becomes_of_it() {
    let board = UnixBoard::start();
    let text = "def f():\n    return 1\ndef g():\n    def h():\n        return 2\n    return h\nh = g()\nprint(f())\nprint(h())\n";
    for (reach, problem, expected) in [
        (Reach::All, None, vec!["f:2 <module>:8", "g.h:5 <module>:9"]),
        (Reach::Only, Some(BreakpointProblem::Fixed), vec![]),
    ] {
        let start = Start {
            reach,
            ..Start::program(text).at(8)
        };
        let mut debugging = Debugging::start(board.path(), &start);
        debugging.next_stop().expect("it stops");
        for status in debugging.set_breakpoints(&[2, 5]) {
            assert_eq!(status.problem, problem);
        }
        let mut seen = Vec::new();
        while let Some(stop) = debugging.go(Step::Continue) {
            seen.push(stack(&stop));
        }
        assert_eq!(seen, expected);
        assert_eq!(debugging.finish(), End::Completed);
        assert_eq!(debugging.output(), "1\n2\n");
    }
}

#[test]
fn tasks_and_threads_have_stacks_of_their_own() {
    let board = UnixBoard::start();
    let tasks = "\
import asyncio

async def inner(n):
    await asyncio.sleep(0)
    return n + 1

async def worker(n):
    r = await inner(n)
    return r

async def main():
    print(await asyncio.gather(worker(1), worker(5)))
    print(await worker(7))

asyncio.run(main())
";
    let mut debugging = Debugging::start(board.path(), &Start::program(tasks).at(5));
    for expected in ["n=1", "n=5", "n=7"] {
        let stop = debugging
            .next_stop()
            .unwrap_or_else(|| panic!("{:?} {}", debugging.end, debugging.output()));
        let around = if expected == "n=7" { "main:13 " } else { "" };
        let expected_stack = format!("inner:5 worker:8 {around}<module>:15");
        assert_eq!(stack(&stop), expected_stack);
        assert_eq!(debugging.locals(0), [expected]);
        debugging
            .command(|session, now| session.resume(now, Step::Continue))
            .expect("it is stopped");
    }
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "[2, 6]\n8\n");

    let threads = "\
import _thread, time

def job(n):
    seen.append(n)

seen = []
for n in range(2):
    _thread.start_new_thread(job, (n,))
while len(seen) < 2:
    time.sleep_ms(5)
print(sorted(seen))
";
    let mut debugging = Debugging::start(board.path(), &Start::program(threads).at(4));
    for _ in 0..2 {
        let stop = debugging
            .next_stop()
            .unwrap_or_else(|| panic!("{:?} {}", debugging.end, debugging.output()));
        assert_eq!(stack(&stop), "job:4");
        assert_ne!(stop.thread, 0);
        assert!(debugging.locals(0)[0].starts_with("n="));
        debugging
            .command(|session, now| session.resume(now, Step::Continue))
            .expect("it is stopped");
    }
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "[0, 1]\n");
}
