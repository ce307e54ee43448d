//! Logs that no checksum proves.

use std::{fs, time::Duration};

use flylead_tests::boards::Recorder;
use serde_json::json;

use crate::bench::{Bench, LOG};

/// A log of more than the receiver remembers, whose device starts again after its first rows and goes on talking: the
/// last line that fits the announced size ends there.
fn restarted() -> Vec<u8> {
    let mut body =
        b"time,value\n0,1\n1,ets Jul 29 2019 12:21:46\r\n\r\nrst:0x1 (POWERON_RESET)\r\n".to_vec();
    for line in 0..3000 {
        body.extend_from_slice(format!("{line},{}\n", line * 7 % 100).as_bytes());
    }
    body
}

fn sized(body: &[u8], after: &str) -> Vec<u8> {
    let header = format!("SIZE={}\n", body.len());
    [header.as_bytes(), body, after.as_bytes()].concat()
}

#[test]
fn a_device_that_starts_again_in_a_long_body_has_sent_no_log() {
    let body = restarted();
    let bench = Bench::answering(&[&sized(&body, "")]);
    for more in [&[][..], &["--verify-twice"]] {
        let words = [&["fetch", "run001", "--retries", "0"], more].concat();
        let (code, lines) = bench.json(&words);
        let error = &lines[0]["error"];
        assert_eq!(
            (code, &error["code"]),
            (4, &json!("device_reset")),
            "{error}"
        );
        assert_eq!(error["accept"], json!(["restart"]));
        let message = error["message"].as_str().expect("a text");
        assert!(message.contains("--accept restart"), "{message}");
        let suspect = error["suspect"].as_str().expect("it is kept");
        assert_eq!(fs::read(suspect).unwrap(), body);
        assert!(!bench.file("sd/log.csv").exists());
    }
    assert_eq!(bench.names(), ["log.csv.suspect"]);
    let (code, lines) = bench.json(&["fetch", "run001", "--accept", "restart"]);
    let manifest = &lines[0]["manifest"];
    assert_eq!((code, &manifest["integrity"]), (0, &json!("accepted")));
    assert_eq!(
        (&manifest["proven"], &manifest["accepted"]),
        (&json!(false), &json!(["restart"]))
    );
}

#[test]
fn nothing_but_a_checksum_proves_a_log() {
    let bench = Bench::answering(&[&sized(LOG.as_bytes(), "\r\nOK\r\n")]);
    let (code, lines) = bench.json(&["fetch", "run001"]);
    let manifest = &lines[0]["manifest"];
    assert_eq!(
        (code, &manifest["integrity"], &manifest["proven"]),
        (0, &json!("length+tail"), &json!(false))
    );
    let (_, _, stderr) = bench.run(&["fetch", "run001"]);
    assert!(stderr.contains("not proven"), "{stderr}");
}

#[test]
fn good_logs_that_look_strange_are_taken() {
    let cases: [(&str, &str, &str); 5] = [
        ("", "# MicroPython v1.24\nt,v\n0,1\n", ""),
        ("", "t,v\n0,1\nOK\n", "\r\nOK: Exported\r\n"),
        ("", LOG, "\n> "),
        ("", LOG, "\nDONE\n"),
        ("ERR=0 OVR=0\r\n", LOG, "\nOK\n"),
    ];
    for (before, log, after) in cases {
        let sent = [before.as_bytes(), &sized(log.as_bytes(), after)].concat();
        let bench = Bench::answering(&[&sent]);
        let (code, _, stderr) = bench.run(&["fetch", "run001", "--retries", "0"]);
        assert_eq!((code, bench.log().as_str()), (0, log), "{stderr}");
    }
}

#[test]
fn each_doubt_has_its_way_out_and_the_error_names_it() {
    let cases: [(&str, &str, &str, &str); 7] = [
        ("", "t,v\n0,1\nERROR 5\n", "", "last-line"),
        ("", "t,v\n0,1\n2,3\n4,ready\nwait\n", "", "last-line"),
        ("", LOG, "\nthat was all\n", "tail"),
        ("", LOG, "\nCRC32=00000000\nOK\n", "checksum"),
        ("", "t,v\n0,MPY: soft reboot\n", "", "restart"),
        ("ERROR rate 0.1 %\n", LOG, "\nOK\n", "error"),
        ("SIZE=small\n", LOG, "\nOK\n", "header"),
    ];
    for (before, log, after, reason) in cases {
        let sent = [before.as_bytes(), &sized(log.as_bytes(), after)].concat();
        let bench = Bench::answering(&[&sent]);
        let (code, _, stderr) = bench.run(&["fetch", "run001", "--retries", "0"]);
        assert!(
            code != 0 && stderr.contains(&format!("--accept {reason} accepts")),
            "{reason}: {stderr}"
        );
        let (code, _, stderr) = bench.run(&["fetch", "run001", "--accept", reason]);
        assert_eq!((code, bench.log().as_str()), (0, log), "{reason}: {stderr}");
    }
}

#[test]
fn a_pause_in_the_log_may_be_as_long_as_the_time_that_is_given() {
    let pausing = || {
        Bench::new(Recorder::start(|_, port| {
            port.say(b"SIZE=8\nt,v\n");
            port.rest(Duration::from_millis(1500));
            port.say(b"0,1\n\nOK\n");
        }))
    };
    let bench = pausing();
    let (code, _, stderr) = bench.run(&["--silence", "500ms", "fetch", "run001", "--retries", "0"]);
    assert!(
        code == 4 && stderr.contains("--silence TIME waits longer"),
        "{code} {stderr}"
    );
    let bench = pausing();
    assert_eq!(bench.run(&["--timeout", "60", "fetch", "run001"]).0, 0);
}
