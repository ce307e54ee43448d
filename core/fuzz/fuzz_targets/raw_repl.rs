//! Checks that any bytes from a board, split anywhere, give the same events and the same answers.
#![no_main]

use flylead_core::raw_repl::{Config, Event, RawRepl};
use flylead_core::{Input, Instant, Pump};
use flylead_fuzz::{choices, pieces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 4);
    let task = choices.first().copied().unwrap_or_default();
    let whole = converse(task, [bytes].into_iter());
    assert_eq!(whole, converse(task, bytes.chunks(1)));
    assert_eq!(whole, converse(task, pieces(bytes, choices)));
});

/// Returns the results of one conversation: all bytes sent, and the events with their text joined.
fn converse<'a>(task: u8, pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<Event>) {
    let mut repl = Pump::new(RawRepl::new(Config::default()));
    let mut sent = Vec::new();
    begin(&mut repl, task);
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        repl.handle_input(NOW, Input::Bytes(piece));
        sent.extend(repl.take_transmit());
    }
    (sent, joined(std::iter::from_fn(|| repl.poll_event())))
}

/// Puts a board in a state: no request, raw mode, a short or a long program, or a reset requested.
fn begin(repl: &mut Pump<RawRepl>, task: u8) {
    if task & 1 == 1 {
        let _ = repl.command(|repl| repl.enter(NOW));
        repl.handle_input(NOW, Input::Bytes(b"raw REPL; CTRL-B to exit\r\n>"));
    }
    let _ = match (task >> 1) % 4 {
        0 => Ok(()),
        1 => repl.command(|repl| repl.exec(NOW, b"print(1)", None)),
        2 => repl.command(|repl| repl.exec(NOW, &[b'#'; 400], None)),
        _ => repl.command(|repl| repl.soft_reset(NOW)),
    };
    if task & 8 == 8 {
        let _ = repl.command(|repl| repl.interrupt(NOW));
    }
    let _ = repl.take_transmit();
}

/// Joins adjacent text: it is cut where the input is cut, which is not a difference.
fn joined(events: impl Iterator<Item = Event>) -> Vec<Event> {
    let mut joined: Vec<Event> = Vec::new();
    for event in events {
        match (joined.last_mut(), event) {
            (Some(Event::Stdout(before)), Event::Stdout(text)) => before.extend(text),
            (Some(Event::Terminal(before)), Event::Terminal(text)) => before.extend(text),
            (_, event) => joined.push(event),
        }
    }
    joined
}

const NOW: Instant = Instant::START;
