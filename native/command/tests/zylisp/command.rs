//! Exit codes, what goes to stdout and stderr, signals.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use flylead_native::zylisp::ReplyOutcome;
use rustix::process::Signal;
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use crate::common::{FOREVER, PATIENCE, Serving, Told, ended, flylead, run, said, signal};

#[tokio::test]
async fn values_go_to_stdout_errors_to_stderr_and_the_exit_code_tells_them_apart() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.zylisp"), "(define a 1)\n(+ a 1)").unwrap();
    let root = folder.path().to_str().unwrap();
    let server = Serving::start(&["127.0.0.1:0"], &["--root", root]).await;
    let address = server.address();
    let table: &[(&[&str], Told)] = &[
        (&["eval", address, "(+ 1 2)"], said(0, "3\n", "")),
        (
            &["eval", address, "(println \"a\") (list 1 \"b\" (quote c))"],
            said(0, "a\n(1 \"b\" c)\n", ""),
        ),
        (
            &["eval", address, "(println \"a\") (/ 1 0)"],
            said(
                1,
                "a\n",
                "arithmetic-error: division by zero\n  (println \"a\") (/ 1 0)\n                ^\n  at line 1, column 15\n",
            ),
        ),
        (
            &["eval", address, "--json", "(println \"a\") (/ 1 0)"],
            said(
                1,
                "{\"error\":{\"message\":\"division by zero\",\"trace\":[{\"column\":15,\"file\":null,\"function\":null,\"line\":1}],\"type\":\"arithmetic-error\"},\"output\":\"a\\n\"}\n",
                "",
            ),
        ),
        (&["load", address, "two.zylisp"], said(0, "2\n", "")),
        (
            &["load", address, "../secret"],
            said(
                5,
                "",
                "refused: no such file below the server's folders: ../secret\n",
            ),
        ),
        (&["eval", "in-process", "(* 6 7)"], said(0, "42\n", "")),
    ];
    for (words, expected) in table {
        assert_eq!(run(words).await, *expected, "{words:?}");
    }
    assert_eq!(run(&["eval", "127.0.0.1:9", "1"]).await.0, 3);
    assert_eq!(run(&["eval", "nonsense", "1"]).await.0, 2);
    let (code, _, stderr) = run(&["eval", "--codec", "msgpack", address, "1"]).await;
    assert_eq!(code, 4);
    assert!(stderr.contains("cannot read"), "{stderr}");
    assert_eq!(server.stop().await.0, 0);
}

#[tokio::test]
async fn one_server_listens_on_every_address_and_takes_its_socket_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("repl.sock");
    let addresses = ["127.0.0.1:0", socket.to_str().unwrap(), "ws://127.0.0.1:0"];
    for codec in ["json", "msgpack"] {
        let server = Serving::start(&addresses, &["--codec", codec]).await;
        for address in &server.addresses {
            assert_eq!(
                run(&["eval", "--codec", codec, address, "(+ 1 2)"]).await,
                said(0, "3\n", ""),
                "{address} {codec}"
            );
        }
        let described = run(&["describe", "--codec", codec, &server.addresses[1]]).await;
        let data: Json = serde_json::from_str(&described.1).unwrap();
        let transports = json!(["in-process", "tcp", "unix", "websocket"]);
        assert_eq!(
            (&data["transports"], &data["encoding"]),
            (&transports, &codec.into())
        );
        assert!(socket.exists());
        let (code, _, stderr) = server.stop().await;
        assert_eq!(code, 0, "{stderr}");
        assert!(!socket.exists());
    }
}

#[tokio::test]
async fn beyond_this_computer_a_token_is_needed_and_a_wrong_one_is_refused() {
    let (code, stdout, stderr) = run(&["serve", "0.0.0.0:0"]).await;
    assert_eq!((code, stdout.as_str()), (3, ""));
    assert!(stderr.contains("needs a token"), "{stderr}");
    let mut empty = flylead(&["serve", "0.0.0.0:0"]);
    empty.env("FLYLEAD_ZYLISP_TOKEN", "");
    assert_eq!(ended(empty.spawn().unwrap()).await, (code, stdout, stderr));
    let server = Serving::start(&["127.0.0.1:0"], &["--token", "secret"]).await;
    let address = server.address();
    assert_eq!(run(&["eval", address, "1"]).await.0, 5);
    assert_eq!(run(&["eval", "--token", "wrong", address, "1"]).await.0, 5);
    let right = run(&["eval", "--token", "secret", address, "1"]).await;
    assert_eq!(right, said(0, "1\n", ""));
}

#[tokio::test]
async fn ctrl_c_and_the_end_of_the_time_interrupt_what_runs_on_the_server() {
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let mut child = flylead(&["eval", server.address(), FOREVER])
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    let stdout = child.stdout.as_mut().unwrap();
    timeout(PATIENCE, stdout.read_exact(&mut ready))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&ready, b"ready\n", "output comes while it runs");
    signal(&child, Signal::INT);
    assert_eq!(ended(child).await, said(130, "", "interrupted\n"));
    let (code, stdout, _) = run(&["eval", "--timeout", "1", server.address(), FOREVER]).await;
    assert_eq!((code, stdout.as_str()), (130, "ready\n"));
}

#[tokio::test]
async fn another_shell_interrupts_a_session_by_its_name() {
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let client = server.client().await;
    let session = client.describe().await.unwrap().data["session"].clone();
    let session = session.as_str().unwrap();
    let mut running = client.start(FOREVER).await.unwrap();
    let output = timeout(PATIENCE, running.next_output()).await.unwrap();
    assert_eq!(output.as_deref(), Some("ready\n"));
    let interrupt = ["interrupt", server.address(), session];
    assert_eq!(run(&interrupt).await, said(0, "done\n", ""));
    let reply = timeout(PATIENCE, running.reply()).await.unwrap().unwrap();
    assert_eq!(reply.outcome, ReplyOutcome::Interrupted);
    assert_eq!(run(&interrupt).await, said(0, "done session-idle\n", ""));
}

/// A server gives what runs five seconds, and evaluates at the lowest priority: beside other work ten times as long. So
/// the program is chosen by the time that a short one takes.
#[tokio::test]
async fn a_server_that_is_told_to_end_answers_what_runs() {
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let client = server.client().await;
    let fib = "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))";
    client.eval(fib).await.unwrap();
    let (mut n, mut value, mut after) = (20, 6_765, 10_946);
    let start = Instant::now();
    client.eval(format!("(fib {n})")).await.unwrap();
    let mut expected = start.elapsed();
    while expected < Duration::from_millis(300) {
        expected = expected * 8 / 5;
        (n, value, after) = (n + 1, after, value + after);
    }
    let program = format!("(println \"ready\") (fib {n})");
    let mut running = client.start(program).await.unwrap();
    assert!(running.next_output().await.is_some());
    let (reply, stopped) = tokio::join!(timeout(PATIENCE, running.reply()), server.stop());
    assert_eq!(stopped.0, 0);
    let outcome = reply.unwrap().unwrap().outcome;
    assert!(
        matches!(outcome, ReplyOutcome::Value { value: got, .. } if got == value),
        "fib {n}"
    );
}

#[tokio::test]
async fn a_program_reads_what_stdin_has_and_then_the_end() {
    let read = "(println (read-line)) (println (read-line)) (read-line)";
    let mut child = flylead(&["eval", "in-process", read])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"one\ntwo\n").await.unwrap();
    drop(stdin);
    assert_eq!(ended(child).await, said(0, "one\ntwo\nnil\n", ""));
}

#[tokio::test]
async fn options_of_all_commands_work_or_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let server = Serving::start(&["127.0.0.1:0"], &[]).await;
    let traced = [
        "eval",
        server.address(),
        "(+ 1 2)",
        "--trace",
        trace.to_str().unwrap(),
    ];
    assert_eq!(run(&traced).await, said(0, "3\n", ""));
    let written = std::fs::read_to_string(&trace).unwrap();
    assert!(written.contains("(+ 1 2)"), "{written}");
    // A server that takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let (code, _, stderr) = run(&["describe", &address, "--timeout", "0.2"]).await;
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("does not answer"), "{stderr}");
    let interrupted = run(&["interrupt", server.address(), "nobody", "--json"]).await;
    assert_eq!(
        interrupted,
        said(0, "{\"status\":[\"done\",\"session-idle\"]}\n", "")
    );
    for option in ["--take-over", "--no-wait"] {
        let (code, _, stderr) = run(&["eval", "1", option]).await;
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("is for boards"), "{stderr}");
    }
    let (code, _, stderr) = run(&["eval", "(+", "1", "2)"]).await;
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("in quotes"), "{stderr}");
    for refused in [["--timeout", "3"], ["--trace", "x"], ["--baud", "9600"]] {
        let (code, _, stderr) = run(&["serve", "127.0.0.1:0", refused[0], refused[1]]).await;
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(refused[0]), "{stderr}");
    }
}

/// First line of the answer to a page from this origin that opens a WebSocket.
async fn handshake(address: &str, origin: &str) -> String {
    let host = address.strip_prefix("ws://").unwrap();
    let mut link = tokio::net::TcpStream::connect(host).await.unwrap();
    let request = format!(
        "GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    );
    link.write_all(request.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    let read = timeout(PATIENCE, link.read_exact(&mut status)).await;
    read.unwrap().unwrap();
    String::from_utf8(status.to_vec()).unwrap()
}

#[tokio::test]
async fn pages_of_flylead_serve_may_connect_and_others_where_they_are_named() {
    let (page, other) = ("http://127.0.0.1:8123", "http://localhost:8000");
    let server = Serving::start(&["ws://127.0.0.1:0"], &[]).await;
    assert_eq!(handshake(server.address(), page).await, "HTTP/1.1 101");
    assert_eq!(handshake(server.address(), other).await, "HTTP/1.1 403");
    server.stop().await;
    let server = Serving::start(&["ws://127.0.0.1:0"], &["--origin", other]).await;
    assert_eq!(handshake(server.address(), other).await, "HTTP/1.1 101");
    assert_eq!(handshake(server.address(), page).await, "HTTP/1.1 101");
    server.stop().await;
}

#[tokio::test]
async fn the_help_has_no_options_of_boards() {
    let commands = ["", "repl", "eval", "load", "serve", "describe", "interrupt"];
    for command in commands.map(|word| word.split_whitespace().collect::<Vec<_>>()) {
        let (code, help, _) = run(&[&command[..], &["--help"]].concat()).await;
        assert_eq!(code, 0);
        for option in ["--port", "--baud", "--no-wait", "--take-over", "--acquire"] {
            assert!(!help.contains(option), "{command:?}: {option}\n{help}");
        }
    }
}

#[tokio::test]
async fn a_socket_has_a_path_as_long_as_the_system_takes_and_goes_with_its_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for length in [101, 107] {
        let room = length - folder.path().as_os_str().len() - 1;
        let path = folder.path().join("s".repeat(room));
        let server = Serving::start(&[path.to_str().unwrap()], &[]).await;
        let three = run(&["eval", server.address(), "(+ 1 2)"]).await;
        assert_eq!(three, said(0, "3\n", ""), "{length}");
        signal(&server.child, Signal::HUP);
        assert_eq!(ended(server.child).await.0, 0);
        assert!(!path.exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
