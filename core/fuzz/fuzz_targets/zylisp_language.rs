//! Checks that any text is a program or an error, whether it runs by one unit of fuel or by many; that text which waits
//! for more lines cannot be read as it is; and that its value prints the same in pages of any length.
#![no_main]

use flylead_core::zylisp::lang::{Error, Interpreter, Limits, Step, is_unfinished};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let slow = end(source, 7, 3);
    if slow.is_some() {
        assert_eq!(slow, end(source, 1_000, 50));
    }
    if is_unfinished(source) {
        let error = match end(source, 1_000, 50) {
            Some((Err(error), _)) => error.kind.name(),
            other => panic!("{other:?}"),
        };
        assert!(["syntax-error", "limit-error"].contains(&error), "{error}");
    }
});

/// Returns the end of the program and its output; `None` if it does not end soon.
fn end(source: &str, fuel: u64, page: usize) -> Option<(Result<String, Error>, String)> {
    let mut limits = Limits::default();
    limits.memory = 1 << 20;
    limits.depth = 1_000;
    let mut interpreter = Interpreter::new(limits);
    interpreter.begin(source);
    for _ in 0..20_000 / fuel {
        match interpreter.run(fuel) {
            Step::Done(result) => {
                interpreter.tidy();
                let output = interpreter.take_output().0;
                return Some((result.map(|()| value(&mut interpreter, page)), output));
            }
            Step::NeedsInput => interpreter.end_input(),
            _ => {}
        }
    }
    None
}

fn value(interpreter: &mut Interpreter, page: usize) -> String {
    let mut text = String::new();
    interpreter.rewind();
    while interpreter.has_page() && text.len() < 5_000 {
        text += &interpreter.next_page(page);
    }
    text.truncate(text.floor_char_boundary(4_000));
    text
}
