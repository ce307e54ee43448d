//! Answers against the schemas that clients see: the client written by hand checks each one that it gets.

use std::{collections::BTreeSet, fs};

use flylead_tests::boards::{Recorder, UnixBoard};
use serde_json::{Value, json};

use crate::by_hand::{ByHand, underscored};

/// Strict clients drop an answer that breaks its schema, and the assistant never sees it.
#[test]
fn every_tool_keeps_to_its_schema_when_it_succeeds_and_when_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package.json");
    let manifest = json!({ "urls": [["run.py", "run.py"]], "version": "1" });
    fs::write(&package, manifest.to_string()).unwrap();
    fs::write(folder.path().join("run.py"), "print('run')\n").unwrap();
    fs::create_dir(folder.path().join("app")).unwrap();
    fs::write(folder.path().join("app/a.txt"), "a").unwrap();
    let (board, recorder) = (UnixBoard::start(), Recorder::with_log("t,v\n0,1\n"));
    let files = folder.path().display().to_string();
    let boards = board.path().display().to_string();
    let more = ["--files", &files, "--allow-port", &boards];
    let artifacts = folder.path().join("artifacts");
    let mut client = ByHand::start_with(recorder.path(), &artifacts, &more);
    let (device, board) = (json!(recorder.path()), json!(board.path()));
    let file = json!({ "path": "/flash/new/a.txt", "data": "a" });
    let calls = [
        ("serial.list_ports", None, json!({})),
        (
            "serial.write",
            Some(&device),
            json!({ "data": "START run_id=run001" }),
        ),
        (
            "serial.wait_for",
            Some(&device),
            json!({ "text": "Stopped", "send": "STOP", "timeout_s": 50 }),
        ),
        (
            "serial.request_export",
            Some(&device),
            json!({ "run_id": "run001", "collect": true }),
        ),
        ("monitor_read_next", Some(&device), json!({ "wait_ms": 1 })),
        ("serial.status", Some(&device), json!({})),
        ("serial.cancel", Some(&device), json!({})),
        ("board.exec", Some(&board), json!({ "code": "print(1)" })),
        ("board.reset", Some(&board), json!({})),
        ("board.mkdir", Some(&board), json!({ "path": "/flash/new" })),
        ("board.write_file", Some(&board), file),
        (
            "board.read_file",
            Some(&board),
            json!({ "path": "/flash/new/a.txt" }),
        ),
        (
            "board.list_files",
            Some(&board),
            json!({ "path": "/flash/new" }),
        ),
        (
            "board.sync",
            Some(&board),
            json!({ "folder": "app", "target": "/flash/new", "delete": true }),
        ),
        (
            "board.install",
            Some(&board),
            json!({ "package": package, "target": "/flash/lib" }),
        ),
        (
            "board.remove",
            Some(&board),
            json!({ "path": "/flash/lib", "recursive": true }),
        ),
    ];
    let with_port = |arguments: &Value, port: &Value| {
        let mut arguments = arguments.clone();
        arguments["port"] = port.clone();
        arguments
    };
    let mut called = BTreeSet::new();
    for (tool, port, arguments) in &calls {
        called.insert(underscored(&json!(tool)));
        let given = port.map_or(arguments.clone(), |port| with_port(arguments, port));
        let done = client.call(tool, &given);
        assert_eq!(done["ok"], true, "{tool} {given}: {done}");
        for wrong in [
            with_port(arguments, &json!("/dev/none")),
            json!({ "none": 1 }),
        ] {
            let refused = client.call(tool, &wrong);
            assert_eq!(refused["ok"], false, "{tool} {wrong}: {refused}");
        }
    }
    // What the board itself refuses.
    for (tool, arguments) in [
        ("board.exec", json!({ "code": "1/0" })),
        (
            "board.exec",
            json!({ "code": "while True: pass", "timeout_s": 0 }),
        ),
        ("board.read_file", json!({ "path": "none" })),
        ("board.sync", json!({ "folder": ".." })),
        ("board.install", json!({ "package": "no-such-package" })),
    ] {
        let refused = client.call(tool, &with_port(&arguments, &board));
        assert_eq!(refused["ok"], false, "{tool} {arguments}: {refused}");
    }
    let listed = client.tools();
    let listed = listed
        .iter()
        .map(|tool| underscored(&tool["name"]))
        .collect();
    assert_eq!(called, listed, "a tool is missing here");
}
