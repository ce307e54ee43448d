//! Checks that any text is a conversation or gives the number of the invalid line, and that a conversation is written
//! back unchanged.
#![no_main]

use flylead_core::trace::{Record, escape, parse, render, unescape};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    assert_eq!(unescape(&escape(data)).as_deref(), Ok(data));
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match parse(text) {
        Ok(records) => write_and_read(records.into_iter().map(|(_, record)| record)),
        Err(fault) => assert!((1..=text.lines().count()).contains(&fault.line)),
    }
});

fn write_and_read(records: impl Iterator<Item = Record>) {
    // Words that contain control characters are for people, and are changed to fit on a line.
    let kept: Vec<Record> = records.filter(|record| !has_control(record)).collect();
    let text: String = kept.iter().map(render).collect();
    let read = parse(&text).expect("what was written can be read");
    assert!(read.into_iter().map(|(_, record)| record).eq(kept));
}

fn has_control(record: &Record) -> bool {
    match record {
        Record::Event(text) | Record::Command(text) | Record::Comment(text) => {
            text.contains(char::is_control)
        }
        _ => false,
    }
}
