//! Clients that speak HTTP, and some that should not be let in.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    FLYLEAD,
    by_hand::PATIENCE,
    clients::{server, start},
};

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
        ("200", host, format!("authorization: bearer {token}\r\n")),
        ("401", host, format!("Authorization: Bearer{token}\r\n")),
    ];
    for (status, named, headers) in cases {
        let answer = ask(host, named, &headers);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{named} {headers}: {answer}"
        );
        let challenges = answer
            .to_ascii_lowercase()
            .contains("www-authenticate: bearer");
        assert_eq!(challenges, status == "401", "{named} {headers}: {answer}");
    }
}

/// A server that others may reach, on this computer's own address all the same, and by a name.
#[test]
fn other_computers_are_let_in_when_that_is_allowed_and_by_names_that_are_said() {
    let mut command = Command::new(FLYLEAD);
    command.args([
        "mcp",
        "--json",
        "--http",
        "0.0.0.0:0",
        "--allow-remote",
        "--host",
        "lab.example",
    ]);
    let (_server, line) = start(command.args(["--artifacts", "/nowhere"]));
    let reported: Value = serde_json::from_str(&line).expect("one line of JSON");
    let url = reported["url"].as_str().expect("a text");
    assert!(!url.contains("0.0.0.0"), "{url} is no address to ask");
    let port = url
        .trim_end_matches("/mcp")
        .rsplit(':')
        .next()
        .expect("a port");
    let bearer = format!(
        "Authorization: Bearer {}\r\n",
        reported["token"].as_str().expect("a text")
    );
    let cases = [
        ("200", "lab.example"),
        ("200", "192.0.2.7"),
        ("200", "127.0.0.1"),
        ("403", "evil.example"),
    ];
    for (status, name) in cases {
        let answer = ask(
            &format!("127.0.0.1:{port}"),
            &format!("{name}:{port}"),
            &bearer,
        );
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{name}: {answer}"
        );
    }
}

#[test]
fn half_requests_are_hung_up_on_and_other_methods_refused() {
    let artifacts = tempfile::tempdir().unwrap();
    let (_server, url, token) = server("/dev/none", artifacts.path());
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let head = format!("Host: {address}\r\nAuthorization: Bearer {token}\r\n");
    let say = |text: &str| {
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it is open");
        stream.write_all(text.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("it hangs up in time");
        answer
    };
    let half_head = say("POST /mcp HTTP/1.1\r\nHost: ");
    assert!(
        half_head.is_empty() || half_head.starts_with("HTTP/1.1 4"),
        "{half_head}"
    );
    let half_body = say(&format!(
        "POST /mcp HTTP/1.1\r\n{head}Content-Length: 100\r\nConnection: close\r\n\r\n{{"
    ));
    assert!(half_body.starts_with("HTTP/1.1 408"), "{half_body}");
    for method in ["PUT", "HEAD", "OPTIONS", "PATCH", "TRACE", "NONE"] {
        let refused = say(&format!(
            "{method} /mcp HTTP/1.1\r\n{head}Connection: close\r\n\r\n"
        ));
        assert!(refused.starts_with("HTTP/1.1 405"), "{method}: {refused}");
    }
}

#[test]
fn a_token_that_anybody_could_guess_is_refused() {
    for token in ["", "short", "with a blank"] {
        let mut command = Command::new(FLYLEAD);
        command.args([
            "mcp",
            "--http",
            "127.0.0.1:0",
            "--artifacts",
            "/nowhere",
            "--token",
            token,
        ]);
        let output = command
            .stdin(Stdio::null())
            .output()
            .expect("flylead starts");
        assert_eq!(output.status.code(), Some(2), "{token:?}");
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
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("it answers");
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}
