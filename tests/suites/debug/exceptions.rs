//! Tests stops at exceptions, on the unix port.

use flylead_core::debug::{End, Exceptions, Reason, Step};
use flylead_tests::boards::UnixBoard;

use crate::debugging::{Debugging, Start, stack};

#[test]
fn exceptions_stop_with_the_frame_alive() {
    let board = UnixBoard::start();
    let text = "\
def inner(n):
    return 10 // n

def outer(n):
    try:
        return inner(n)
    except ZeroDivisionError:
        return -1

print(outer(5), outer(0))
print(inner(0))
";
    let exceptions = Exceptions {
        raised: false,
        uncaught: true,
    };
    let start = Start {
        exceptions,
        ..Start::program(text)
    };
    let mut debugging = Debugging::start(board.path(), &start);
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(stop.reason, Reason::Uncaught);
    assert_eq!(stack(&stop), "inner:2 <module>:11");
    assert_eq!(
        stop.exception.as_deref(),
        Some("ZeroDivisionError('divide by zero',)")
    );
    assert_eq!(debugging.locals(0), ["n=0"]);
    let End::Raised(traceback) = debugging.finish() else {
        panic!("it was raised")
    };
    assert_eq!(
        traceback.text,
        "Traceback (most recent call last):\n  File \"main.py\", line 11, in <module>\n  File \"main.py\", line 2, in inner\nZeroDivisionError: divide by zero\n"
    );

    let exceptions = Exceptions {
        raised: true,
        uncaught: false,
    };
    let start = Start {
        exceptions,
        ..Start::program(text)
    };
    let mut debugging = Debugging::start(board.path(), &start);
    for expected in ["inner:2 outer:6 <module>:10", "inner:2 <module>:11"] {
        let stop = debugging.next_stop().expect("it stops");
        assert_eq!(
            (stop.reason, stack(&stop).as_str()),
            (Reason::Raised, expected)
        );
        debugging
            .command(|session, now| session.resume(now, Step::Continue))
            .expect("it is stopped");
    }
    assert!(matches!(debugging.finish(), End::Raised(_)));
}

#[test]
fn exceptions_that_are_chosen_while_the_program_waits_hold_at_once() {
    let board = UnixBoard::start();
    let text = "\
def half(n):
    return n / 0

def careful(n):
    try:
        half(n)
    except ZeroDivisionError:
        return n

x = careful(1)
x = careful(2)
x = careful(3)
half(4)
";
    let all = Exceptions {
        raised: true,
        uncaught: false,
    };
    let start = Start {
        stop_on_entry: true,
        ..Start::program(text).at(11).at(12)
    };
    for from_entry in [true, false] {
        let mut debugging = Debugging::start(board.path(), &start);
        debugging.next_stop().expect("it stops at its entry");
        let first = match from_entry {
            true => 10,
            false => {
                let stop = debugging.go(Step::Continue).expect("it stops");
                assert_eq!(stack(&stop), "<module>:11");
                11
            }
        };
        debugging.command(move |session, now| session.set_exceptions(now, all));
        let stop = debugging.go(Step::Continue).expect("it stops");
        assert_eq!(stop.reason, Reason::Raised);
        assert_eq!(stack(&stop), format!("half:2 careful:6 <module>:{first}"));
        assert_eq!(debugging.locals(0), [format!("n={}", first - 9)]);
        // A step leaves them chosen.
        let stop = debugging.go(Step::Over).expect("it stops");
        assert_eq!(stack(&stop), format!("careful:8 <module>:{first}"));
        let stop = debugging.go(Step::Continue).expect("it stops");
        assert_eq!(stack(&stop), format!("<module>:{}", first + 1));
        let stop = debugging.go(Step::Continue).expect("it stops");
        assert_eq!(stop.reason, Reason::Raised);
        assert_eq!(
            stack(&stop),
            format!("half:2 careful:6 <module>:{}", first + 1)
        );
        debugging.command(|session, now| session.set_exceptions(now, Exceptions::default()));
        let left = if from_entry {
            vec!["<module>:12"]
        } else {
            vec![]
        };
        let mut seen = Vec::new();
        while let Some(stop) = debugging.go(Step::Continue) {
            seen.push(stack(&stop));
        }
        assert_eq!(seen, left, "they are forgotten at once as well");
        assert!(matches!(debugging.finish(), End::Raised(_)));
    }
}

#[test]
fn a_caught_exception_stops_after_a_step_as_well() {
    let board = UnixBoard::start();
    let text = "\
def f(n):
    x = n
    try:
        x //= 0
    except ZeroDivisionError:
        x = 1
    return x

f(1)
print('end')
";
    let start = Start {
        exceptions: Exceptions {
            raised: true,
            uncaught: false,
        },
        ..Start::program(text).at(2)
    };
    let mut debugging = Debugging::start(board.path(), &start);
    debugging.next_stop().expect("it stops");
    let stop = debugging.go(Step::Over).expect("it stops");
    assert_eq!(stack(&stop), "f:4 <module>:9");
    let stop = debugging.go(Step::Continue).expect("it stops");
    assert_eq!(stop.reason, Reason::Raised);
    assert_eq!(debugging.finish(), End::Completed);
}

#[test]
fn an_exception_in_the_module_itself_can_be_looked_at() {
    let board = UnixBoard::start();
    let text = "x = 5\ny = [1]\nprint(y[x])\n";
    let exceptions = Exceptions {
        raised: false,
        uncaught: true,
    };
    let mut debugging = Debugging::start(
        board.path(),
        &Start {
            exceptions,
            ..Start::program(text)
        },
    );
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(
        (stop.reason, stack(&stop).as_str()),
        (Reason::Uncaught, "<module>:3")
    );
    assert_eq!(debugging.value(0, "len(y)"), "1");
    assert!(matches!(debugging.finish(), End::Raised(_)));
}

/// Tasks have stacks of their own, in which what awaits them is not.
#[test]
fn what_another_task_or_a_variable_catches_is_not_uncaught() {
    let board = UnixBoard::start();
    let caught = [
        "import asyncio\nasync def w():\n    raise ValueError(1)\nasync def main():\n    try:\n        await asyncio.gather(w())\n    except ValueError:\n        print('caught')\nasyncio.run(main())\n",
        "import asyncio\nasync def w():\n    raise ValueError(1)\nasync def main():\n    await asyncio.gather(w(), return_exceptions=True)\n    print('caught')\nasyncio.run(main())\n",
        "import asyncio\nasync def w():\n    await asyncio.sleep(9)\nasync def main():\n    t = asyncio.create_task(w())\n    await asyncio.sleep(0)\n    t.cancel()\n    await asyncio.sleep(0)\n    print('caught')\nasyncio.run(main())\n",
        "ERRORS = (ValueError, KeyError)\ndef f():\n    raise KeyError(1)\ntry:\n    f()\nexcept ERRORS:\n    print('caught')\n",
    ];
    for text in caught {
        let start = Start {
            exceptions: Exceptions {
                raised: false,
                uncaught: true,
            },
            reset_first: true,
            ..Start::program(text)
        };
        let mut debugging = Debugging::start(board.path(), &start);
        let stop = debugging.next_stop();
        assert_eq!(stop.map(|stop| stack(&stop)), None, "{text}");
        assert_eq!(debugging.finish(), End::Completed, "{text}");
        assert_eq!(debugging.output(), "caught\n", "{text}");
    }
}
