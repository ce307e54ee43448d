//! Tests values that are long, many, or change when they are looked at.

use flylead_core::debug::{
    Breakpoint, Container, DebugError, End, Exceptions, Handle, Reply, Step,
};
use flylead_tests::boards::UnixBoard;

use crate::debugging::{Debugging, Start};

/// Has a program wait at its last line.
fn waiting(board: &UnixBoard, text: &str) -> Debugging {
    let last = u32::try_from(text.lines().count()).expect("it is short");
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(last));
    debugging.next_stop().expect("it stops");
    debugging
}

fn handle(debugging: &mut Debugging, python: &str) -> Handle {
    match debugging.evaluate(0, python) {
        Ok(Reply::Value(value)) => value.handle.expect("it has items"),
        other => panic!("{python}: {other:?}"),
    }
}

#[test]
fn names_and_values_of_any_length_and_number_are_answered() {
    let board = UnixBoard::start();
    let text = "\
keys = {'k' * 70000: 1, 'l': 2}
euros = ['\u{20ac}' * 300 for n in range(100)]
for n in range(800):
    globals()['v%d' % n] = '\\x01\\\\' * 100
print('end')
";
    let mut debugging = waiting(&board, text);
    let keys = handle(&mut debugging, "keys");
    let items = debugging.items(keys);
    assert!(items.iter().any(|one| one == "'l'=2"), "{items:?}");
    let longest = items.iter().map(String::len).max();
    assert_eq!(longest, Some(405), "400 of its characters, `...`, `=1`");
    let euros = handle(&mut debugging, "euros");
    assert_eq!(debugging.items(euros).len(), 100);
    let globals = debugging.variables(Container::Globals(0));
    let many = globals.iter().filter(|one| one.value.length == Some(200));
    assert_eq!(many.count(), 800);
    let set = debugging.command(move |session, now| {
        let container = Container::Items {
            of: keys,
            start: 0,
            count: 2,
        };
        session.set_variable(now, 0, container, "'l'", "3")
    });
    assert!(matches!(debugging.reply(set), Ok(Reply::Value(value)) if value.text == "3"));
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "end\n");
}

#[test]
fn exceptions_and_log_messages_of_any_length_are_told() {
    let board = UnixBoard::start();
    let text = "\
text = 'x' * 400000
def f():
    raise ValueError(text)
try:
    f()
except ValueError:
    pass
print('end')
";
    let log = Breakpoint {
        line: 8,
        log: Some("{text}".into()),
        ..Breakpoint::default()
    };
    let mut start = Start::program(text).with(log);
    start.exceptions = Exceptions {
        raised: true,
        uncaught: false,
    };
    let mut debugging = Debugging::start(board.path(), &start);
    let stop = debugging.next_stop().expect("it stops");
    let told = stop.exception.expect("it has raised");
    assert!(told.starts_with("ValueError('xxx"), "{}", told.len());
    match debugging.evaluate(0, "f()") {
        Err(DebugError::Raised(told)) => assert!(told.starts_with("ValueError('xxx")),
        other => panic!("{other:?}"),
    }
    assert!(debugging.go(Step::Continue).is_none());
    assert_eq!(debugging.finish(), End::Completed);
    assert!(debugging.log[0].starts_with("xxx"));
    assert_eq!(debugging.output(), "end\n");
}

#[test]
fn an_item_is_set_to_an_expression_that_is_evaluated_once() {
    let board = UnixBoard::start();
    let text = "it = iter(range(9))\nxs = [None]\nds = {'k': None}\nprint(xs, ds, next(it))\n";
    let mut debugging = waiting(&board, text);
    for (of, name, expected) in [("xs", "0", "0"), ("ds", "'k'", "1")] {
        let of = handle(&mut debugging, of);
        let set = debugging.command(move |session, now| {
            let container = Container::Items {
                of,
                start: 0,
                count: 1,
            };
            session.set_variable(now, 0, container, name, "next(it)")
        });
        let set = debugging.reply(set);
        assert!(
            matches!(&set, Ok(Reply::Value(value)) if value.text == expected),
            "{set:?}"
        );
    }
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "[0] {'k': 1} 2\n");
}

#[test]
fn expressions_bind_and_read_as_they_do_in_python() {
    let board = UnixBoard::start();
    let text = "def f(x, n):\n    y = 1\n    return n\nprint(f([1, 2], 3))\n";
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(3));
    debugging.next_stop().expect("it stops");
    assert_eq!(debugging.value(0, "[x for x in x]"), "[1, 2]");
    assert_eq!(debugging.value(0, "(lambda a=n: a)()"), "3");
    assert_eq!(debugging.evaluate(0, "(n := 5)"), Ok(Reply::Done));
    assert_eq!(debugging.value(0, "n"), "5");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "5\n");
}

#[test]
fn a_statement_leaves_what_it_does_not_come_to() {
    let board = UnixBoard::start();
    let text = "def f():\n    total = 7\n    if total:\n        print(total)\n    late = 1\n    return late\nf()\n";
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(4));
    debugging.next_stop().expect("it stops");
    for python in ["if 0: total = 1", "if 0: late = 1", "for total in (): pass"] {
        assert_eq!(debugging.evaluate(0, python), Ok(Reply::Done), "{python}");
        assert_eq!(debugging.locals(0), ["total=7"], "{python}");
    }
    let deleted = debugging.evaluate(0, "del total");
    assert_eq!(deleted, Err(DebugError::Undeletable));
    let early = debugging.evaluate(0, "late += 1");
    assert!(
        matches!(&early, Err(DebugError::Raised(text)) if text.starts_with("NameError")),
        "{early:?}"
    );
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "7\n");
}

#[test]
fn a_handler_without_a_name_shows_no_variable_of_ours() {
    let board = UnixBoard::start();
    let text = "x = 1\ntry:\n    x // 0\nexcept ZeroDivisionError:\n    print(x)\n";
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(5));
    debugging.next_stop().expect("it stops");
    let globals = debugging.variables(Container::Globals(0));
    let ours = globals.iter().filter(|one| one.name.starts_with('_'));
    assert_eq!(ours.count(), 0, "{globals:?}");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "1\n");
}
