//! Checks that any bytes from a device, split anywhere, give the same events; that an accepted log matches its receipt;
//! and that the decoder reads the encoder's output.
#![no_main]

use flylead_core::export::{
    ChecksumKind, Collector, Config, Digest, Encoder, Event, Framing, Integrity, RunId,
};
use flylead_core::{Input, Instant, Pump};
use flylead_fuzz::{choices, pieces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (choices, bytes) = choices(data, 4);
    let task = choices.first().copied().unwrap_or_default();
    let stream = stream(task, bytes);
    let whole = converse(task, [&stream[..]].into_iter());
    assert_eq!(whole, converse(task, stream.chunks(1)));
    assert_eq!(whole, converse(task, pieces(&stream, choices)));
    check(&whole);
    round_trip(task, bytes, choices);
});

/// Returns the bytes unchanged, or after a header, so that the fuzzer need not find one.
fn stream(task: u8, bytes: &[u8]) -> Vec<u8> {
    let header = match task & 7 {
        0 => String::new(),
        1 => "BEGIN\n".to_owned(),
        2 => "BEGIN LINES=2\n".to_owned(),
        3 => format!("SIZE={}\n", bytes.len()),
        _ => format!("SIZE={}\n", bytes.len() / 2),
    };
    [header.as_bytes(), bytes].concat()
}

/// Runs one export, and returns its events with the bytes joined.
fn converse<'a>(task: u8, pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Event> {
    let mut config = Config::default();
    config.size_limit = 1 << 20;
    config.require_checksum = task & 16 == 16;
    let mut pump = Pump::new(Collector::new(config));
    let run_id = RunId::new("fuzz").expect("a good name");
    let _ = pump.command(|device| device.export(NOW, &run_id));
    let now = pump.deadline().expect("the silence before the command");
    pump.handle_input(now, Input::Timeout);
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        pump.handle_input(now, Input::Bytes(piece));
    }
    if task & 8 == 8 {
        pump.handle_input(now, Input::Closed);
    }
    // Every wait has an end.
    for _ in 0..10 {
        if let Some(deadline) = pump.deadline() {
            pump.handle_input(deadline, Input::Timeout);
        }
    }
    assert_eq!(pump.deadline(), None);
    joined(std::iter::from_fn(|| pump.poll_event()))
}

/// Joins adjacent bytes: text is cut where the input is cut, which is not a difference.
fn joined(events: impl Iterator<Item = Event>) -> Vec<Event> {
    let mut joined: Vec<Event> = Vec::new();
    for event in events {
        match (joined.last_mut(), event) {
            (Some(Event::Chatter(before)), Event::Chatter(text)) => before.extend(text),
            (Some(Event::Body(before)), Event::Body(bytes)) => before.extend(bytes),
            (_, event) => joined.push(event),
        }
    }
    joined
}

/// Checks that every export ends once, and that a receipt describes the delivered bytes.
fn check(events: &[Event]) {
    let mut digest = Digest::default();
    let mut ends = 0;
    for event in events {
        match event {
            Event::Body(bytes) => digest.add(bytes),
            Event::Failed { .. } => ends += 1,
            Event::Finished(receipt) => {
                ends += 1;
                assert_eq!(receipt.bytes, digest.bytes());
                assert_eq!(receipt.crc32, digest.crc32());
                assert_eq!(receipt.sha256, digest.sha256());
            }
            _ => {}
        }
    }
    assert_eq!(ends, 1);
}

/// Sends these bytes as a log from this crate's encoder: it refuses them, or they are received completely.
fn round_trip(task: u8, log: &[u8], choices: &[u8]) {
    let framing = match task & 3 {
        0 => Framing::Sized {
            size: log.len() as u64,
        },
        1 => Framing::Marked { lines: None },
        _ => Framing::Marked {
            lines: Some(log.split(|byte| *byte == b'\n').count() as u64 - 1),
        },
    };
    let mut sent = Vec::new();
    let mut encoder = Encoder::new(framing, Some(ChecksumKind::Crc32));
    encoder.begin(&mut sent);
    if encoder.body(log, &mut sent).is_err() || encoder.finish(&mut sent).is_err() {
        return;
    }
    let events = converse(0, pieces(&sent, choices));
    let body: Vec<u8> = events
        .iter()
        .filter_map(|event| {
            if let Event::Body(bytes) = event {
                Some(&bytes[..])
            } else {
                None
            }
        })
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(body, log);
    let proven = |event: &Event| matches!(event, Event::Finished(receipt) if receipt.integrity == Integrity::Crc32);
    assert!(events.iter().any(proven), "{:?}", events.last());
}

const NOW: Instant = Instant::START;
