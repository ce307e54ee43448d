//! Logs that come, and logs that do not.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use flylead_tests::{
    boards::{Recorder, exported},
    dice::Dice,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    bench::{Bench, LOG, finished, names, signal, wait_until},
    terminal::terminal,
};

#[test]
fn an_experiment_is_started_stopped_fetched_and_drawn() {
    let bench = Bench::new(Recorder::with_log(LOG));
    let reply = |text: &str| (0, format!("{text}\n"), String::new());
    assert_eq!(bench.run(&["start", "run001"]), reply("OK: Recording"));
    assert_eq!(bench.run(&["stop"]), reply("OK: Stopped"));
    let (code, stdout, stderr) = bench.run(&["fetch", "run001"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout.trim(), bench.file("sd/log.csv").to_str().unwrap());
    assert_eq!(
        stderr,
        format!("{} bytes, proven by the device's CRC-32\n", LOG.len())
    );
    assert_eq!(bench.log(), LOG);
    assert_eq!(bench.names(), ["log.csv", "manifest.json"]);
    let manifest: Value =
        serde_json::from_slice(&fs::read(bench.file("sd/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["bytes"], LOG.len());
    assert_eq!(manifest["integrity"], "crc32");
    let chatter = fs::read_to_string(bench.file("serial.log")).unwrap();
    assert!(chatter.contains("OK: Exported"), "{chatter}");
    assert_eq!(
        bench.device.received(),
        ["START run_id=run001", "STOP", "EXPORT run_id=run001"]
    );

    let (code, picture, _) = bench.run(&["plot", "run001", "--column", "value"]);
    assert_eq!(
        (code, picture.trim()),
        (0, "value  4 values, 1 to 16\n▁▂▅█")
    );
    assert_eq!(bench.run(&["plot", "run001", "--column", "none"]).0, 2);
    assert_eq!(bench.run(&["plot", "run002"]).0, 2);
}

#[test]
fn run_does_the_three_in_turn_over_one_open_port() {
    let bench = Bench::new(Recorder::with_log(LOG));
    let (code, lines) = bench.json(&["run", "run001", "--for", "100ms"]);
    assert_eq!(code, 0);
    assert_eq!(lines[0], json!({ "ok": true, "reply": "OK: Recording" }));
    assert_eq!(lines[1], json!({ "ok": true, "reply": "OK: Stopped" }));
    assert_eq!(lines[2]["ok"], true);
    assert_eq!(lines[2]["manifest"]["integrity"], "crc32");
    assert_eq!(lines[2]["path"], bench.file("sd/log.csv").to_str().unwrap());
    assert_eq!(lines.len(), 3);
    assert_eq!(bench.log(), LOG);
}

#[test]
fn each_way_to_fail_has_its_code_and_says_so_in_json_too() {
    let half = &exported(LOG.as_bytes())[..20];
    let mut damaged = exported(LOG.as_bytes());
    damaged[15] ^= 1;
    let cases: [(&[u8], i32, &str, &str); 5] = [
        (
            b"ERROR: Log file not found\r\n",
            5,
            "device_error",
            "check_device",
        ),
        (
            b"ERROR: Cannot export while experiment running\r\n",
            5,
            "device_error",
            "send_stop",
        ),
        (b"SIZE=999999999999\n", 4, "too_large", "raise_limit"),
        (b"SIZE=-5\n", 4, "bad_header", "retry_export"),
        (&damaged, 4, "checksum_mismatch", "retry_export"),
    ];
    for (answer, exit, failure, hint) in cases {
        let bench = Bench::answering(&[answer]);
        let (code, lines) = bench.json(&["fetch", "run001", "--retries", "0"]);
        let error = &lines[0]["error"];
        assert_eq!(
            (code, lines[0]["ok"].as_bool()),
            (exit, Some(false)),
            "{error}"
        );
        assert_eq!(
            (error["code"].as_str(), error["hint"].as_str()),
            (Some(failure), Some(hint))
        );
        assert_eq!(error["retryable"], hint == "retry_export");
        assert!(!bench.file("sd/log.csv").exists());
    }
    // A device that never answers is given up after its time.
    let bench = Bench::answering(&[b"", half]);
    let (code, lines) = bench.json(&["--timeout", "0.3", "fetch", "run001", "--retries", "0"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (4, &json!("no_header")));
}

#[test]
fn f20_a_damaged_log_is_asked_for_again_and_a_good_one_is_never_harmed() {
    let whole = exported(LOG.as_bytes());
    let mut damaged = whole.clone();
    damaged[15] ^= 1;
    let bench = Bench::answering(&[&whole, &damaged, &whole, &damaged]);
    assert_eq!(bench.run(&["fetch", "run001"]).0, 0);
    let (code, stdout, _) = bench.run(&["fetch", "run001", "--retries", "3"]);
    assert_eq!((code, stdout.lines().count()), (0, 1));
    assert_eq!(bench.device.received().len(), 3);
    assert_eq!(bench.names(), ["log.csv", "manifest.json"]);

    let (code, _, stderr) = bench.run(&["fetch", "run001", "--retries", "2"]);
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("The suspect data is in"), "{stderr}");
    assert_eq!(bench.device.received().len(), 6);
    assert_eq!(bench.log(), LOG);
    assert_eq!(
        bench.names(),
        ["log.csv", "log.csv.suspect", "manifest.json"]
    );
}

#[test]
fn f23_a_device_that_is_pulled_out_in_the_middle_is_told_and_the_good_log_stays() {
    let mut first = true;
    let whole = exported(LOG.as_bytes());
    let bench = Bench::new(Recorder::start(move |_, port| {
        if first {
            port.say(&whole);
        } else {
            port.say(&whole[..30]);
            port.rest(Duration::from_millis(200));
            port.unplug();
        }
        first = false;
    }));
    assert_eq!(bench.run(&["fetch", "run001"]).0, 0);
    let (code, lines) = bench.json(&["fetch", "run001"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (4, &json!("port_lost")));
    assert_eq!(lines[0]["error"]["hint"], "reconnect");
    assert_eq!(bench.log(), LOG);
    let partial = lines[0]["error"]["partial"]
        .as_str()
        .expect("something came");
    assert!(LOG.starts_with(&fs::read_to_string(partial).unwrap()));
}

#[test]
fn ctrl_c_ends_an_export_at_once_and_the_device_is_there_for_the_next() {
    let whole = exported(LOG.as_bytes());
    let bench = Bench::answering(&[b"SIZE=1000000\nonly this", &whole]);
    let child = bench
        .command(&["fetch", "run001"])
        .spawn()
        .expect("flylead starts");
    wait_until("a part is on disk", || {
        bench.names().iter().any(|name| name.ends_with(".tmp"))
    });
    let pressed = Instant::now();
    signal(&child, Signal::INT);
    assert_eq!(finished(child).0, 130);
    println!("ended within {:?}", pressed.elapsed());
    assert!(bench.names().is_empty(), "{:?}", bench.names());
    assert_eq!(bench.run(&["fetch", "run001"]).0, 0);
    assert_eq!(bench.log(), LOG);
}

/// A device that needs seconds to find a file, with a fetch of run000 that was ended by Ctrl-C before it did.
fn given_up() -> Bench {
    let other = LOG.replace("3,16", "3,99");
    let mut is_open = true;
    let bench = Bench::new(Recorder::start(move |line, port| {
        if line == "EXPORT run_id=run000" {
            port.say(b"busy\n");
        } else if line.starts_with("EXPORT") {
            // It has found the file by now, and answers in the order of the questions.
            if std::mem::take(&mut is_open) {
                port.say(&exported(other.as_bytes()));
            }
            port.say(&exported(LOG.as_bytes()));
        }
    }));
    let child = bench.command(&["fetch", "run000"]).spawn();
    let child = child.expect("flylead starts");
    let said = bench.artifacts.path().join("run000/serial.log");
    wait_until("the device has read the question", || {
        fs::read_to_string(&said).is_ok_and(|said| said.contains("busy"))
    });
    signal(&child, Signal::INT);
    assert_eq!(finished(child).0, 130);
    bench
}

#[test]
fn f20_a_late_answer_to_an_earlier_program_never_becomes_another_runs_log() {
    let bench = given_up();
    let (code, lines) = bench.json(&["fetch", "run001", "--retries", "0"]);
    let error = &lines.last().expect("an answer")["error"];
    assert_eq!(
        (code, &error["code"]),
        (4, &json!("late_answer")),
        "{error}"
    );
    assert_eq!(error["accept"], json!(["late"]));
    assert_eq!(bench.log(), "");
    // The next question is certain.
    let (code, _, stderr) = bench.run(&["fetch", "run001", "--retries", "0"]);
    assert_eq!((code, bench.log().as_str()), (0, LOG), "{stderr}");
}

#[test]
fn f20_a_doubtful_answer_is_asked_for_again_by_itself() {
    let bench = given_up();
    let (code, _, stderr) = bench.run(&["fetch", "run001"]);
    assert_eq!((code, bench.log().as_str()), (0, LOG), "{stderr}");
    assert_eq!(bench.names(), ["log.csv", "manifest.json"]);
}

#[test]
fn f10_line_ends_of_a_marked_log_are_kept_unless_they_are_not_wanted() {
    let marked = b"BEGIN\r\na,b\r\n1,2\r\nEND\r\nOK\r\n";
    let bench = Bench::answering(&[marked]);
    assert_eq!(bench.run(&["fetch", "run001"]).0, 0);
    assert_eq!(bench.log(), "a,b\r\n1,2\r\n");
    let (code, lines) = bench.json(&["fetch", "run001", "--normalize-eol"]);
    assert_eq!((code, bench.log().as_str()), (0, "a,b\n1,2\n"));
    // The manifest is about the file that is there.
    assert_eq!(lines[0]["manifest"]["bytes"], 8);
    assert_eq!(
        lines[0]["manifest"]["sha256"],
        "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470"
    );
    // What came is written down, too: 10 bytes, of which the device says nothing more.
    assert_eq!(lines[0]["manifest"]["received"]["bytes"], 10);
    assert_eq!(
        bench.names(),
        ["log.csv", "log.csv.1", "manifest.json", "manifest.json.1"]
    );
}

#[test]
fn a_log_without_a_checksum_is_refused_or_asked_for_twice_if_that_is_wanted() {
    let plain = format!("SIZE={}\n{LOG}\r\nOK\r\n", LOG.len());
    let changed = plain.replace("3,16", "3,17");
    let plain = plain.as_bytes();
    let bench = Bench::answering(&[
        plain,
        plain,
        plain,
        plain,
        changed.as_bytes(),
        changed.as_bytes(),
    ]);
    let (code, lines) = bench.json(&["fetch", "run001", "--require-checksum"]);
    assert_eq!(
        (code, &lines[0]["error"]["code"]),
        (4, &json!("missing_checksum"))
    );

    let (_, lines) = bench.json(&["fetch", "run001", "--verify-twice"]);
    assert_eq!(lines[0]["manifest"]["integrity"], "twice");
    assert_eq!(bench.device.received().len(), 3);

    // Once the way it was, once changed on the way: it is asked for again.
    let (_, lines) = bench.json(&["fetch", "run001", "--verify-twice", "--retries", "0"]);
    assert_eq!(lines[0]["error"]["code"], "differs");
    assert_eq!(bench.log(), LOG);
}

#[test]
fn hostile_run_ids_are_refused_before_anything_is_opened_or_made() {
    let bench = Bench::new(Recorder::with_log(LOG));
    for run_id in [
        "", ".", "..", "../x", "a/b", "a\\b", "a\nSTOP", "a b", "CON", "nul.txt", "a.", "a..b",
        "é", "$HOME",
    ] {
        for verb in ["start", "fetch", "plot"] {
            let (code, stdout, _) = bench.run(&[verb, "--", run_id]);
            assert_eq!((code, stdout.as_str()), (2, ""), "{verb} {run_id:?}");
        }
    }
    assert_eq!(names(bench.artifacts.path()), Vec::<String>::new());
    assert_eq!(bench.device.received(), Vec::<String>::new());
}

/// Each log says which one it is in every row, so that a mixture of two would show.
#[test]
fn a_program_that_is_killed_at_any_moment_leaves_the_old_log_or_the_new_one() {
    let mut count = 0;
    let log = |count: u32| format!("{count:06}\n").repeat(40_000);
    let bench = Bench::new(Recorder::start(move |_, port| {
        count += 1;
        port.say(&exported(log(count).as_bytes()));
    }));
    assert_eq!(bench.run(&["fetch", "run001"]).0, 0);
    let mut dice = Dice::new(4);
    let (mut old, mut new) = (0, 0);
    for _ in 0..KILLS {
        let before = bench.log();
        let mut child = bench
            .command(&["fetch", "run001"])
            .spawn()
            .expect("flylead starts");
        thread::sleep(Duration::from_millis(dice.below(250) as u64));
        child.kill().expect("it is our child");
        child.wait().expect("it is our child");
        let after = bench.log();
        let row = &after[..7];
        assert!(after == row.repeat(40_000), "a mixture, or a part");
        if after == before { old += 1 } else { new += 1 }
    }
    println!("{KILLS} kills: {old} left the old log, {new} the new one");
    // The next one finds its way, and cleans up after the killed.
    let (code, _, stderr) = bench.run(&["fetch", "run001"]);
    assert_eq!(code, 0, "{stderr}");
    let names = bench.names();
    let is_hidden = |name: &String| name.starts_with('.');
    assert!(!names.iter().any(is_hidden), "{names:?}");
}

#[test]
fn a_person_at_a_terminal_sees_how_far_it_is_and_how_fast_and_a_script_does_not() {
    let bench = Bench::new(Recorder::start(|_, port| {
        let log = "0123456789abcde\n".repeat(4096);
        let sent = exported(log.as_bytes());
        for part in sent.chunks(4096) {
            port.say(part);
            port.rest(Duration::from_millis(20));
        }
    }));
    let (screen, stderr) = terminal();
    let child = bench.command(&["fetch", "run001"]).stderr(stderr).spawn();
    let (code, _, _) = finished(child.expect("flylead starts"));
    let shown = String::from_utf8_lossy(&screen.join().expect("it was read")).into_owned();
    assert_eq!(code, 0, "{shown}");
    assert!(
        shown.contains("B/s") && shown.contains("/64.00 KiB"),
        "{shown:?}"
    );

    let (screen, stderr) = terminal();
    let child = bench
        .command(&["fetch", "run001", "--json"])
        .stderr(stderr)
        .spawn();
    assert_eq!(finished(child.expect("flylead starts")).0, 0);
    assert_eq!(screen.join().expect("it was read"), b"");
}

/// Linux counts what a process has of its own apart from what it shares with its file.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_small_when_a_device_announces_a_gibibyte() {
    let rows = b"12345,67890,1\n".repeat(75_000);
    let bench = Bench::new(Recorder::start(move |_, port| {
        port.say(b"SIZE=1073741824\n");
        for _ in 0..16 {
            port.say(&rows);
        }
        port.unplug();
    }));
    let words = ["--limit", "2048", "fetch", "run001"];
    let mut child = bench.command(&words).spawn().expect("flylead starts");
    let mut peak = 0;
    while child.try_wait().expect("it is our child").is_none() {
        peak = peak.max(own_kilobytes(child.id()));
        thread::sleep(Duration::from_millis(1));
    }
    let (code, _, stderr) = finished(child);
    assert_eq!(code, 4, "{stderr}");
    println!("at most {peak} kB of its own memory");
    assert!((1..8 * 1024).contains(&peak), "{peak} kB");
}

#[cfg(target_os = "linux")]
fn own_kilobytes(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

const KILLS: u32 = 40;
