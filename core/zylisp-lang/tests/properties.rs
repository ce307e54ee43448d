//! Tests that hold for any program.

use proptest::prelude::*;
use zylisp_lang::{Error, Interpreter, Limits, Step, is_unfinished};

/// Generates random programs from the language's words; most of them are invalid.
fn program() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        "define",
        "lambda",
        "if",
        "quote",
        "'",
        "(let ((x 1)",
        "let",
        "(cond ((= x 0)",
        "else",
        "begin",
        "string-append",
        "+",
        "-",
        "list",
        "car",
        "cons",
        "println",
        "x",
        "y",
        "f",
        "()",
        "0",
        "7",
        "\"s\"",
        "true",
        "; c\n",
        "(x)",
        "(define f (lambda (x) (if (= x 0) 0 (f (- x 1)))))",
        "(f 9)",
        "(define x",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..24).prop_map(|words| words.join(" "))
}

/// Returns the end of a program and its output, when it runs in slices of this much fuel; `None` if
/// it does not end.
fn end(source: &str, fuel: u64) -> Option<(Result<String, Error>, String)> {
    let mut limits = Limits::default();
    limits.memory = 1 << 20;
    limits.depth = 500;
    let mut interpreter = Interpreter::new(limits);
    interpreter.begin(source);
    for _ in 0..20_000 / fuel {
        if let Step::Done(result) = interpreter.run(fuel) {
            let printed = interpreter.take_output().0;
            return Some((result.map(|()| interpreter.printed(10_000)), printed));
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_program_ends_alike_by_one_unit_of_fuel_and_by_many(source in program()) {
        if let Some(ended) = end(&source, 1) {
            prop_assert_eq!(Some(ended), end(&source, 1_000));
        }
    }

    #[test]
    fn a_program_that_waits_for_more_lines_is_a_syntax_error_as_it_is(source in program()) {
        if is_unfinished(&source) {
            let ended = end(&source, 1_000);
            prop_assert!(matches!(&ended, Some((Err(error), _)) if error.kind.name() == "syntax-error"), "{:?}", ended);
        }
    }

    #[test]
    fn an_error_is_told_with_a_place_inside_of_its_source(source in program()) {
        if let Some((Err(error), _)) = end(&source, 1_000) {
            for call in error.trace {
                let line = source.split('\n').nth(call.place.line as usize - 1);
                prop_assert!(line.is_some_and(|line| call.place.column as usize <= line.len() + 1), "{}", call);
            }
        }
    }
}
