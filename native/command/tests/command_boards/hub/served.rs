//! `flylead serve --board`: a board for pages.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use flylead_tests::boards::UnixBoard;

use crate::common::{done, flylead, folder, piped, press_ctrl_c, run, started, told_of};

/// `flylead serve` with this board, and the address of its WebSocket.
struct Served {
    child: Child,
    board: String,
}

impl Served {
    fn start(board: &Path) -> Self {
        Self::start_as(flylead(board, &SERVE))
    }

    fn start_as(command: Command) -> Self {
        let mut child = piped(command);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("it is piped"))
            .read_line(&mut line)
            .expect("it says where it is");
        let said: serde_json::Value = serde_json::from_str(&line).expect("it speaks JSON");
        let board = said["board"].as_str().expect("it has a board").to_owned();
        Self { child, board }
    }

    /// Returns the answer to a page.
    fn get(&self, path: &str, origin: &str) -> String {
        let host = self.board.split('/').nth(2).unwrap();
        let mut socket = TcpStream::connect(host).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nOrigin: {origin}\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    /// The status of a WebSocket's handshake.
    fn handshake(&self, path: &str, origin: &str) -> String {
        let host = self.board.split('/').nth(2).unwrap();
        let mut socket = TcpStream::connect(host).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nOrigin: {origin}\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        BufReader::new(socket).read_line(&mut line).unwrap();
        line.split(' ').nth(1).unwrap_or_default().to_owned()
    }
}

const SERVE: [&str; 5] = ["serve", "--json", "--board", "--listen", "127.0.0.1:0"];

impl Drop for Served {
    fn drop(&mut self) {
        press_ctrl_c(&self.child);
        let _ = self.child.wait();
    }
}

#[test]
fn a_served_board_is_for_who_has_the_token_and_for_one_program_at_a_time() {
    let board = UnixBoard::start();
    let served = Served::start(board.path());
    let exec = |code: &str| flylead(Path::new(&served.board), &["exec", code]);
    assert_eq!(run(exec("print(6 * 7)")), done("42\n"));

    let first = started(exec("print('ready')\nimport time\ntime.sleep(60)"));
    let (code, _, stderr) = run(exec("print(1)"));
    assert_eq!(code, 4, "{stderr}");
    press_ctrl_c(&first);
    assert_eq!(told_of(first).0, 130);

    let without = served.board.split('?').next().unwrap();
    let (code, _, stderr) = run(flylead(Path::new(without), &["exec", "print(1)"]));
    assert_eq!(code, 3);
    assert!(stderr.contains("401"), "{stderr}");
}

#[test]
fn a_served_board_is_for_no_other_site() {
    let board = UnixBoard::start();
    let served = Served::start(board.path());
    let (host, path) = served.board["ws://".len()..].split_once('/').unwrap();
    let path = format!("/{path}");
    assert_eq!(served.handshake(&path, &format!("http://{host}")), "101");
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(served.handshake(&path, origin), "403", "{origin}");
    }
    assert_eq!(
        served.handshake("/board?token=x", &format!("http://{host}")),
        "401"
    );
}

#[test]
fn a_page_is_told_the_boards_by_their_names() {
    let board = UnixBoard::start();
    let settings = folder();
    let with_settings = |words: &[&str]| {
        let mut command = flylead(board.path(), words);
        command.env("XDG_CONFIG_HOME", settings.path());
        command
    };
    let device = board.path().to_str().unwrap();
    let named = run(with_settings(&["ports", "name", device, "bench-1"]));
    assert_eq!(named.0, 0, "{}", named.2);
    let served = Served::start_as(with_settings(&SERVE));
    let (host, path) = served.board["ws://".len()..].split_once('/').unwrap();
    let (own, path) = (
        format!("http://{host}"),
        format!("/{}", path.replace("board?", "boards?")),
    );
    let answer = served.get(&path, &own);
    let list = format!(r#"[{{"board":"{device}","name":"bench-1"}}]"#);
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(&list),
        "{answer}"
    );
    assert!(
        served
            .get(&path, "http://evil.example")
            .starts_with("HTTP/1.1 403 ")
    );
    assert!(
        served
            .get("/boards?token=x", &own)
            .starts_with("HTTP/1.1 401 ")
    );
}

#[test]
fn the_page_of_all_boards_is_for_who_has_the_token_and_for_no_other_site() {
    let board = UnixBoard::start();
    let served = Served::start(board.path());
    let (host, path) = served.board["ws://".len()..].split_once('/').unwrap();
    let (own, list) = (
        format!("http://{host}"),
        format!("/farm/{}", path.replace("board?", "boards?")),
    );
    let status = |answer: String| answer.split(' ').nth(1).unwrap_or_default().to_owned();
    for file in ["/farm", "/farm/page.js", "/farm/style.css"] {
        let answer = served.get(file, &own);
        assert!(answer.contains("content-security-policy: "), "{answer}");
        assert!(!answer.contains(path.split('=').nth(1).unwrap()));
        assert_eq!(status(answer), "200", "{file}");
    }
    assert_eq!(status(served.get(&list, "http://evil.example")), "403");
    assert_eq!(status(served.get(&list, "null")), "403");
    assert_eq!(status(served.get("/farm/boards?token=x", &own)), "401");
    assert_eq!(status(served.get("/farm/boards", &own)), "401");

    let answer = served.get(&list, &own);
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let said: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(said[0]["board"], board.path().to_str().unwrap());
    assert_eq!(
        (&said[0]["holder"], &said[0]["waiting"]),
        (&serde_json::Value::Null, &serde_json::json!([]))
    );
    let first = started(flylead(
        Path::new(&served.board),
        &["exec", "print('ready')\nimport time\ntime.sleep(60)"],
    ));
    let answer = served.get(&list, &own);
    assert!(
        answer.contains(r#""activity":"program""#) && answer.contains(r#""who":"a page""#),
        "{answer}"
    );
    press_ctrl_c(&first);
    assert_eq!(told_of(first).0, 130);
}

#[test]
fn a_variable_that_is_set_to_nothing_is_as_good_as_none() {
    let board = UnixBoard::start();
    let served = Served::start(board.path());
    let without = |variable, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.args(words).env(variable, "").stdin(Stdio::null());
        run(command)
    };
    assert_eq!(without("FLYLEAD_PORT", &["ports"]).0, 0);
    let exec = ["--port", &served.board, "exec", "print(1)"];
    assert_eq!(without("FLYLEAD_WEBREPL_PASSWORD", &exec), done("1\n"));
    let serve = ["serve", "--listen", "0.0.0.0:0"];
    let (_, _, stderr) = without("FLYLEAD_SERVE_TOKEN", &serve);
    assert!(stderr.contains("--allow-remote"), "{stderr}");
    // Its client is gone before it says anything.
    let (code, _, stderr) = without("FLYLEAD_MCP_TOKEN", &["mcp"]);
    assert_eq!(code, 4, "{stderr}");
}
