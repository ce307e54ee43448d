//! Checks that the server survives any nREPL input, however it is cut: its replies are bencode,
//! memory is returned, and everything ends.
#![no_main]

use flylead_core::{Input, Instant, Machine, Pump, nrepl::NreplServer, zylisp::ServerEvent};
use flylead_fuzz::{choices, pieces, small_server};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (cuts, bytes) = choices(data, 4);
    let (config, factory, budget) = small_server();
    let now = Instant::START;
    let mut server = Pump::new(NreplServer::nrepl(now, config, factory));
    for piece in pieces(bytes, cuts) {
        server.handle_input(now, Input::Bytes(piece));
    }
    server.handle_input(now, Input::Closed);
    for _ in 0..200 {
        if server.machine().is_over() {
            break;
        }
        server.handle_input(now, Input::Timeout);
        server.command(|server| server.interrupt_all(now));
        while let Some(event) = server.poll_event() {
            if let ServerEvent::InterruptElsewhere(elsewhere) = event {
                server.command(|server| server.interrupted(elsewhere.id, None));
            }
        }
    }
    let sent = server.take_transmit();
    let mut rest = &*sent;
    while !rest.is_empty() {
        rest = after_value(rest).expect("a server's own words are bencode");
    }
    assert!(server.machine().is_over() || !server.machine().is_idle());
    drop(server);
    assert_eq!(budget.used(), 0);
});

/// Returns the rest after the first value, if there is one.
fn after_value(bytes: &[u8]) -> Option<&[u8]> {
    let (first, rest) = bytes.split_first()?;
    match first {
        b'i' => Some(&rest[rest.iter().position(|byte| *byte == b'e')? + 1..]),
        b'l' | b'd' => {
            let mut rest = rest;
            while *rest.first()? != b'e' {
                rest = after_value(rest)?;
            }
            Some(&rest[1..])
        }
        _ => {
            let colon = bytes.iter().position(|byte| *byte == b':')?;
            let length: usize = std::str::from_utf8(&bytes[..colon]).ok()?.parse().ok()?;
            bytes.get(colon + 1 + length..)
        }
    }
}
