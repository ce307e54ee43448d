//! Expressions are followed part by part on a real board, and evaluated once.

use flylead_core::debug::{DebugError, End, Reason, Step};
use flylead_tests::boards::{Microbit, UnixBoard};

use crate::debugging::{Debugging, Start, stack};

const TEXT: &str = "\
calls = []

class Box:
    def __init__(self, n):
        self.n = n
    def __repr__(self):
        return 'Box(%d)' % self.n
    def plus(self, n):
        calls.append(n)
        return Box(self.n + n)

def price(net, tax=0.5):
    total = net * (1 + tax)
    if total > 2 and-net in[1,
        -4]:
        return Box(total).plus(net).n
    return [x + 1 for x in range(3)][1:net]

got = price(4)
calls[len(calls) - 1] += got // 1
print(got, calls)
";

fn begin(board: &UnixBoard, text: &str, line: u32) -> Debugging {
    let start = Start {
        parts: true,
        ..Start::program(text).at(line)
    };
    Debugging::start(board.path(), &start)
}

/// Steps from part to part until the line is over, and returns them with what the statement has become.
fn parts(debugging: &mut Debugging) -> Vec<String> {
    let mut parts = Vec::new();
    while let Some(stop) = debugging.go(Step::Part) {
        assert_eq!(stop.reason, Reason::Step);
        let Some(part) = stop.part else {
            break;
        };
        parts.push(format!(
            "{part}: {}",
            part.statement.replace("\n       ", "")
        ));
    }
    parts
}

#[test]
fn each_part_is_shown_with_the_statement_that_it_makes() {
    let board = UnixBoard::start();
    let mut debugging = begin(&board, TEXT, 13);
    debugging.next_stop().expect("it stops");
    let expected = [
        "net is 4: total = 4 * (1 + tax)",
        "tax is 0.5: total = 4 * (1 + 0.5)",
        "1 + tax is 1.5: total = 4 * (1.5)",
        "net * (1 + tax) is 6.0: total = 6.0",
    ];
    assert_eq!(parts(&mut debugging), expected);
    let expected = [
        "total is 6.0: if 6.0 > 2 and-net in[1, -4]:",
        "total > 2 is True: if True and-net in[1, -4]:",
        "net is 4: if True and-4 in[1, -4]:",
        "-net is -4: if True and-4 in[1, -4]:",
    ];
    let condition = parts(&mut debugging);
    assert_eq!(condition[..4], expected);
    let last = condition.last().expect("there are more");
    assert!(last.ends_with("is True: if True:"), "{last}");
    let expected = [
        "total is 6.0: return Box(6.0).plus(net).n",
        "Box(total) is Box(6): return Box(6).plus(net).n",
        "net is 4: return Box(6).plus(4).n",
        "Box(total).plus(net) is Box(10): return Box(10).n",
        "Box(total).plus(net).n is 10.0: return 10.0",
    ];
    assert_eq!(parts(&mut debugging)[..5], expected);
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "10.0 [14.0]\n", "everything ran once");
}

#[test]
fn a_call_can_be_stepped_into_between_two_parts() {
    let board = UnixBoard::start();
    let mut debugging = begin(&board, TEXT, 20);
    let stop = debugging.next_stop().expect("it stops");
    assert_eq!(stack(&stop), "<module>:20");
    let stop = debugging.go(Step::Part).expect("it stops in the line");
    let part = stop.part.expect("it is a part");
    assert_eq!(part.to_string(), "calls is [4]");
    assert_eq!(
        (part.start.line, part.start.column, part.end.column),
        (20, 1, 6)
    );
    let text = "def f(a):\n    return a + 1\n\ny = 1\ny = f(y) + f(y + 1)\nprint(y)\n";
    debugging.finish();
    let mut debugging = begin(&board, text, 5);
    debugging.next_stop().expect("it stops");
    let stop = debugging.go(Step::Part).expect("it stops in the line");
    assert_eq!(
        stop.part.expect("it is a part").statement,
        "y = f(1) + f(y + 1)"
    );
    let stop = debugging.go(Step::Into).expect("it stops in the function");
    assert_eq!(stack(&stop), "f:2 <module>:5");
    assert!(stop.part.is_none());
    let stop = debugging.go(Step::Out).expect("it stops behind the line");
    assert_eq!(stack(&stop), "<module>:6");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "5\n");
}

#[test]
fn a_program_without_these_hooks_and_an_old_board_say_so() {
    let board = UnixBoard::start();
    let start = Start::program("x = 1\nprint(x)\n").at(2);
    let mut debugging = Debugging::start(board.path(), &start);
    debugging.next_stop().expect("it stops");
    let refused = debugging.command(|session, now| session.resume(now, Step::Part));
    assert_eq!(refused, Err(DebugError::NoParts));
    assert_eq!(debugging.value(0, "x"), "1", "it is still stopped");
    assert_eq!(debugging.finish(), End::Completed);
    let microbit = Microbit::start();
    let start = Start {
        parts: true,
        ..Start::program("x = 1\nprint(x)\n").at(2)
    };
    let mut debugging = Debugging::start(microbit.path(), &start);
    debugging.next_stop().expect("it stops");
    let refused = debugging.command(|session, now| session.resume(now, Step::Part));
    assert_eq!(refused, Err(DebugError::NoParts));
    assert_eq!(debugging.finish(), End::Completed);
}
