//! Recordings that are watched.

use std::{io, process::Stdio, time::Duration};

use flylead_tests::boards::{Line, Recorder, exported};
use rustix::process::Signal;
use serde_json::json;

use crate::{
    bench::{Bench, LOG, finished, signal, wait_until},
    terminal::terminal,
};

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
    assert_eq!(bench.device.received(), CONVERSATION);
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
    assert_eq!(bench.device.received(), CONVERSATION);
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
fn a_device_that_is_pulled_out_while_it_records_is_an_error_at_once() {
    let bench = Bench::new(Recorder::start(|_, port| {
        port.say(b"OK: Recording\r\n");
        port.unplug();
    }));
    let (code, lines) = bench.json(&["run", "run001", "--for", "1h"]);
    let last = lines.last().expect("an error");
    assert_eq!((code, &last["error"]["code"]), (4, &json!("port_lost")));
    assert_eq!(lines.iter().filter(|line| line["ok"] == false).count(), 1);
}

#[test]
fn a_device_that_never_says_anything_is_an_error_and_is_told_to_stop() {
    let bench = Bench::new(Recorder::start(|_, _| ()));
    let words = ["--timeout", "0.5", "run", "run001", "--for", "100ms"];
    let (code, lines) = bench.json(&words);
    let last = lines.last().expect("an error");
    assert_eq!((code, &last["error"]["code"]), (4, &json!("no_header")));
    assert_eq!(bench.device.received(), CONVERSATION);
}

#[test]
fn a_person_at_a_terminal_sees_the_time_that_is_left_and_the_last_values() {
    let bench = Bench::new(Recorder::start(|line, port: &mut Line| {
        match line.split_once(" run_id=") {
            Some(("EXPORT", _)) => port.say(&exported(LOG.as_bytes())),
            Some(_) => {
                port.say(b"OK: Recording\r\n");
                for value in 0..10 {
                    port.say(format!("t={value}\r\n").as_bytes());
                    port.rest(Duration::from_millis(100));
                }
                port.say(b"card is half full\r\n");
            }
            None => port.say(b"OK: Stopped\r\n"),
        }
    }));
    let (screen, stderr) = terminal();
    let words = ["run", "run001", "--for", "3s"];
    let child = bench.command(&words).stderr(stderr).spawn();
    let (code, _, _) = finished(child.expect("flylead starts"));
    let shown = String::from_utf8_lossy(&screen.join().expect("it was read")).into_owned();
    assert_eq!(code, 0, "{shown}");
    for expected in ["2 s left", "0 s left", "t=9", "▁▂▃", "card is half full"] {
        assert!(shown.contains(expected), "{expected}: {shown:?}");
    }
}

#[test]
fn ctrl_c_and_being_ended_stop_the_device() {
    for how in [Signal::INT, Signal::TERM, Signal::HUP] {
        let bench = device(b"");
        let child = bench
            .command(&["run", "run001", "--for", "1h"])
            .spawn()
            .expect("flylead starts");
        wait_until("it records", || !bench.device.received().is_empty());
        signal(&child, how);
        let (code, _, stderr) = finished(child);
        assert_eq!(code, 130, "{stderr}");
        assert!(stderr.contains("flylead export fetch run001"), "{stderr}");
        wait_until("the device reads it", || bench.device.received().len() > 1);
        assert_eq!(bench.device.received(), CONVERSATION[..2]);
    }
}

#[test]
fn a_device_is_stopped_although_nobody_reads_what_is_said_of_it() {
    let bench = device(b"t=1\r\nt=2\r\n");
    let (reader, writer) = io::pipe().expect("the system has pipes");
    drop(reader);
    let nobody = || Stdio::from(writer.try_clone().expect("it is open"));
    let mut command = bench.command(&["run", "run001", "--for", "1s"]);
    let child = command.stdout(nobody()).stderr(nobody()).spawn();
    let (code, _, _) = finished(child.expect("flylead starts"));
    assert_eq!(
        (code, bench.device.received()),
        (0, CONVERSATION.map(str::to_owned).to_vec())
    );
}

#[test]
fn a_start_that_is_refused_stops_nobody_elses_recording() {
    let bench = Bench::new(Recorder::start(|_, port| {
        port.say(b"ERROR: experiment running\r\n");
    }));
    assert_eq!(bench.run(&["run", "run001", "--for", "1h"]).0, 5);
    assert_eq!(bench.device.received(), CONVERSATION[..1]);
}

#[test]
fn a_silent_device_is_asked_for_its_log_once() {
    let bench = Bench::new(Recorder::start(|_, _| ()));
    assert_eq!(bench.run(&["--timeout", "0.5", "fetch", "run001"]).0, 4);
    assert_eq!(bench.device.received(), CONVERSATION[2..]);
}
