//! Tests the memory of programs, and its release.

use alloc::{format, vec::Vec};

use super::{run, text};
use crate::{Budget, Interpreter, Limits, Step};

/// Defines a list of this many elements under the name `l`.
fn hold(elements: u32) -> alloc::string::String {
    format!(
        "(define build (lambda (n l) (if (= n 0) l (build (- n 1) (cons n l))))) (define l (build {elements} (list)))"
    )
}

#[test]
fn what_a_program_has_dropped_is_given_back_when_it_has_ended() {
    let budget = Budget::new(64 << 20);
    let mut interpreter = Interpreter::within(Limits::default(), &budget);
    run(
        &mut interpreter,
        "(define keep (list 1 2 (list \"three\")))",
    )
    .unwrap();
    interpreter.stop();
    let before = budget.used();
    for _ in 0..3 {
        run(&mut interpreter, hold(500_000).as_str()).unwrap();
        assert!(budget.used() > 10 << 20, "{}", budget.used());
        for source in ["(define l 0)", "1", "2"] {
            run(&mut interpreter, source).unwrap();
        }
        interpreter.tidy();
        assert!(budget.used() < before + (300 << 10), "{}", budget.used());
    }
    assert_eq!(text(run(&mut interpreter, "keep")), "(1 2 (\"three\"))");
    assert_eq!(text(run(&mut interpreter, "(car (build 3 (list)))")), "1");
    drop(interpreter);
    assert_eq!(budget.used(), 0);
}

#[test]
fn what_is_still_defined_survives_that_everything_is_moved() {
    let mut interpreter = Interpreter::new(Limits::default());
    run(&mut interpreter, hold(30_000).as_str()).unwrap();
    let adders = "(define adder (lambda (n) (lambda (m) (list (+ n m) \"text\" (quote (a (b)))))))
                  (define a (adder 1)) (define b (list (adder 2) (adder 3)))";
    run(&mut interpreter, adders).unwrap();
    for round in 0..5 {
        run(&mut interpreter, "(define l (quote (dropped)))").unwrap();
        run(&mut interpreter, hold(30_000 + round).as_str()).unwrap();
        let source = "(list (a 1) ((car b) 1) ((car (cdr b)) 1) (car l))";
        assert_eq!(
            text(run(&mut interpreter, source)),
            "((2 \"text\" (a (b))) (3 \"text\" (a (b))) (4 \"text\" (a (b))) 1)"
        );
    }
}

#[test]
fn programs_that_share_a_budget_are_refused_what_the_others_have() {
    let budget = Budget::new(14 << 20);
    let mut interpreters: Vec<_> = (0..4)
        .map(|_| Interpreter::within(Limits::default(), &budget))
        .collect();
    let [first, second, ..] = &mut interpreters[..] else {
        unreachable!()
    };
    run(first, hold(300_000).as_str()).unwrap();
    let refused = text(run(second, hold(300_000).as_str()));
    assert_eq!(
        refused,
        "limit-error: there is no memory left: all programs together use the 14680064 bytes that they may use"
    );
    assert_eq!(text(run(second, "(+ 1 2)")), "3");
    assert_eq!(text(run(first, "(car l)")), "1");
    run(first, "(define l 0)").unwrap();
    run(first, "(define l 0) 1").unwrap();
    run(first, "2").unwrap();
    first.tidy();
    run(second, hold(300_000).as_str()).unwrap();
    assert!(budget.used() <= budget.limit());
}

#[test]
fn a_long_source_counts_while_it_is_read() {
    let budget = Budget::new(1 << 20);
    let mut interpreter = Interpreter::within(Limits::default(), &budget);
    let source = format!("(+ {})", "1 ".repeat(400_000));
    interpreter.begin(source.as_str());
    let mut highest = 0;
    let refused = loop {
        match interpreter.run(1_000) {
            Step::Done(result) => break result.unwrap_err(),
            _ => highest = highest.max(budget.used()),
        }
    };
    assert_eq!(refused.kind.name(), "limit-error");
    assert!((500 << 10..=1 << 20).contains(&highest), "{highest}");
}

#[test]
fn an_idle_environment_is_small() {
    let budget = Budget::new(1 << 30);
    let interpreters: Vec<_> = (0..100)
        .map(|n| {
            let mut interpreter = Interpreter::within(Limits::default(), &budget);
            run(&mut interpreter, format!("(define x {n}) (+ x 1)").as_str()).unwrap();
            interpreter.stop();
            interpreter
        })
        .collect();
    let each = budget.used() / interpreters.len();
    assert!(each < 4_000, "{each} bytes");
}

#[test]
fn a_fork_has_everything_and_is_a_world_of_its_own() {
    let budget = Budget::new(14 << 20);
    let mut one = Interpreter::within(Limits::default(), &budget);
    run(
        &mut one,
        "(define f (lambda (n) (* n 2))) (define x (list 1 \"a\"))",
    )
    .unwrap();
    one.begin("(define loop (lambda () (loop))) (loop)");
    one.run(10_000);
    let mut two = one.fork().unwrap();
    assert_eq!(text(run(&mut two, "(list (f 21) x)")), "(42 (1 \"a\"))");
    run(&mut two, "(define x 5)").unwrap();
    assert_eq!(one.run(1_000), Step::OutOfFuel, "it runs on");
    assert_eq!(text(run(&mut one, "x")), "(1 \"a\")");
    assert_eq!(text(run(&mut two, "x")), "5");
    run(&mut one, hold(300_000).as_str()).unwrap();
    assert_eq!(one.fork().unwrap_err().kind.name(), "limit-error");
}
