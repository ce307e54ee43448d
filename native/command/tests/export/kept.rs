//! Logs that were saved, and what programs know of a port from one to the next.

use std::{fs, process::Command};

use flylead_tests::boards::{Recorder, exported};
use serde_json::{Value, json};

use crate::bench::{Bench, LOG, finished};

/// A device whose logs are these, in turn.
fn with_logs(logs: &[&str]) -> Bench {
    let answers: Vec<_> = logs.iter().map(|log| exported(log.as_bytes())).collect();
    Bench::answering(&answers.iter().map(|answer| &answer[..]).collect::<Vec<_>>())
}

fn checks(bench: &Bench) -> (i32, Vec<Value>) {
    let (code, lines) = bench.json(&["verify"]);
    let checks = lines.into_iter().map(|mut line| line["check"].take());
    (code, checks.collect())
}

#[test]
fn each_log_of_a_run_keeps_its_own_manifest_and_is_verified_by_it() {
    let logs = [LOG, "t,v\n0,1\n", "t,v\n0,1\n2,3\n"];
    let bench = with_logs(&logs);
    for _ in logs {
        assert_eq!(bench.run(&["fetch", "run001"]).0, 0);
    }
    let proven = json!("proven");
    assert_eq!(checks(&bench), (0, vec![proven.clone(); 3]));
    let (_, listed) = bench.json(&["list"]);
    let bytes: Vec<_> = listed
        .iter()
        .map(|log| log["manifest"]["bytes"].as_u64())
        .collect();
    // The newest first, then its copies from the newest to the oldest.
    assert_eq!(bytes, [Some(12), Some(8), Some(LOG.len() as u64)]);
    let port = bench.device.path().to_str();
    assert_eq!(listed[0]["manifest"]["port"].as_str(), port);
    assert!(listed[0]["manifest"]["flylead"].is_string());

    // Any change of any of them is found, and said; the oldest copy is the last.
    let copy = bench.file("sd/log.csv.1");
    fs::write(&copy, "t,v\n0,2\n").unwrap();
    let with_last = |last: &str| (5, vec![proven.clone(), proven.clone(), json!(last)]);
    assert_eq!(checks(&bench), with_last("changed"));
    fs::remove_file(bench.file("sd/manifest.json.1")).unwrap();
    assert_eq!(checks(&bench), with_last("unknown"));
    let (code, stdout, stderr) = bench.run(&["verify", "run001"]);
    assert!(code == 5 && stdout.contains("UNKNOWN"), "{stdout}");
    assert!(stderr.contains("flylead export fetch"), "{stderr}");
    assert_eq!(bench.run(&["verify", "run002"]).0, 2);
}

#[test]
fn a_proof_of_other_line_ends_is_for_the_bytes_that_the_device_had() {
    let log = "a,b\r\n1,2\r\n";
    let proof = exported(log.as_bytes());
    let trailer = String::from_utf8(proof[proof.len() - 40..].to_vec()).unwrap();
    let crc = &trailer[trailer.find("CRC32=").unwrap()..][..14];
    let bench = Bench::answering(&[format!("BEGIN\n{log}END\n{crc}\nOK\n").as_bytes()]);
    let (code, _, stderr) = bench.run(&["fetch", "run001", "--normalize-eol"]);
    assert_eq!((code, bench.log().as_str()), (0, "a,b\n1,2\n"), "{stderr}");
    assert!(
        stderr.contains("as 10 bytes before their line ends"),
        "{stderr}"
    );
    // The bytes of the device are made again from the log, and the device's checksum is theirs.
    assert_eq!(checks(&bench), (0, vec![json!("proven")]));
    // A device that mixes line ends leaves nothing to make them again from.
    let mixed = Bench::answering(&[b"BEGIN\na\r\nb\nEND\nCRC32=91d8b1fa\nOK\n"]);
    let (code, _, stderr) =
        mixed.run(&["fetch", "run001", "--normalize-eol", "--accept", "checksum"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(checks(&mixed), (0, vec![json!("unproven")]));
}

#[test]
fn every_command_knows_that_a_device_records() {
    let bench = Bench::new(Recorder::with_log(LOG));
    assert_eq!(bench.run(&["start", "run001"]).0, 0);
    let exec = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command
            .arg("--port")
            .arg(bench.device.path())
            .args(words)
            .env("XDG_STATE_HOME", bench.state.path())
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        finished(command.spawn().expect("flylead starts"))
    };
    for words in [&["ls"][..], &["exec", "1"], &["cp", "a.py", ":"]] {
        let (code, _, stderr) = exec(words);
        assert!(
            code == 7 && stderr.contains("run001 has been recording"),
            "{code} {stderr}"
        );
    }
    assert_eq!(bench.device.received(), ["START run_id=run001"]);
    assert_eq!(bench.run(&["stop"]).0, 0);
    // Whoever ended it, every command may talk to the board again; this one is none.
    let (code, _, stderr) = exec(&["--timeout", "0.3", "ls"]);
    assert!(
        code == 4 && !stderr.contains("recording"),
        "{code} {stderr}"
    );
}

#[test]
fn the_history_of_a_port_has_every_line_both_ways_with_its_time() {
    let bench = Bench::new(Recorder::with_log(LOG));
    for words in [&["start", "run001"][..], &["stop"], &["fetch", "run001"]] {
        assert_eq!(bench.run(words).0, 0);
    }
    let (code, lines) = bench.json(&["history"]);
    let said: Vec<_> = lines
        .iter()
        .map(|line| {
            format!(
                "{} {}",
                line["way"].as_str().unwrap(),
                line["line"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(code, 0);
    let expected = [
        "> START run_id=run001",
        "< OK: Recording",
        "> STOP",
        "< OK: Stopped",
        "> EXPORT run_id=run001",
        "! Asked",
    ];
    assert_eq!(
        said.iter()
            .map(String::as_str)
            .filter(|line| *line != "! Closed")
            .take(6)
            .collect::<Vec<_>>(),
        expected,
        "{said:?}"
    );
    assert!(
        said.iter().any(|line| line.starts_with("< CRC32=")),
        "{said:?}"
    );
    assert!(
        lines
            .iter()
            .all(|line| line["time"].as_str().unwrap().ends_with('Z'))
    );
    let (_, last, _) = bench.run(&["history", "-n", "1"]);
    assert_eq!(last.lines().count(), 1);
}
