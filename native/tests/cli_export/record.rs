//! Recordings that are watched.

use std::time::Duration;

use flylead_tests::boards::{Line, Recorder, exported};
use serde_json::json;

use crate::bench::{Bench, LOG, interrupt, told, wait_until};

/// A device that says this while it records, and has a log.
fn device(said: &'static [u8]) -> Bench {
    Bench::new(Recorder::start(move |line, port: &mut Line| {
        match line.split_once(" run_id=") {
            Some(("EXPORT", _)) => port.say(&exported(LOG.as_bytes())),
            Some(_) => {
                port.say(b"OK: Recording\r\n");
                port.rest(Duration::from_millis(50));
                port.say(said);
            }
            None => port.say(b"OK: Stopped\r\n"),
        }
    }))
}

const CONVERSATION: [&str; 3] = ["START run_id=run001", "STOP", "EXPORT run_id=run001"];

#[test]
fn a_device_whose_card_fails_is_stopped_its_log_fetched_and_the_error_told() {
    let bench = device(b"ERROR: SD write failed\r\n");
    let (code, _, stderr) = bench.run(&["run", "run001", "--for", "1h"]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("the recording has ended"), "{stderr}");
    assert!(stderr.contains("ERROR: SD write failed"), "{stderr}");
    assert_eq!(bench.device.heard(), CONVERSATION);
    assert_eq!(bench.log(), LOG);
}

#[test]
fn a_device_that_starts_again_while_it_records_is_an_error() {
    let bench = device(b"MPY: soft reboot\r\n");
    let (code, lines) = bench.json(&["run", "run001", "--for", "1h"]);
    assert_eq!(code, 4);
    let errors: Vec<_> = lines.iter().filter(|line| line["ok"] == false).collect();
    assert_eq!(errors.len(), 1, "{lines:?}");
    assert_eq!(errors[0]["error"]["code"], "device_reset");
    assert_eq!(bench.device.heard(), CONVERSATION);
}

#[test]
fn what_a_device_says_while_it_records_is_shown() {
    let bench = device(b"t=12.5 h=40\r\n");
    let (code, _, stderr) = bench.run(&["run", "run001", "--for", "1s"]);
    assert!(code == 0 && stderr.contains("t=12.5 h=40"), "{stderr}");
    let (_, lines) = bench.json(&["run", "run001", "--for", "1s"]);
    assert!(
        lines.contains(&json!({ "said": "t=12.5 h=40" })),
        "{lines:?}"
    );
}

#[test]
fn ctrl_c_stops_the_device() {
    let bench = device(b"");
    let child = bench
        .command(&["run", "run001", "--for", "1h"])
        .spawn()
        .expect("flylead starts");
    wait_until("it records", || !bench.device.heard().is_empty());
    interrupt(&child);
    let (code, _, stderr) = told(child);
    assert_eq!(code, 130, "{stderr}");
    assert!(stderr.contains("flylead export fetch run001"), "{stderr}");
    wait_until("the device reads it", || bench.device.heard().len() > 1);
    assert_eq!(bench.device.heard(), CONVERSATION[..2]);
}

#[test]
fn a_start_that_is_refused_stops_nobody_elses_recording() {
    let bench = Bench::new(Recorder::start(|_, port| {
        port.say(b"ERROR: experiment running\r\n");
    }));
    assert_eq!(bench.run(&["run", "run001", "--for", "1h"]).0, 5);
    assert_eq!(bench.device.heard(), CONVERSATION[..1]);
}

#[test]
fn a_silent_device_is_asked_for_its_log_once() {
    let bench = Bench::new(Recorder::start(|_, _| ()));
    assert_eq!(bench.run(&["--timeout", "0.5", "fetch", "run001"]).0, 4);
    assert_eq!(bench.device.heard(), CONVERSATION[2..]);
}
