//! `flylead mcp` against fastmcp, a client that nobody here wrote, and a device on a pseudo-terminal.
#![cfg(unix)]

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

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
    let told: serde_json::Value = serde_json::from_str(&line).expect("one line of JSON");
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
