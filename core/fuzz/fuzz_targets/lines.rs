//! Checks that any bytes, split anywhere, give the same lines, one for each line end.
#![no_main]

use flylead_core::lines::{Lines, TooLong};
use flylead_fuzz::{choices, pieces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 4);
    let limit = choices.first().copied().unwrap_or_default().into();
    let whole = cut(limit, [bytes].into_iter());
    assert_eq!(whole, cut(limit, bytes.chunks(1)));
    assert_eq!(whole, cut(limit, pieces(bytes, choices)));
    let (lines, rest) = whole;
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    // An overlong line is reported before its end arrives, and then nothing of it is left.
    let is_cut_short = lines.len() == ends + 1 && lines[ends].is_err() && rest.is_empty();
    assert!(lines.len() == ends || is_cut_short);
});

type Line = Result<Vec<u8>, TooLong>;

/// Returns all complete lines, and the rest after the last.
fn cut<'a>(limit: usize, pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Line>, Vec<u8>) {
    let mut lines = Lines::new(limit);
    let mut found = Vec::new();
    for piece in pieces {
        lines.push(piece);
        found.extend(std::iter::from_fn(|| lines.next()));
    }
    (found, lines.take_rest())
}
