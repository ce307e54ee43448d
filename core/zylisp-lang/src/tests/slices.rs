//! Tests reading, compiling and evaluating in slices; forms one by one; pages of values; input.

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::{eval, run};
use crate::{Interpreter, Item, Limits, Source, Step};

fn interpreter() -> Interpreter {
    Interpreter::new(Limits::default())
}

#[test]
fn a_long_source_is_read_and_compiled_in_slices_too() {
    let numbers = "1 ".repeat(200_000);
    for source in [
        format!("(+ {numbers})"),
        format!("(null? (quote ({numbers})))"),
        format!("(quote ({numbers})) 1"),
        format!("(lambda () (list {numbers})) 1"),
        format!(
            "((lambda ({}) 1))",
            numbers.replace('1', "p").replace(' ', "1 ")
        ),
    ] {
        let mut interpreter = interpreter();
        interpreter.begin(source.as_str());
        let mut slices = 0;
        while interpreter.run(1_000) == Step::OutOfFuel {
            slices += 1;
        }
        // Reading 200,000 tokens takes at least this many operations.
        assert!(slices > 200, "{slices} for {:.20}", source);
    }
}

#[test]
fn a_program_that_is_given_up_while_it_is_read_leaves_the_environment_as_it_was() {
    let mut interpreter = interpreter();
    run(&mut interpreter, "(define x 1)").unwrap();
    for slices in 0..200 {
        interpreter.begin("(define x 2) (define f (lambda (a) (quote (a b c))))");
        for _ in 0..slices {
            interpreter.run(1);
        }
        interpreter.stop();
        if slices < 20 {
            assert_eq!(run(&mut interpreter, "x").unwrap(), "1");
        }
    }
    assert_eq!(run(&mut interpreter, "(f 1)").unwrap(), "(a b c)");
}

#[test]
fn every_forms_value_is_told_to_whom_it_is_worth_something() {
    let mut interpreter = interpreter();
    let source = Source {
        each_form: true,
        ..Source::from("(define x 2) (* x 21) \"s\" ; nothing\n")
    };
    let mut told = Vec::new();
    interpreter.begin(source);
    loop {
        match interpreter.run(100) {
            Step::Form => told.push(interpreter.printed(100)),
            Step::Done(result) => break assert_eq!(result, Ok(())),
            _ => {}
        }
    }
    assert_eq!(told, ["2", "42", "\"s\""]);
    assert_eq!(
        run(&mut interpreter, "(list *1 *2 *3)").unwrap(),
        "(\"s\" 42 2)"
    );

    let none = Source {
        each_form: true,
        ..Source::from("; nothing")
    };
    interpreter.begin(none);
    assert_eq!(interpreter.run(100), Step::Done(Ok(())));
}

#[test]
fn the_last_results_and_the_last_error_have_names() {
    let mut interpreter = interpreter();
    assert!(run(&mut interpreter, "*1").is_err());
    for source in ["1", "2 3", "4"] {
        run(&mut interpreter, source).unwrap();
    }
    assert_eq!(run(&mut interpreter, "(list *1 *2 *3)").unwrap(), "(4 3 1)");
    assert_eq!(run(&mut interpreter, "*1").unwrap(), "(4 3 1)");
    run(&mut interpreter, "(/ 1 0)").unwrap_err();
    let error = run(&mut interpreter, "*e").unwrap();
    assert_eq!(error, "(\"arithmetic-error\" \"division by zero\")");
    assert_eq!(run(&mut interpreter, "*2").unwrap(), "(4 3 1)");
}

#[test]
fn a_value_is_printed_in_pages_of_any_length() {
    let mut interpreter = interpreter();
    let source = "(quote (1 \"é\\n中\" (()) sym (true (2))))";
    let whole = run(&mut interpreter, source).unwrap();
    assert_eq!(whole, "(1 \"é\\n中\" (()) sym (true (2)))");
    for limit in 1..40 {
        interpreter.rewind();
        let mut pages = Vec::new();
        while interpreter.has_page() {
            pages.push(interpreter.next_page(limit));
        }
        assert_eq!(pages.concat(), whole, "{limit}");
        let longest = limit.max("中".len());
        assert!(pages.iter().all(|page| page.len() <= longest), "{pages:?}");
    }
}

#[test]
fn a_value_that_prints_longer_than_any_memory_is_looked_at_as_far_as_one_likes() {
    let doubling = "(define d (lambda (n x) (if (= n 0) x (d (- n 1) (list x x)))))";
    let mut interpreter = interpreter();
    run(&mut interpreter, format!("{doubling} (d 60 1)").as_str()).unwrap();
    interpreter.rewind();
    for _ in 0..100 {
        assert_eq!(interpreter.next_page(1_000).len(), 1_000);
    }
    assert!(interpreter.has_page());
    assert_eq!(
        eval(&format!("{doubling} (car (d 60 1) (d 60 1))")),
        "arity-error: car: requires 1 argument, got 2"
    );
    assert!(eval(&format!("{doubling} (+ (d 60 1))")).len() < 1_200);
}

#[test]
fn the_parts_of_a_value_are_told_in_their_order() {
    let mut interpreter = interpreter();
    let source = "(define f (lambda () 1)) (list -1 \"a\" () (list) (quote b) f (lambda () 1) car)";
    run(&mut interpreter, source).unwrap();
    interpreter.rewind();
    let mut items = Vec::new();
    while let Some(item) = interpreter.next_item() {
        items.push(format!("{item:?}"));
    }
    let expected = [
        Item::Open,
        Item::Number(-1),
        Item::Text("a"),
        Item::Nil,
        Item::Open,
        Item::Close,
        Item::Symbol("b"),
        Item::Function(Some("f")),
        Item::Function(None),
        Item::Primitive("car"),
        Item::Close,
    ];
    assert_eq!(items, expected.map(|item| format!("{item:?}")));
}

#[test]
fn a_program_that_reads_waits_for_its_line() {
    let mut interpreter = interpreter();
    interpreter.begin("(define name (read-line)) (list name (read-line) (read-line))");
    assert_eq!(interpreter.run(1_000), Step::NeedsInput);
    assert_eq!(interpreter.run(1_000), Step::NeedsInput);
    interpreter.input("Ada\nLove");
    assert_eq!(interpreter.run(1_000), Step::NeedsInput);
    interpreter.input("lace\r\n");
    assert_eq!(interpreter.run(1_000), Step::NeedsInput);
    interpreter.end_input();
    assert_eq!(interpreter.run(1_000), Step::Done(Ok(())));
    assert_eq!(interpreter.printed(100), "(\"Ada\" \"Lovelace\" nil)");
    assert_eq!(
        eval("(read-line 1)"),
        "arity-error: read-line: requires 0 arguments, got 1"
    );
}

#[test]
fn a_program_that_waits_for_a_line_can_be_stopped() {
    let mut interpreter = interpreter();
    interpreter.begin("(read-line)");
    assert_eq!(interpreter.run(1_000), Step::NeedsInput);
    interpreter.stop();
    assert_eq!(run(&mut interpreter, "(+ 1 2)").unwrap(), "3");
    let unread: Vec<String> = vec!["a\n".to_string()];
    unread.iter().for_each(|text| interpreter.input(text));
    assert_eq!(interpreter.unread_input(), 2);
}
