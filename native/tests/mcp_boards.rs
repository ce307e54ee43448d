//! `flylead mcp` and a real board: its files, over the protocol's own lines.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use flylead_tests::boards::UnixBoard;
use serde_json::{Value, json};

/// A server that ends with its test, and by itself if it hangs.
struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    board: UnixBoard,
}

impl Server {
    fn start() -> Self {
        let board = UnixBoard::start();
        let port = board.path().display().to_string();
        let mut child = Command::new("timeout")
            .args(["--signal=KILL", "100", env!("CARGO_BIN_EXE_flylead")])
            .args(["mcp", "--allow-port", &port])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut server = Self {
            child,
            stdin,
            stdout,
            board,
        };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        server.ask("initialize", &hello);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        writeln!(server.stdin, "{ready}").unwrap();
        server
    }

    /// The result of one request.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.stdin, "{request}").unwrap();
        loop {
            let mut line = String::new();
            let count = self.stdout.read_line(&mut line).unwrap();
            assert!(count > 0, "the server has ended");
            let message: Value = serde_json::from_str(&line).expect("a line is a message");
            if message.get("id").is_some() {
                return message["result"].clone();
            }
        }
    }

    /// What a tool answers about this board.
    fn call(&mut self, tool: &str, mut arguments: Value) -> Value {
        arguments["port"] = json!(self.board.path());
        let params = json!({ "name": tool, "arguments": arguments });
        self.ask("tools/call", &params)["structuredContent"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn files_of_a_board_are_written_listed_and_read() {
    let mut server = Server::start();
    let text = "it's \"quoted\"\r\n\u{4} 日本\n".repeat(1000);
    let name = "it's a.py";
    let written = server.call("board.write_file", json!({ "path": name, "data": text }));
    assert_eq!(written, json!({ "ok": true, "bytes": text.len() }));
    assert_eq!(
        fs::read(server.board.flash().join(name)).unwrap(),
        text.as_bytes()
    );
    let read = server.call("board.read_file", json!({ "path": name }));
    assert_eq!(read["text"], json!(text));
    let binary = json!({ "path": "b", "data": { "base64": "/wAE" } });
    assert_eq!(server.call("board.write_file", binary)["bytes"], 3);
    let read = server.call("board.read_file", json!({ "path": "b" }));
    assert_eq!(
        (&read["base64"], &read["bytes"]),
        (&json!("/wAE"), &json!(3))
    );
    server.call(
        "board.exec",
        json!({ "code": "import os\nos.mkdir('lib')" }),
    );
    let listed = server.call("board.list_files", json!({ "path": "/flash" }));
    assert_eq!(listed["files"], json!(["b", name, "lib/"]));
}

#[test]
fn what_the_board_refuses_is_a_fault_and_the_board_works_on() {
    let mut server = Server::start();
    let path = json!({ "path": "none" });
    for tool in ["board.read_file", "board.list_files"] {
        let answer = server.call(tool, path.clone());
        assert_eq!(
            (&answer["ok"], &answer["error"]["code"]),
            (&json!(false), &json!("refused"))
        );
    }
    fs::write(server.board.flash().join("long"), vec![0; 1024 * 1024 + 1]).unwrap();
    let answer = server.call("board.read_file", json!({ "path": "long" }));
    assert_eq!(answer["error"]["code"], "bad_argument");
    let done = server.call("board.exec", json!({ "code": "print(1)" }));
    assert_eq!(done["output"], "1\n");
}
