//! Any text is a program or an error, by one unit of fuel as by many; what waits for more lines cannot be read as it is.
#![no_main]

use core::task::Waker;

use flylead_core::zylisp::{
    Evaluator, Outcome, Progress, Zylisp,
    lang::{Interpreter, Limits, is_unfinished},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let slow = end(source, 7);
    if slow.is_some() {
        assert_eq!(slow, end(source, 1_000));
    }
    if is_unfinished(source) {
        let error = match end(source, 1_000) {
            Some((Progress::Done(Outcome::Error(error)), _)) => error.kind,
            other => panic!("{other:?}"),
        };
        assert!(
            ["syntax-error", "limit-error"].contains(&error.as_str()),
            "{error}"
        );
    }
});

/// How it ends and what it prints; `None` when it does not end soon.
fn end(source: &str, fuel: u64) -> Option<(Progress, String)> {
    let mut limits = Limits::default();
    limits.memory = 1 << 20;
    limits.depth = 1_000;
    let mut zylisp = Zylisp::new(Interpreter::new(limits));
    zylisp.begin(source);
    for _ in 0..20_000 / fuel {
        match zylisp.run(fuel, Waker::noop()) {
            Progress::OutOfFuel => {}
            done => return Some((done, zylisp.take_output().0)),
        }
    }
    None
}
