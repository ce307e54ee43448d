//! The meaning of a text depends on what was compiled with it, and on its lines: constants, headers of several lines, modules
//! that import modules. A program with hooks keeps all of that.

use flylead_core::debug::{Breakpoint, End, Reason, Step};
use flylead_tests::boards::UnixBoard;

use crate::debugging::{Debugging, Start, stack};

/// MicroPython replaces `_X` when it compiles, so it is known only to what is compiled with it.
#[test]
fn a_function_that_uses_a_constant_stops() {
    let text = "\
from micropython import const
_X = const(5)
def f(a):
    b = a + _X
    return b
class A:
    def m(self):
        return _X * 2
print(f(1))
print(A().m())
";
    let board = UnixBoard::start();
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(5).at(8));
    let stop = debugging.next_stop().expect("it stops in the function");
    assert_eq!(stack(&stop), "f:5 <module>:9");
    assert_eq!(debugging.locals(0), ["a=1", "b=6"]);
    let value = debugging.value(0, "a + _X");
    assert_eq!(value, "6", "a person may ask for it");
    let stop = debugging.go(Step::Continue);
    let stop = stop.expect("it stops in the method");
    assert_eq!(stack(&stop), "A.m:8 <module>:10");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "6\n10\n");
}

#[test]
fn a_breakpoint_in_a_function_that_is_set_late_knows_constants() {
    let text = "\
from micropython import const
_A = const(5)
_B = const(
    _A +  # and
    1)
def f(a):
    return a + _B
x = 1
print(f(x))
";
    let board = UnixBoard::start();
    let mut debugging = Debugging::start(board.path(), &Start::program(text).at(8));
    debugging.next_stop().expect("it stops before the call");
    debugging.set_breakpoints(&[7]);
    let stop = debugging.go(Step::Continue).expect("it stops in it");
    assert_eq!(stack(&stop), "f:7 <module>:9");
    assert_eq!(debugging.value(0, "_B * a"), "6");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "7\n");
}

#[test]
fn a_condition_may_mention_a_constant() {
    let text = "_A = const(2)\ndef f(n):\n    return n\nfor i in range(4):\n    f(i)\n";
    let board = UnixBoard::start();
    let breakpoint = Breakpoint {
        line: 3,
        condition: Some("n > _A".to_owned()),
        ..Breakpoint::default()
    };
    let mut debugging = Debugging::start(board.path(), &Start::program(text).with(breakpoint));
    debugging.next_stop().expect("it stops once");
    assert_eq!(debugging.locals(0), ["n=3"]);
    assert_eq!(debugging.go(Step::Continue), None);
    assert_eq!(debugging.finish(), End::Completed);
}

/// A breakpoint would hide that nothing else stops the program.
#[test]
fn a_first_step_needs_no_breakpoint() {
    let text = "x = 1\ndef f(a):\n    return a\ny = f(x)\nprint(y)\n";
    let board = UnixBoard::start();
    for step in [Step::Into, Step::Over] {
        let start = Start {
            stop_on_entry: true,
            reset_first: true,
            ..Start::program(text)
        };
        let mut debugging = Debugging::start(board.path(), &start);
        let stop = debugging.next_stop().expect("it stops at its entry");
        assert_eq!(stop.reason, Reason::Entry);
        let mut seen = Vec::new();
        while let Some(stop) = debugging.go(step) {
            seen.push(stack(&stop));
        }
        let expected = match step {
            Step::Into => "<module>:4, f:3 <module>:4, <module>:5",
            _ => "<module>:4, <module>:5",
        };
        assert_eq!(seen.join(", "), expected);
        assert_eq!(debugging.finish(), End::Completed);
        assert_eq!(debugging.output(), "1\n");
    }
}

/// Possible headers of a function, with the line of its body.
const HEADERS: [(&str, u32); 12] = [
    ("def f(a): BODY", 1),
    ("def f(a): \\\n  BODY", 2),
    ("def f(a,\n      b=2): BODY", 2),
    ("def f(a,\n      b=2):\n    BODY", 3),
    ("def f(a) -> (\n    int): BODY", 2),
    ("def f(a) \\\n    :\n    BODY", 3),
    (
        "def f(a, b=[1,\n  2], # why: this\n  *c): # and:\n    BODY",
        4,
    ),
    ("def \\\n f(a):\n    BODY", 3),
    ("def f(a): \\\n\n    BODY", 3),
    (
        "keep = lambda n: lambda f: f\n@keep(\n  1)\ndef f(a, b={1: 2},\n   *c): BODY",
        5,
    ),
    ("def f(a):\n    'what it does';\n    BODY", 3),
    ("def f(a):\n    '''what\n    it does'''\n    BODY", 4),
];

#[test]
fn a_function_with_a_header_of_several_lines_stops() {
    let board = UnixBoard::start();
    // Within a class and a function there is a header above that may have to make room.
    let places = [
        ("", "f", "f(4)"),
        ("class A:\n", "A.f", "A.f(4)"),
        ("def outer():\n", "outer.f", "outer()(4)"),
    ];
    for (header, line) in HEADERS {
        for (around, name, call) in places {
            let indent = if around.is_empty() { "" } else { " " };
            let text = header.replace("BODY", "return a * 3");
            let lines = text.lines().map(|one| format!("{indent}{one}\n"));
            let mut lines: String = lines.collect();
            if name.starts_with("outer") {
                lines += " return f\n";
            }
            let text = format!("{around}{lines}print({call})\n");
            let last = text.lines().count();
            let at = line + u32::from(!around.is_empty());
            let start = Start {
                reset_first: true,
                ..Start::program(&text).at(at)
            };
            let mut debugging = Debugging::start(board.path(), &start);
            let stop = debugging
                .next_stop()
                .unwrap_or_else(|| panic!("{:?} of\n{text}", debugging.end));
            let expected = format!("{name}:{at} <module>:{last}");
            assert_eq!(stack(&stop), expected, "{text}");
            assert_eq!(debugging.value(0, "a"), "4", "{text}");
            assert_eq!(debugging.finish(), End::Completed, "{text}");
            assert_eq!(debugging.output(), "12\n", "{text}");
        }
    }
}

/// A program and three modules, each of which imports the next in its own way.
fn chain(dice: &mut fastrand::Rng) -> Vec<(String, String)> {
    let headers = [
        "def f{}(a): \\\n ",
        "def f{}(a,\n  b=1):\n\n  ",
        "def f{}(a):\n  ",
    ];
    let mut files = Vec::new();
    for level in 0..4 {
        let next = level + 1;
        let (import, late, call) = match (level, dice.u32(0..3)) {
            (3, _) => (String::new(), String::new(), "1".to_owned()),
            (_, 0) => {
                let import = format!("import m{next}");
                (import, String::new(), format!("m{next}.f{next}(a)"))
            }
            (_, 1) => {
                let import = format!("from m{next} import f{next}");
                (import, String::new(), format!("f{next}(a)"))
            }
            _ => {
                let late = format!("import m{next};");
                (String::new(), late, format!("m{next}.f{next}(a)"))
            }
        };
        let header = headers[dice.usize(0..3)].replace("{}", &level.to_string());
        let (name, run) = match level {
            0 => ("main.py".to_owned(), "print(f0(2))"),
            _ => (format!("m{level}.py"), ""),
        };
        let text = format!(
            "{import}\n_K = const({level} + 1)\n{header}{late}x = {call}; return x + _K\n{run}\n"
        );
        files.push((name, text));
    }
    files
}

#[test]
fn a_breakpoint_stops_in_a_module_that_modules_import() {
    let board = UnixBoard::start();
    for seed in 0..12 {
        let mut dice = fastrand::Rng::with_seed(seed);
        let files = chain(&mut dice);
        // One module alone, so that nothing but what imports it leads there.
        let module = dice.usize(1..4);
        let (path, text) = files[module].clone();
        let line = text.lines().zip(1..).find(|one| one.0.contains("return"));
        let line = line.expect("it returns").1;
        let wish = Breakpoint {
            line,
            ..Breakpoint::default()
        };
        let is_late = dice.bool();
        let early = [(module, wish.clone())];
        let names = files.iter().map(|(name, text)| (name.as_str(), &**text));
        let start = Start {
            files: names.collect(),
            breakpoints: early.into_iter().filter(|_| !is_late).collect(),
            stop_on_entry: true,
            reset_first: true,
            ..Start::program("")
        };
        let shown = format!("seed {seed}, {path} line {line}, late {is_late}: {files:#?}");
        let mut debugging = Debugging::start(board.path(), &start);
        debugging.next_stop().expect("it stops at its entry");
        if is_late {
            debugging.command(move |session, now| {
                let id = session.project().find(&path).expect("it is there");
                session.set_breakpoints(now, id, &[wish]);
            });
        }
        let stop = debugging.go(Step::Continue);
        let stop = stop.unwrap_or_else(|| panic!("{:?} {shown}", debugging.end));
        let stack = stack(&stop);
        let expected = format!("f{module}:{line} ");
        assert!(stack.starts_with(&expected), "{stack} {shown}");
        assert_eq!(stop.frames.len(), module + 2, "{stack} {shown}");
        assert_eq!(debugging.finish(), End::Completed, "{shown}");
        assert_eq!(debugging.output(), "11\n", "{shown}");
    }
}

/// No breakpoint has told the board of any of them.
#[test]
fn steps_go_into_modules_that_modules_import() {
    let board = UnixBoard::start();
    let files = [
        ("main.py", "import one\nprint(one.f(1))\n"),
        ("one.py", "import two\ndef f(a):\n    return two.g(a)\n"),
        ("two.py", "_K = const(3)\ndef g(a):\n    return a + _K\n"),
    ];
    let start = Start {
        files: files.to_vec(),
        stop_on_entry: true,
        reset_first: true,
        ..Start::program("")
    };
    let mut debugging = Debugging::start(board.path(), &start);
    debugging.next_stop().expect("it stops at its entry");
    let mut seen = Vec::new();
    while let Some(stop) = debugging.go(Step::Into) {
        seen.push(stack(&stop));
    }
    let deepest = "g:3 f:3 <module>:2".to_owned();
    assert!(seen.contains(&deepest), "{seen:?}");
    assert_eq!(debugging.finish(), End::Completed);
    assert_eq!(debugging.output(), "4\n");
}
