//! Checks that any bytes, split anywhere, give the same messages and the same faults, and that a parsed message is
//! written and read back unchanged.
#![no_main]

use flylead_core::zylisp::{Decoder, Encoding, Malformed, Message};
use flylead_fuzz::{choices, pieces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 4);
    let limit = 4 * usize::from(choices.first().copied().unwrap_or_default());
    for encoding in [Encoding::Json, Encoding::MessagePack] {
        let whole = decode(encoding, limit, [bytes].into_iter());
        assert_eq!(whole, decode(encoding, limit, bytes.chunks(1)));
        assert_eq!(whole, decode(encoding, limit, pieces(bytes, choices)));
        for message in whole.into_iter().flatten() {
            let mut again = Vec::new();
            encoding.encode(&message, &mut again);
            let read = decode(encoding, usize::MAX, [again.as_slice()].into_iter());
            assert_eq!(read, [Ok(message)]);
        }
    }
});

fn decode<'a>(
    encoding: Encoding,
    limit: usize,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Vec<Result<Message, Malformed>> {
    let mut decoder = Decoder::new(encoding, limit);
    let mut found = Vec::new();
    for piece in pieces {
        decoder.push(piece, |message| found.push(message));
    }
    found
}
