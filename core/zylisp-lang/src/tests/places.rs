//! Tests the places of errors.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::run;
use crate::{Error, Interpreter, Limits, Place, Source};

fn error_of(source: impl Into<Source>) -> Error {
    let mut interpreter = Interpreter::new(Limits::default());
    run(&mut interpreter, source).expect_err("it goes wrong")
}

fn trace(error: &Error) -> Vec<String> {
    error.trace.iter().map(ToString::to_string).collect()
}

#[test]
fn what_cannot_be_read_is_where_it_stands() {
    let table = [
        ("(+ 1 2))", (1, 8)),
        ("(+ 1\n  #2)", (2, 3)),
        ("(+ 1\n  '", (1, 1)),
        ("1\n '", (2, 2)),
        ("\"abc\n", (2, 1)),
        // The place is that of the list still open at the end, not the end.
        ("(a)\n  (b (c)\n d", (2, 3)),
        ("99999999999999999999", (1, 1)),
        ("é«", (1, 3)),
    ];
    for (source, (line, column)) in table {
        let error = error_of(source);
        assert_eq!(error.place(), Some(Place { line, column }), "{source}");
        assert_eq!(error.kind.name(), "syntax-error");
    }
}

#[test]
fn what_goes_wrong_is_at_the_form_that_was_evaluated() {
    let table = [
        ("(+ 1\n   (* 2 nope))", "at line 2, column 9"),
        ("(+ 1\n   (/ 2 0))", "at line 2, column 4"),
        ("1 2\n(1 2)", "at line 2, column 1"),
        ("(if true (lambda) 1)", "at line 1, column 10"),
        ("(define f (lambda (1) 1))", "at line 1, column 11"),
        ("((lambda (a) a))", "at line 1, column 1"),
        (
            "(((lambda (a) (if true (lambda () b) (define b 1))) 1))",
            "in lambda at line 1, column 35",
        ),
    ];
    for (source, place) in table {
        assert_eq!(trace(&error_of(source))[0], place, "{source}");
    }
}

#[test]
fn the_calls_that_led_there_are_told_by_their_functions_and_places() {
    let source = "(define inner (lambda (x)\n  (+ 1 (/ x 0))))\n(define outer (lambda (x)\n  (* 2 (inner x))))\n(+ 0 (outer 5))";
    let error = error_of(Source::of_file("calls.zylisp", source));
    assert_eq!(error.to_string(), "arithmetic-error: division by zero");
    assert_eq!(
        trace(&error),
        [
            "in inner at calls.zylisp:2:8",
            "in outer at calls.zylisp:4:8",
            "at calls.zylisp:5:6"
        ]
    );
}

#[test]
fn a_function_of_an_earlier_source_keeps_its_place_there() {
    let mut interpreter = Interpreter::new(Limits::default());
    let library = Source::of_file("library.zylisp", "\n(define half (lambda (n) (/ n 0)))");
    run(&mut interpreter, library).unwrap();
    let error = run(&mut interpreter, Source::of_file("main", "(list (half 4))")).unwrap_err();
    assert_eq!(
        trace(&error),
        ["in half at library.zylisp:2:26", "at main:1:7"]
    );
}

#[test]
fn a_part_of_a_file_tells_places_of_the_file() {
    let mut source = Source::of_file("all.zylisp", "(car\n 5)");
    source.start = Place {
        line: 40,
        column: 9,
    };
    assert_eq!(trace(&error_of(source)), ["at all.zylisp:40:9"]);
}

#[test]
fn a_long_way_is_told_by_its_ends() {
    let source = "(define c (lambda (n) (if (= n 0) (nope) (+ 1 (c (- n 1))))))\n(c 5000)";
    let error = error_of(source);
    assert_eq!((error.trace.len(), error.omitted), (50, 5_002 - 50));
    assert_eq!(trace(&error)[0], "in c at line 1, column 36");
    assert_eq!(trace(&error)[1], "in c at line 1, column 47");
    assert_eq!(trace(&error)[49], "at line 2, column 1");
}

#[test]
fn many_functions_in_one_form_are_told_apart() {
    let functions: String = (0..500)
        .map(|n| format!("(define f{n} (lambda (x) (g{n} x)))\n"))
        .collect();
    let source = format!("((lambda ()\n(list {functions}\n(f321 7))))");
    let error = error_of(source.as_str());
    assert_eq!(trace(&error)[0], "in f321 at line 323, column 27");
}
