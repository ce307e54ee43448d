//! Checks that any bytes, split anywhere, give the same data and the same settings at both ends of RFC 2217, and that
//! the length of the answers is limited.
#![no_main]

use flylead_core::rfc2217::{Client, Server};
use flylead_core::{Input, Instant, Machine, Pump};
use flylead_fuzz::choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 1);
    let piece = 1 + usize::from(choices.first().copied().unwrap_or_default());
    let whole = run(Server::new(), bytes, bytes.len().max(1));
    assert_eq!(run(Server::new(), bytes, piece), whole);
    let client = || Client::new(Instant::START, 115_200);
    assert_eq!(
        run(client(), bytes, piece),
        run(client(), bytes, bytes.len().max(1))
    );
});

/// Returns the bytes sent and all events, with data joined: the places of its cuts are not
/// promised.
fn run<M: Machine>(machine: M, bytes: &[u8], piece: usize) -> (Vec<u8>, String) {
    let mut pump = Pump::new(machine);
    let greeting = pump.take_transmit().len();
    let (mut sent, mut events) = (Vec::new(), String::new());
    for bytes in bytes.chunks(piece) {
        pump.handle_input(Instant::START, Input::Bytes(bytes));
        sent.extend(pump.take_transmit());
        while let Some(event) = pump.poll_event() {
            events += &joinable(&format!("{event:?}"));
        }
    }
    // A query for the signature costs eight bytes and is answered with fifteen; a client's settings are sent once.
    assert!(sent.len() <= greeting + 2 * bytes.len() + 64);
    (sent, events.replace("][", ", "))
}

/// Converts `Data([1, 2])` to `[1, 2]`, so that neighbors can be joined.
fn joinable(event: &str) -> String {
    match event
        .strip_prefix("Data(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(bytes) => bytes.to_owned(),
        None => format!("<{event}>"),
    }
}
