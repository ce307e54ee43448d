//! Ports: who may open which, how long they stay open, and what is under way on them.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use flylead_tests::boards::{Line, Recorder, venv};
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::by_hand::wait_until;
use crate::{
    FLYLEAD,
    by_hand::{ByHand, Process},
    clients::{python, start},
};

/// A device that sends a part of a log forever, and answers everything else.
fn silent() -> Recorder {
    Recorder::start(|line, port: &mut Line| match line {
        "EXPORT run_id=silent" => port.say(b"SIZE=1000000\nonly this"),
        "EXPORT run_id=mute" => {}
        _ => port.say(b"OK\r\n"),
    })
}

fn cancel(client: &mut ByHand, id: u64) {
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
}

#[test]
fn a_client_that_takes_its_call_back_ends_the_export_and_the_port_stays_usable() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = silent();
    let mut client = ByHand::start(device.path(), artifacts.path());
    let port = json!({ "port": device.path() });
    let long = json!({ "port": device.path(), "run_id": "silent", "collect": true });
    let id = client.ask_tool("serial.request_export", &long);
    client.call_until("serial.status", &port, |status| {
        status["bytes_received"] == 9
    });
    cancel(&mut client, id);
    client.call_until("serial.status", &port, |status| {
        status["state"] == "cancelled"
    });
    let written = client.call(
        "serial.write",
        &json!({ "port": device.path(), "data": "STOP" }),
    );
    assert_eq!(written["ok"], true, "{written}");
    let left = fs::read_dir(artifacts.path().join("silent/sd"))
        .unwrap()
        .count();
    assert_eq!(left, 0, "a cancelled export leaves nothing");
}

#[test]
fn what_is_cancelled_is_the_export_that_runs_and_no_later_one() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = Recorder::with_log("t,v\n0,1\n");
    let mut client = ByHand::start(device.path(), artifacts.path());
    let port = json!({ "port": device.path() });
    let fetch = json!({ "port": device.path(), "run_id": "run001", "collect": true });
    for _ in 0..3 {
        assert_eq!(
            client.call("serial.request_export", &fetch)["state"],
            "done"
        );
        assert_eq!(client.call("serial.cancel", &port)["state"], "done");
    }
}

/// A device is at a new port after it was plugged in again; here a link to its port says where.
#[test]
fn f23_a_device_that_was_pulled_out_is_waited_for_and_goes_on_where_it_is() {
    let artifacts = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("port");
    let plug = |device: &Recorder| {
        let _ = fs::remove_file(&name);
        std::os::unix::fs::symlink(device.path(), &name).expect("the folder is ours");
    };
    let device = || {
        let name = name.clone();
        Recorder::start(move |line, port| match line {
            "EXPORT run_id=pulled" => {
                port.say(b"SIZE=100\na part");
                // The link goes first: once the port is gone, its number may be another test's board.
                let _ = fs::remove_file(&name);
                port.unplug();
            }
            _ => port.say(b"SIZE=2\nok"),
        })
    };
    let first = device();
    plug(&first);
    let mut client = ByHand::start(&name, artifacts.path());
    let fetch = |run: &str| json!({ "port": name, "run_id": run, "collect": true });
    let pulled = client.call("serial.request_export", &fetch("pulled"));
    assert_eq!(pulled["error"]["code"], "port_lost", "{pulled}");
    let id = client.ask_tool("serial.request_export", &fetch("whole"));
    let port = json!({ "port": name });
    client.call_until("serial.status", &port, |status| {
        status["state"] == "reconnecting"
    });
    let second = device();
    plug(&second);
    let fetched = client.answer(id);
    assert_eq!(
        fetched["result"]["structuredContent"]["state"], "done",
        "{fetched}"
    );
}

/// Returns true if a process has this file open.
#[cfg(target_os = "linux")]
fn has_open(process: u32, path: &Path) -> bool {
    let files = fs::read_dir(format!("/proc/{process}/fd")).expect("it runs");
    let mut open = files
        .flatten()
        .filter_map(|file| fs::read_link(file.path()).ok());
    open.any(|file| file == path)
}

/// Looking at a port counts as use, so the test examines the server's files.
#[cfg(target_os = "linux")]
#[test]
fn f14_a_port_stays_open_between_calls_until_nobody_has_used_it_for_its_time() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = Recorder::start(|_, port| port.say(b"first\r\nsecond\r\n"));
    let mut client = ByHand::start_with(device.path(), artifacts.path(), &["--idle-close", "1"]);
    let port = json!({ "port": device.path() });
    let write = json!({ "port": device.path(), "data": "HELLO" });
    assert_eq!(client.call("serial.write", &write)["bytes_written"], 6);
    let mut received = Vec::new();
    // What it says between two calls is kept.
    while received.len() < 2 {
        let read = client.call("monitor_read_next", &port);
        received.extend(read["lines"].as_array().into_iter().flatten().cloned());
    }
    assert_eq!(received, ["first", "second"]);
    let server = client.process.0.id();
    wait_until("it is closed", || !has_open(server, device.path()));
    let closed = client.call("serial.status", &port);
    assert_eq!(closed["state"], "closed");
    assert!(
        closed["warnings"].to_string().contains("it was idle"),
        "{closed}"
    );
    assert_eq!(client.call("serial.write", &write)["ok"], true);
}

#[cfg(target_os = "linux")]
#[test]
fn a_port_whose_device_records_stays_open_and_so_does_one_that_is_looked_at() {
    let artifacts = tempfile::tempdir().unwrap();
    let (recording, looked_at, left) = (silent(), silent(), silent());
    let patterns = [&looked_at, &left].map(|device| device.path().display().to_string());
    let more = [
        ["--idle-close", "5"],
        ["--allow-port", &patterns[0]],
        ["--allow-port", &patterns[1]],
    ];
    let mut client = ByHand::start_with(recording.path(), artifacts.path(), &more.concat());
    let write = |device: &Recorder, data| json!({ "port": device.path(), "data": data });
    client.call("serial.write", &write(&recording, "START run_id=run001"));
    client.call("serial.write", &write(&looked_at, "HELLO"));
    client.call("serial.write", &write(&left, "HELLO"));
    let server = client.process.0.id();
    // This one is closed after its time, and so would the others be that were used before it.
    let look = json!({ "port": looked_at.path(), "wait_ms": 50 });
    let limit = std::time::Instant::now() + crate::by_hand::PATIENCE;
    while has_open(server, left.path()) {
        client.call("monitor_read_next", &look);
        assert!(std::time::Instant::now() < limit, "it is never closed");
    }
    assert!(has_open(server, looked_at.path()));
    assert!(has_open(server, recording.path()));
    let status = client.call("serial.status", &json!({ "port": recording.path() }));
    assert_eq!(
        (&status["state"], &status["run_id"]),
        (&json!("recording"), &json!("run001"))
    );
    client.call("serial.write", &write(&recording, "STOP"));
    wait_until("it is closed too", || !has_open(server, recording.path()));
}

/// A board is interrupted by whoever talks to it, so even a tool that only reads would end the recording.
#[test]
fn no_tool_ends_a_recording_but_stop() {
    let artifacts = tempfile::tempdir().unwrap();
    let files = tempfile::tempdir().unwrap();
    let device = Recorder::with_log("t,v\n0,1\n");
    let folder = files.path().display().to_string();
    let mut client = ByHand::start_with(device.path(), artifacts.path(), &["--files", &folder]);
    let with_port = |mut arguments: Value| {
        arguments["port"] = json!(device.path());
        arguments
    };
    let start = with_port(json!({ "data": "START run_id=run001" }));
    assert_eq!(client.call("serial.write", &start)["ok"], true);
    let boards = [
        ("board.exec", json!({ "code": "1" })),
        ("board.reset", json!({})),
        ("board.list_files", json!({ "path": "" })),
        ("board.read_file", json!({ "path": "a" })),
        ("board.write_file", json!({ "path": "a", "data": "" })),
        ("board.mkdir", json!({ "path": "a" })),
        ("board.remove", json!({ "path": "a" })),
        ("board.sync", json!({ "folder": "." })),
        ("board.install", json!({ "package": "none" })),
    ];
    let refused = |client: &mut ByHand, tool: &str, arguments: &Value| {
        let answer = client.call(tool, arguments);
        let error = &answer["error"];
        assert_eq!(error["code"], "recording", "{tool}: {answer}");
        assert!(error["message"].to_string().contains("run001"), "{answer}");
    };
    for (tool, arguments) in &boards {
        refused(&mut client, tool, &with_port(arguments.clone()));
    }
    // At another speed the port would be reopened, by which boards restart.
    let other_speed = with_port(json!({ "data": "HELLO", "baud": 9600 }));
    refused(&mut client, "serial.write", &other_speed);
    // Looking and an export leave it as it is.
    for tool in client.tools() {
        let name = tool["name"].as_str().expect("a name");
        assert!(
            !name.starts_with("board.") || boards.iter().any(|(tool, _)| *tool == name),
            "{name} is missing here"
        );
        if tool["annotations"]["readOnlyHint"] == true {
            client.call(name, &with_port(json!({ "wait_ms": 1 })));
        }
    }
    let fetch = with_port(json!({ "run_id": "run000", "collect": true }));
    assert_eq!(
        client.call("serial.request_export", &fetch)["state"],
        "done"
    );
    refused(
        &mut client,
        "board.read_file",
        &with_port(json!({ "path": "a" })),
    );
    assert_eq!(
        device.received(),
        ["START run_id=run001", "EXPORT run_id=run000"]
    );
    let stop = with_port(json!({ "data": "STOP" }));
    assert_eq!(client.call("serial.write", &stop)["ok"], true);
    let refused = client.call("board.sync", &with_port(json!({ "folder": "none" })));
    assert_eq!(refused["error"]["code"], "folder", "{refused}");
}

#[test]
fn a_busy_port_keeps_nobody_from_looking_at_another_one() {
    let artifacts = tempfile::tempdir().unwrap();
    let (busy, free) = (silent(), silent());
    let more = ["--allow-port", &free.path().display().to_string()];
    let mut client = ByHand::start_with(busy.path(), artifacts.path(), &more);
    // Nobody answers as a board does, so this call takes its time.
    let exec = json!({ "port": busy.path(), "code": "print(1)" });
    let exec = client.ask_tool("board.exec", &exec);
    let looked = client.call("serial.status", &json!({ "port": busy.path() }));
    assert_eq!(looked["state"], "running", "{looked}");
    let export = json!({ "port": free.path(), "run_id": "silent" });
    let asked = client.call("serial.request_export", &export);
    let id = &asked["export_id"];
    let next = client.ask_tool(
        "monitor_read_next",
        &json!({ "export_id": id, "wait_ms": 50 }),
    );
    let first = loop {
        let message = client.message();
        if message["id"] == exec || message["id"] == next {
            break message;
        }
    };
    assert_eq!(first["id"], next, "{first}");
}

#[test]
fn a_device_that_is_silent_is_given_up_after_the_time_of_the_command_line() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = silent();
    let mut client = ByHand::start_with(device.path(), artifacts.path(), &["--timeout", "0.5"]);
    let fetch = |run: &str| json!({ "port": device.path(), "run_id": run, "collect": true });
    let mute = client.call("serial.request_export", &fetch("mute"));
    assert_eq!(mute["error"]["code"], "no_header", "{mute}");
    let silent = client.call("serial.request_export", &fetch("silent"));
    assert_eq!(silent["error"]["code"], "short_transfer", "{silent}");
}

#[test]
fn runs_are_kept_in_a_folder_of_the_person_wherever_the_server_was_started() {
    let data = tempfile::tempdir().unwrap();
    let device = Recorder::with_log("t,v\n0,1\n");
    let mut command = Command::new(FLYLEAD);
    command.args(["mcp", "--port"]).arg(device.path());
    command
        .current_dir("/")
        .env("XDG_DATA_HOME", data.path())
        .env("HOME", data.path());
    let mut client = ByHand::run(&mut command, None);
    let fetch = json!({ "port": device.path(), "run_id": "run001", "collect": true });
    let done = client.call("serial.request_export", &fetch);
    let path = PathBuf::from(done["path"].as_str().unwrap_or_default());
    assert!(path.starts_with(data.path()) && path.exists(), "{done}");
    assert_eq!(done["expected_path"], done["path"]);
    drop(client);
    // One that is given by a relative path is answered as a whole one too.
    let mut command = Command::new(FLYLEAD);
    command
        .args(["mcp", "--artifacts", "here", "--port"])
        .arg(device.path());
    let mut client = ByHand::run(command.current_dir(data.path()), None);
    let done = client.call("serial.request_export", &fetch);
    let path = done["path"].as_str().unwrap_or_default();
    assert!(
        path.starts_with('/') && path.ends_with("/here/run001/sd/log.csv"),
        "{done}"
    );
}

/// A terminal with a session at it, as a person's: its name, until this is dropped.
fn session() -> (Process, String) {
    let script = "import os, pty, time
pid, master = pty.fork()
if pid == 0:
    print(os.ttyname(0), flush=True)
    time.sleep(3600)
print(os.read(master, 100).decode().strip(), flush=True)
time.sleep(3600)";
    start(python().args(["-c", script]))
}

#[test]
fn the_terminal_of_a_session_is_never_opened() {
    let artifacts = tempfile::tempdir().unwrap();
    let (_session, terminal) = session();
    let mut client = ByHand::start(Path::new(&terminal), artifacts.path());
    let refusal = |answer: Value| answer["error"]["code"].clone();
    let write = client.call("serial.write", &json!({ "port": terminal, "data": "x" }));
    assert_eq!(refusal(write.clone()), "port_refused", "{write}");
    assert_eq!(write["error"]["retryable"], false);
    let exec = client.call("board.exec", &json!({ "port": terminal, "code": "1" }));
    assert_eq!(refusal(exec), "port_refused");
}

#[test]
fn common_options_that_mean_nothing_here_are_refused() {
    let output = Command::new(FLYLEAD)
        .args(["mcp", "--port", "tcp://localhost:1"])
        .stdin(Stdio::null())
        .output()
        .expect("flylead starts");
    assert_eq!(output.status.code(), Some(2));
}

/// The line's other end is pyserial's own server, which notes what the line is set to.
#[test]
fn an_assistant_sets_the_control_lines_and_then_sends() {
    let device = silent();
    let artifacts = tempfile::tempdir().unwrap();
    let notes = artifacts.path().join("notes");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/boards/rfc2217.py");
    let mut server = Command::new(venv().join("bin/python"))
        .arg(script)
        .args([device.path(), &*notes])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut number = String::new();
    let stdout = server.stdout.take().expect("it is a pipe");
    BufReader::new(stdout).read_line(&mut number).unwrap();
    let port = format!("rfc2217://127.0.0.1:{}", number.trim());
    let mut client = ByHand::start(Path::new(&port), artifacts.path());
    let set = json!({ "port": port, "dtr": false, "rts": "true", "data": "HELLO" });
    let done = client.call("serial.write", &set);
    assert_eq!(
        (&done["ok"], &done["bytes_written"]),
        (&json!(true), &json!(6)),
        "{done}"
    );
    wait_until("the lines are set", || {
        let set = fs::read_to_string(&notes).unwrap_or_default();
        set.ends_with("DTR 0\nRTS 1\n")
    });
    wait_until("the text has arrived", || device.received() == ["HELLO"]);
    let nothing = client.call("serial.write", &json!({ "port": port }));
    let message = nothing["error"]["message"].to_string();
    assert!(message.contains("data is missing"), "{nothing}");
    // The server ends with its standard input.
    drop(server.stdin.take());
    server.wait().unwrap();
}
