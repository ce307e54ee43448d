//! The lines of the guide and of the language's page give what they say.

use std::{fs, path::Path};

use flylead_native::zylisp::lang::{Interpreter, Limits, Step, is_unfinished};

#[test]
fn every_line_of_zylisp_in_the_documents_gives_what_stands_behind_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (page, expected) in [("docs/use/zylisp.md", 2), ("docs/guide/zylisp.md", 1)] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        assert_eq!(check(page, &text), expected, "{page}");
    }
}

/// Evaluates a page's blocks, each in an environment of its own; how many values were compared.
fn check(page: &str, text: &str) -> usize {
    let blocks = text.split("```lisp\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
    blocks.map(|block| check_block(page, block)).sum()
}

fn check_block(page: &str, block: &str) -> usize {
    let mut interpreter = Interpreter::new(Limits::default());
    let (mut program, mut compared) = (String::new(), 0);
    for line in block.lines() {
        program += line;
        program.push('\n');
        if is_unfinished(&program) {
            continue;
        }
        let value = evaluate(&mut interpreter, &program);
        if let Some((_, wanted)) = line.split_once("  ; ") {
            assert_eq!(value, wanted, "{page}: {program}");
            compared += 1;
        }
        program.clear();
    }
    assert!(program.is_empty(), "{page}: {program} has no end");
    compared
}

fn evaluate(interpreter: &mut Interpreter, program: &str) -> String {
    interpreter.begin(program);
    loop {
        if let Step::Done(result) = interpreter.run(10_000) {
            result.unwrap_or_else(|error| panic!("{program}: {error}"));
            return interpreter.printed(1 << 10);
        }
    }
}
