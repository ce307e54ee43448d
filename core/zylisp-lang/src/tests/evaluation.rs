use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{eval, run, small, text};
use crate::{Interpreter, Limits, Step};

#[test]
fn a_source_may_hold_many_forms_and_the_last_one_is_its_value() {
    assert_eq!(eval("(define x 2) (define y 3) (* x y)"), "6");
    assert_eq!(eval(""), "nil");
    assert_eq!(eval("; nothing"), "nil");
}

#[test]
fn a_source_that_cannot_be_read_runs_not_at_all() {
    let mut interpreter = Interpreter::new(Limits::default());
    let refused = run(&mut interpreter, "(define x 1) (define y");
    assert_eq!(text(refused), "syntax-error: unclosed list");
    assert_eq!(
        text(run(&mut interpreter, "x")),
        "unbound-variable: undefined variable: x"
    );
}

#[test]
fn a_definition_inside_a_function_is_seen_only_after_it_and_only_there() {
    let table = [
        (
            "(define x 1) ((lambda (a) (list x (define x a) x)) 5)",
            "(1 5 5)",
        ),
        ("(define x 1) ((lambda (a) (define x a)) 5) x", "1"),
        ("((lambda (a) (list (define a 2) a)) 1)", "(2 2)"),
        (
            "(((lambda (a) (if (define b 3) (lambda () (+ a b)) 0)) 4))",
            "7",
        ),
        (
            "(define f (lambda (a) (lambda () (list a b)))) (define b 9) ((f 1))",
            "(1 9)",
        ),
        (
            "(define make (lambda (n) (lambda () (define n (+ n 1))))) (define f (make 1)) (f) (f)",
            "2",
        ),
        (
            "((lambda (x) ((lambda (skip) (list x (define x 2) x)) 0)) 1)",
            "(1 2 2)",
        ),
    ];
    for (source, expected) in table {
        assert_eq!(eval(source), expected, "{source}");
    }
}

#[test]
fn the_function_is_evaluated_first_and_is_called_last() {
    assert_eq!(
        eval("(nope (println 1))"),
        "unbound-variable: undefined variable: nope"
    );
    assert_eq!(
        eval("(1 nope)"),
        "unbound-variable: undefined variable: nope"
    );
    assert_eq!(
        eval("(define f (lambda () 1)) ((list f) 2)"),
        "type-error: not a function: (<function>)"
    );
}

#[test]
fn a_malformed_form_is_an_error_only_when_it_is_reached() {
    assert_eq!(eval("(if true 1 (lambda))"), "1");
    assert_eq!(
        eval("(if false 1 (lambda))"),
        "arity-error: lambda requires 2 arguments, got 0"
    );
}

#[test]
fn a_tail_call_costs_no_stack() {
    let loops = "(define d (lambda (n) (if (= n 0) 0 (d (- n 1))))) (d 1000000)";
    assert_eq!(eval(loops), "0");
    let captured = "(define d (lambda (n) (if (= n 0) 0 ((lambda (m) (d m)) (- n 1))))) (d 300000)";
    assert_eq!(eval(captured), "0");
}

#[test]
fn too_deep_a_recursion_is_an_error_and_the_environment_lives_on() {
    let mut interpreter = Interpreter::new(Limits::default());
    let source = "(define c (lambda (n) (if (= n 0) 0 (+ 1 (c (- n 1)))))) (c 100000)";
    assert_eq!(text(run(&mut interpreter, source)), "100000");
    let deep = text(run(&mut interpreter, "(c 1000000)"));
    assert!(
        deep.starts_with("limit-error: calls nest deeper than 200000"),
        "{deep}"
    );
    assert_eq!(text(run(&mut interpreter, "(c 10)")), "10");
}

#[test]
fn endless_recursion_can_be_stopped_between_two_slices() {
    let mut interpreter = Interpreter::new(Limits::default());
    interpreter.begin("(define f (lambda () (f))) (f)");
    for _ in 0..100 {
        assert_eq!(interpreter.run(10_000), Step::OutOfFuel);
    }
    interpreter.stop();
    assert_eq!(text(run(&mut interpreter, "(+ 1 2)")), "3");
}

#[test]
fn one_unit_of_fuel_at_a_time_gives_the_same_answer() {
    let mut interpreter = Interpreter::new(Limits::default());
    interpreter.begin("(define fact (lambda (n) (if (<= n 1) 1 (* n (fact (- n 1)))))) (fact 20)");
    let mut slices = 0;
    let result = loop {
        slices += 1;
        if let Step::Done(result) = interpreter.run(1) {
            break result;
        }
    };
    assert_eq!(result, Ok(()));
    assert_eq!(interpreter.printed(100), "2432902008176640000");
    assert!(slices > 100);
}

#[test]
fn what_is_dropped_is_collected_so_a_loop_may_allocate_for_ever() {
    let source =
        "(define spin (lambda (n l) (if (= n 0) (car l) (spin (- n 1) (list n n n n n n n n)))))
                  (spin 200000 (list))";
    assert_eq!(text(run(&mut small(4 << 20), source)), "1");
}

#[test]
fn a_cycle_of_functions_is_collected_too() {
    let source = "(define spin (lambda (n) (if (= n 0) 0
                     ((lambda (skip) (spin (- n 1)))
                      ((lambda () (define self (lambda () (self)))))))))
                  (spin 100000)";
    assert_eq!(text(run(&mut small(4 << 20), source)), "0");
}

#[test]
fn memory_that_is_held_reaches_its_limit_as_an_error() {
    let mut interpreter = small(8 << 20);
    let source = "(define grow (lambda (l) (grow (cons 1 l)))) (grow (list))";
    let full = text(run(&mut interpreter, source));
    assert_eq!(
        full,
        "limit-error: the program needs more than 8388608 bytes of memory"
    );
    assert_eq!(text(run(&mut interpreter, "(+ 1 2)")), "3");
}

#[test]
fn code_that_is_evaluated_again_and_again_is_freed() {
    let mut interpreter = small(4 << 20);
    for n in 0..20_000 {
        let answer = run(
            &mut interpreter,
            format!("(define f (lambda (x) (+ x {n}))) (f 1)"),
        );
        assert_eq!(text(answer), (n + 1).to_string());
    }
}

#[test]
fn sources_and_values_may_nest_as_deep_as_they_are_long() {
    let deep = "(".repeat(300_000) + &")".repeat(300_000);
    assert_eq!(eval(&deep), "type-error: not a function: nil");
    let quoted = format!("(define x (quote {deep})) (null? x)");
    assert_eq!(eval(&quoted), "false");
    let printed = format!("(println (quote {deep}))");
    let limits = Limits {
        output: 1 << 20,
        ..Limits::default()
    };
    let mut interpreter = Interpreter::new(limits);
    assert_eq!(text(run(&mut interpreter, &printed)), "nil");
    assert_eq!(interpreter.take_output().0.len(), 600_001);
    let lambdas = "(lambda () ".repeat(100_000) + "1" + &")".repeat(100_000);
    assert!(eval(&lambdas).starts_with("limit-error: functions nest deeper than 256"));
}

#[test]
fn printed_output_is_kept_up_to_its_limit_and_counted_beyond() {
    let limits = Limits {
        output: 10,
        ..Limits::default()
    };
    let mut interpreter = Interpreter::new(limits);
    assert_eq!(
        text(run(
            &mut interpreter,
            "(println \"hello\" 1 (list \"a\" 2))"
        )),
        "nil"
    );
    assert_eq!(interpreter.take_output(), ("hello 1 (a".into(), 3));
    assert_eq!(text(run(&mut interpreter, "(println \"bye\")")), "nil");
    assert_eq!(interpreter.take_output(), ("bye\n".into(), 0));
}

#[test]
fn many_parameters_and_many_names_are_found_quickly() {
    let names: Vec<String> = (0..20_000).map(|n| format!("p{n}")).collect();
    let names = names.join(" ");
    let numbers = "1 ".repeat(20_000);
    assert_eq!(
        eval(&format!("((lambda ({names}) (+ {names})) {numbers})")),
        "20000"
    );
}

#[test]
fn names_have_letters_of_every_script_and_a_number_is_no_part_of_a_name() {
    let table = [
        ("(define λ (lambda (é) (* 2 é))) (λ 21)", "42"),
        ("(define e\u{301} 42) e\u{301}", "42"),
        ("(define größe 3) (define 中文2 4) (+ größe 中文2)", "7"),
        ("ê", "unbound-variable: undefined variable: ê"),
        ("«", "syntax-error: illegal token at line 1, col 1: \"«\""),
        (
            "1e5",
            "syntax-error: unexpected token after expression at line 1, col 2: SYMBOL",
        ),
        (
            "(+ 1 1) 2x",
            "syntax-error: unexpected token after expression at line 1, col 10: SYMBOL",
        ),
        // Within a list, the original reads these as two elements.
        ("(define abc 2) (+ 1abc)", "3"),
        ("(+ 1 1) 2 3", "3"),
    ];
    for (source, expected) in table {
        let shown = eval(source);
        let first = shown.lines().next().unwrap_or_default();
        assert_eq!(first, expected, "{source}");
    }
}
