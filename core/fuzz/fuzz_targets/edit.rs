//! Checks that an edit of any bytes changes the lines it names and no other byte.
#![no_main]

use flylead_core::agent::{LineRange, edit};
use flylead_fuzz::choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, file) = choices(data, 3);
    let choice = |at: usize| choices.get(at).copied().map_or(0, u32::from);
    let range = LineRange {
        first: choice(0) % 12,
        last: choice(1) % 12,
    };
    let replacement = ["", "\n", "x\n", "x\ny\n"][choice(2) as usize % 4];
    let Ok(edited) = edit::apply(file, range, replacement, None) else {
        return;
    };
    let old = edit::slice(file, range).expect("the range was edited");
    let start = old.as_ptr() as usize - file.as_ptr() as usize;
    let rest = &file[start + old.len()..];
    assert_eq!(edited[..start], file[..start]);
    assert!(edited.ends_with(rest));
    assert!(edited.len() >= start + rest.len());
});
