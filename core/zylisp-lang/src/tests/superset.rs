//! Tests the forms and functions that the original lacks.

use alloc::{format, string::String};

use super::{eval, run, small, text};
use crate::{Interpreter, Limits, Step, is_unfinished};

#[test]
fn an_apostrophe_quotes_the_datum_that_follows() {
    let table = [
        ("'a", "a"),
        ("'(a (b) 1)", "(a (b) 1)"),
        ("(list 'a '() 1)", "(a () 1)"),
        ("''a", "(quote a)"),
        ("'; why\n a", "a"),
        ("'", "syntax-error: nothing follows the quote"),
        (
            "(list ')",
            "syntax-error: unexpected closing paren at line 1, col 8",
        ),
        (
            "'1e5",
            "syntax-error: unexpected token after expression at line 1, col 3: SYMBOL",
        ),
    ];
    for (source, expected) in table {
        assert_eq!(eval(source), expected, "{source}");
    }
    assert!(is_unfinished("'") && is_unfinished("(list 'a '"));
    assert!(!is_unfinished("'a") && !is_unfinished("')"));
}

#[test]
fn let_binds_names_for_its_body_alone() {
    let table = [
        ("(let ((x 1) (y 2)) (+ x y))", "3"),
        ("(let () 5)", "5"),
        ("(let ((x 1)) (println x) (define y 2) (+ x y))", "3"),
        ("(define x 1) (let ((x 2) (y x)) (list x y))", "(2 1)"),
        (
            "(let ((x 1)) (let ((x (+ x 1)) (y x)) (list x y)))",
            "(2 1)",
        ),
        ("((let ((n 5)) (lambda (m) (+ n m))) 2)", "7"),
        (
            "((lambda (a) (let ((b (* a 2))) (define a 9) (list a b))) 4)",
            "(9 8)",
        ),
        ("((lambda (a) (let ((b (define a 7))) (+ a b))) 4)", "14"),
        (
            "(let ((x 1)) x) x",
            "unbound-variable: undefined variable: x",
        ),
        (
            "(define d (lambda (n) (let ((m (- n 1))) (if (< m 1) m (d m))))) (d 300000)",
            "0",
        ),
    ];
    for (source, expected) in table {
        assert_eq!(eval(source), expected, "{source}");
    }
}

#[test]
fn cond_takes_the_first_clause_whose_test_is_true() {
    let sign = "(define sign (lambda (n) (cond ((< n 0) 'minus) ((= n 0) (println n) 'zero) (else 'plus))))";
    let table = [
        ("(list (sign -1) (sign 0) (sign 1))", "(minus zero plus)"),
        ("(cond)", "nil"),
        ("(cond (false 1))", "nil"),
        ("(list (cond ((list) 1)) (cond (() 1) (true 2)))", "(1 2)"),
        (
            "(define d (lambda (n) (cond ((= n 0) 'end) (else (d (- n 1)))))) (d 300000)",
            "end",
        ),
    ];
    for (source, expected) in table {
        assert_eq!(eval(&format!("{sign} {source}")), expected, "{source}");
    }
}

#[test]
fn begin_evaluates_forms_in_order_and_gives_the_last_value() {
    let mut interpreter = Interpreter::new(Limits::default());
    let source = "(begin (println 1) (define x 2) (println x) (+ x 1))";
    assert_eq!(text(run(&mut interpreter, source)), "3");
    assert_eq!(interpreter.take_output().0, "1\n2\n");
    assert_eq!(text(run(&mut interpreter, "(list (begin) x)")), "(nil 2)");
    let looped = "(define d (lambda (n) (begin 1 (if (= n 0) 'end (d (- n 1)))))) (d 300000)";
    assert_eq!(text(run(&mut interpreter, looped)), "end");
}

#[test]
fn malformed_forms_say_how_they_are_written_when_they_are_reached() {
    let table = [
        ("(if false (let) 1)", "1"),
        (
            "(let (x 1) x)",
            "type-error: let: a binding is a name and a value, as in (x 1), got x",
        ),
        (
            "(let ((x)) 1)",
            "type-error: let: a binding is a name and a value, as in (x 1), got (x)",
        ),
        (
            "(let ((1 2)) 1)",
            "type-error: let: a binding is a name and a value, as in (x 1), got (1 2)",
        ),
        (
            "(let ((x 1)))",
            "type-error: let: requires bindings and a body, as in (let ((x 1) (y 2)) (+ x y))",
        ),
        (
            "(cond 1)",
            "type-error: cond: a clause is a test and a value, as in ((< x 0) \"negative\")",
        ),
        (
            "(cond (true))",
            "type-error: cond: a clause is a test and a value, as in ((< x 0) \"negative\")",
        ),
    ];
    for (source, expected) in table {
        assert_eq!(eval(source), expected, "{source}");
    }
    let nested = "(let ((a 1)) ".repeat(300) + &")".repeat(300);
    assert!(eval(&nested).starts_with("limit-error: functions nest deeper than 256"));
}

#[test]
fn a_program_of_the_original_keeps_its_own_functions_of_these_names() {
    for name in [
        "let",
        "cond",
        "begin",
        "not",
        "remainder",
        "string?",
        "else",
    ] {
        let define = format!("(define {name} (lambda (a) (* a 2)))");
        let call = format!("({name} 21)");
        // In one source, with the function defined before or after its use.
        assert_eq!(eval(&format!("{define} {call}")), "42", "{name}");
        let later = format!("(define f (lambda (a) ({name} a))) {define} (f 21)");
        assert_eq!(eval(&later), "42", "{name}");
        // As a parameter, or defined inside a function.
        assert_eq!(
            eval(&format!("((lambda ({name}) ({name} 21)) (lambda (a) a))")),
            "21"
        );
        assert_eq!(
            eval(&format!("((lambda () (list {define} {call})))")),
            "(<function> 42)"
        );
        // From one source to the next.
        let mut interpreter = Interpreter::new(Limits::default());
        run(&mut interpreter, define.as_str()).unwrap();
        assert_eq!(text(run(&mut interpreter, call.as_str())), "42", "{name}");
    }
}

#[test]
fn a_name_without_a_value_is_undefined_as_it_was() {
    for name in ["let", "cond", "begin", "else"] {
        assert_eq!(
            eval(name),
            format!("unbound-variable: undefined variable: {name}")
        );
        assert_eq!(eval(&format!("(list '{name})")), format!("({name})"));
    }
}

#[test]
fn strings_are_compared_measured_joined_and_made_of_numbers() {
    let table = [
        ("(not ())", "true"),
        (
            "(list (not false) (not 0) (not (list)))",
            "(true false false)",
        ),
        (
            "(list (remainder 7 3) (remainder -7 3) (remainder 7 -3))",
            "(1 -1 1)",
        ),
        ("(remainder -9223372036854775808 -1)", "0"),
        ("(remainder 1 0)", "arithmetic-error: division by zero"),
        ("(list (string? \"\") (string? 'a))", "(true false)"),
        ("(string-length \"añb中\")", "4"),
        ("(string-append \"a\" \"\" \"bc\")", "\"abc\""),
        ("(string-append)", "\"\""),
        (
            "(list (string=? \"a\" \"a\") (string=? \"a\" \"b\"))",
            "(true false)",
        ),
        (
            "(list (string<? \"a\" \"b\") (string<? \"b\" \"a\") (string<? \"\" \"a\"))",
            "(true false true)",
        ),
        ("(string->number \" -42 \")", "-42"),
        (
            "(list (string->number \"4x\") (string->number \"\") (string->number \"+4\"))",
            "(nil nil nil)",
        ),
        ("(string->number \"9223372036854775808\")", "nil"),
        ("(number->string -5)", "\"-5\""),
        (
            "(string-length 5)",
            "type-error: string-length: expected string, got 5",
        ),
        (
            "(string=? \"a\")",
            "arity-error: string=?: requires 2 arguments, got 1",
        ),
        ("(= \"a\" \"a\")", "type-error: =: expected numbers"),
    ];
    for (source, expected) in table {
        assert_eq!(eval(source), expected, "{source}");
    }
}

#[test]
fn a_program_uses_what_it_reads() {
    let mut interpreter = Interpreter::new(Limits::default());
    interpreter.input("17\nadd\n25\n");
    let source =
        "(let ((a (string->number (read-line))) (op (read-line)) (b (string->number (read-line))))
                    (cond ((string=? op \"add\") (+ a b)) (else 'unknown)))";
    assert_eq!(text(run(&mut interpreter, source)), "42");
}

#[test]
fn strings_that_would_grow_past_the_limit_are_refused_before_they_are_made() {
    let mut interpreter = small(4 << 20);
    let double =
        "(define double (lambda (s n) (if (= n 0) s (double (string-append s s) (- n 1)))))";
    run(&mut interpreter, double).unwrap();
    let length = "(string-length (double \"x\" 20))";
    assert_eq!(text(run(&mut interpreter, length)), "1048576");
    let too_long = "(string-length (double \"x\" 60))";
    let full = "limit-error: the program needs more than 4194304 bytes of memory";
    assert_eq!(text(run(&mut interpreter, too_long)), full);
    let arguments = "s ".repeat(1_000);
    let at_once = format!("(define s (double \"x\" 18)) (string-append {arguments})");
    assert_eq!(text(run(&mut interpreter, at_once.as_str())), full);
    assert_eq!(text(run(&mut interpreter, length)), "1048576");
}

#[test]
fn names_that_nothing_has_are_forgotten() {
    let mut interpreter = small(1 << 20);
    run(
        &mut interpreter,
        "(define kept '(red green)) (define f (lambda (longer) longer))",
    )
    .unwrap();
    for round in 0..400 {
        let names: String = (0..500).map(|n| format!(" a-name-{round}-{n}")).collect();
        let source = format!("(define last '({names})) (define other{} 1)", round % 10);
        run(&mut interpreter, source.as_str()).unwrap();
    }
    assert_eq!(
        text(run(&mut interpreter, "(list kept (car last) (f 2))")),
        "((red green) a-name-399-0 2)"
    );
    assert!(
        interpreter.symbols.bytes() < 200 << 10,
        "{}",
        interpreter.symbols.bytes()
    );
    let names =
        interpreter.complete("a-name", 10_000).len() + interpreter.complete("other", 100).len();
    assert_eq!(names, 10);
}

#[test]
fn an_environment_full_of_names_still_runs_what_needs_no_new_ones() {
    let mut interpreter = small(1 << 20);
    let refused = (0..).find_map(|n| {
        let source = format!("(define a-name-of-some-length-{n} 1)");
        run(&mut interpreter, source.as_str()).err()
    });
    assert_eq!(refused.unwrap().kind.name(), "limit-error");
    assert_eq!(text(run(&mut interpreter, "(+ 1 1)")), "2");
    let source = "(+ a-name-of-some-length-7 1)";
    assert_eq!(text(run(&mut interpreter, source)), "2");
    interpreter.begin("(define one-more-name-that-is-very-long-indeed 1)");
    assert!(matches!(interpreter.run(1_000), Step::Done(_)));
}
