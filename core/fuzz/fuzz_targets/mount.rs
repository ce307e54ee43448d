//! Checks that any bytes of a board, split anywhere, are separated from questions in the same way, and that the board
//! never receives much more than it sent.
#![no_main]

use flylead_core::mount::{Config, Event, Mount};
use flylead_core::{Input, Instant, Machine, Pump};
use flylead_fuzz::choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 1);
    let piece = 1 + usize::from(choices.first().copied().unwrap_or_default());
    assert_eq!(run(bytes, piece), run(bytes, bytes.len().max(1)));
});

/// Returns the bytes sent and the output reported, joined: the places of its cuts are not promised.
fn run(bytes: &[u8], piece: usize) -> (Vec<u8>, Vec<u8>, Vec<String>) {
    let now = Instant::START;
    let mut pump = Pump::new(Mount::new(Config::new("/remote").unwrap()));
    let (mut output, mut questions) = (Vec::new(), Vec::new());
    for bytes in bytes.chunks(piece) {
        pump.handle_input(now, Input::Bytes(bytes));
        while let Some(event) = pump.poll_event() {
            match event {
                Event::Output(bytes) => output.extend(bytes),
                Event::Asked(_, question) => questions.push(format!("{question:?}")),
                other => panic!("{other:?}"),
            }
        }
    }
    pump.handle_input(now, Input::Closed);
    assert!(pump.machine().is_over());
    let sent = pump.take_transmit();
    assert!(output.len() <= bytes.len() && sent.len() <= 2 * bytes.len());
    (sent, output, questions)
}
