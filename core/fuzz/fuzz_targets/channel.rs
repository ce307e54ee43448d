//! Checks that any bytes are divided into text and frames, that a frame is found behind any of them, that more bytes never
//! change a frame, and that a changed bit is noticed.
#![no_main]

use flylead_core::channel::{Kind, Look, encode, look};
use flylead_fuzz::choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 3);
    let choice = |index: usize| usize::from(choices.get(index).copied().unwrap_or_default());
    divide(bytes);
    let kind = KINDS[choice(0) % KINDS.len()];
    let frame = encode(kind, bytes);
    let Look::Frame(read) = look(&frame) else {
        panic!("{kind:?} is no frame");
    };
    assert_eq!((read.kind, read.length, read.payload), (kind, frame.len(), bytes));
    assert!(read.is_right);
    let cut = choice(1) % frame.len();
    assert!(matches!(look(&frame[..cut]), Look::Unsure(missing) if missing <= frame.len() - cut));
    let longer = [&frame[..], bytes].concat();
    assert_eq!(look(&longer), look(&frame));
    let mut damaged = frame;
    damaged[cut] ^= 1 << (choice(2) % 8);
    assert!(!matches!(look(&damaged), Look::Frame(frame) if frame.is_right));
});

/// Divides bytes to their end, by whole pieces.
fn divide(bytes: &[u8]) {
    let mut rest = bytes;
    loop {
        let length = match look(rest) {
            Look::Text(length) => length,
            Look::Frame(frame) => frame.length,
            Look::Unsure(missing) => {
                assert!(missing > 0);
                return;
            }
        };
        assert!((1..=rest.len()).contains(&length));
        rest = &rest[length..];
    }
}

/// Kinds with a payload.
const KINDS: [Kind; 5] = [Kind::Plain, Kind::Packed, Kind::Hash, Kind::Question, Kind::Typed];
