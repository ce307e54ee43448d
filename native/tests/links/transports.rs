//! Links to real sockets, pseudo-terminals, children and WebSockets, on this machine only.

use std::time::Duration;

use flylead_native::link::{self, Address, Link, OpenError};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};
use tokio_tungstenite::{WebSocketStream, accept_async, tungstenite::Message};

async fn open(address: &str) -> Result<Link, OpenError> {
    let address: Address = address.parse().unwrap();
    link::open(&address).await
}

async fn read(link: &mut Link, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    timeout(PATIENCE, link.read_exact(&mut bytes))
        .await
        .expect("the bytes come")
        .unwrap();
    bytes
}

#[tokio::test]
async fn tcp_passes_bytes_both_ways_and_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut peer, _) = listener.accept().await.unwrap();
        let mut byte = [0];
        peer.read_exact(&mut byte).await.unwrap();
        peer.write_all(&[byte[0] + 1]).await.unwrap();
    });
    let mut link = open(&address).await.unwrap();
    link.write_all(b"a").await.unwrap();
    assert_eq!(read(&mut link, 1).await, b"b");
    assert_eq!(link.read(&mut [0]).await.unwrap(), 0);
    server.await.unwrap();
}

#[tokio::test]
async fn a_closed_tcp_port_is_named_in_the_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = open(&address).await.unwrap_err();
    assert!(error.to_string().starts_with(&address), "{error}");
}

#[cfg(unix)]
mod unix {
    use std::{ffi::CStr, fs, os::fd::OwnedFd};

    use flylead_core::trace::{self, Record};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    /// The board's end of a pseudo-terminal, and the path of ours.
    fn pseudo_terminal() -> (OwnedFd, String) {
        let board = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&board).unwrap();
        unlockpt(&board).unwrap();
        let path = ptsname(&board, Vec::new()).unwrap();
        let path = CStr::to_str(&path).unwrap().to_owned();
        (board, path)
    }

    #[tokio::test]
    async fn a_unix_socket_passes_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let listener = tokio::net::UnixListener::bind(&path).unwrap();
        let mut link = open(&format!("unix://{}", path.display())).await.unwrap();
        let (mut peer, _) = listener.accept().await.unwrap();
        peer.write_all(b"hello").await.unwrap();
        assert_eq!(read(&mut link, 5).await, b"hello");
    }

    #[tokio::test]
    async fn a_serial_port_changes_no_byte() {
        let (board, path) = pseudo_terminal();
        let mut link = open(&path).await.unwrap();
        let all: Vec<u8> = (0..=255).collect();
        link.write_all(&all).await.unwrap();
        let mut got = [0; 256];
        assert_eq!(rustix::io::read(&board, &mut got).unwrap(), 256);
        assert_eq!(got[..], all);
        rustix::io::write(&board, &all).unwrap();
        assert_eq!(read(&mut link, 256).await, all);
    }

    #[tokio::test]
    async fn a_serial_port_is_ours_alone_until_it_is_closed() {
        let (_board, path) = pseudo_terminal();
        let link = open(&path).await.unwrap();
        let error = open(&path).await.unwrap_err();
        assert!(matches!(error, OpenError::Busy { .. }), "{error}");
        drop(link);
        open(&path).await.unwrap();
    }

    #[tokio::test]
    async fn a_serial_port_that_is_pulled_out_ends() {
        let (board, path) = pseudo_terminal();
        let mut link = open(&path).await.unwrap();
        rustix::io::write(&board, b"last").unwrap();
        assert_eq!(read(&mut link, 4).await, b"last");
        drop(board);
        let end = timeout(PATIENCE, link.read(&mut [0])).await.unwrap();
        assert_eq!(end.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_port_that_is_not_there_is_named() {
        let error = open("/dev/no-such-board").await.unwrap_err();
        assert_eq!(error.to_string(), "/dev/no-such-board does not exist");
    }

    #[tokio::test]
    async fn a_child_talks_and_ends() {
        let mut link = open("process:read line; echo got $line").await.unwrap();
        link.write_all(b"it\n").await.unwrap();
        assert_eq!(read(&mut link, 7).await, b"got it\n");
        let end = timeout(PATIENCE, link.read(&mut [0])).await.unwrap();
        assert_eq!(end.unwrap(), 0);
    }

    #[tokio::test]
    async fn ctrl_c_at_once_does_not_end_a_child() {
        let mut link = open("process:echo up; read line; echo got $line")
            .await
            .unwrap();
        link.write_all(b"\x03\x03").await.unwrap();
        assert_eq!(read(&mut link, 3).await, b"up\n");
        link.write_all(b"\x03it\n").await.unwrap();
        // What the two early ones became depends on when the child was ready for them.
        let mut heard = Vec::new();
        while !heard.ends_with(b"it\n") {
            heard.extend(read(&mut link, 1).await);
        }
    }

    #[tokio::test]
    async fn closing_ends_a_child_and_all_that_it_started() {
        let mut link = open("process:sleep 1000 & echo $!; wait").await.unwrap();
        let mut digits = Vec::new();
        while digits.last() != Some(&b'\n') {
            digits.extend(read(&mut link, 1).await);
        }
        let grandchild = String::from_utf8(digits).unwrap();
        let process = format!("/proc/{}/stat", grandchild.trim());
        drop(link);
        let gone = async {
            while fs::read_to_string(&process).is_ok_and(|stat| !stat.contains(") Z ")) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, gone).await.expect("it is gone");
    }

    #[tokio::test]
    async fn a_trace_can_be_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trace.txt");
        let child = open("process:read line; echo $line").await.unwrap();
        let mut link = flylead_native::Trace::create(&file).unwrap().wrap(child);
        link.write_all(b"a\x01\n").await.unwrap();
        let mut heard = Vec::new();
        link.read_to_end(&mut heard).await.unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let records = trace::parse(&text).unwrap();
        let mut received = Vec::new();
        for (_, record) in &records {
            if let Record::Received(bytes) = record {
                received.extend_from_slice(bytes);
            }
        }
        assert_eq!(received, b"a\x01\n");
        assert!(
            records
                .iter()
                .any(|(_, record)| *record == Record::Sent(b"a\x01\n".to_vec()))
        );
        assert_eq!(records.last().unwrap().1, Record::Closed);
    }
}

/// A WebSocket server that accepts one client and does `serve`.
async fn websocket<F: Future<Output = ()> + Send + 'static>(
    serve: impl FnOnce(WebSocketStream<TcpStream>) -> F + Send + 'static,
) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        serve(accept_async(stream).await.unwrap()).await;
    });
    (host, server)
}

/// WebREPL as its source has it: a prompt, a password that ends with Enter, a verdict.
async fn webrepl(mut socket: WebSocketStream<TcpStream>) {
    socket.send(Message::text("Password: ")).await.unwrap();
    let mut password = String::new();
    while !password.ends_with('\r') {
        let message = socket.next().await.unwrap().unwrap();
        assert!(message.is_text(), "binary messages are for files");
        password += message.to_text().unwrap();
    }
    if password == "secret\r" {
        let welcome = "\r\nWebREPL connected\r\n>>> ";
        socket.send(Message::text(welcome)).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            if message.is_text() {
                socket.send(message).await.unwrap();
            }
        }
    } else {
        socket
            .send(Message::text("\r\nAccess denied\r\n"))
            .await
            .unwrap();
        socket.close(None).await.unwrap();
    }
}

#[tokio::test]
async fn webrepl_takes_its_password_and_passes_bytes() {
    let (host, _server) = websocket(webrepl).await;
    let mut link = open(&format!("ws://:secret@{host}")).await.unwrap();
    let long = "ä".repeat(500);
    link.write_all(long.as_bytes()).await.unwrap();
    link.flush().await.unwrap();
    assert_eq!(read(&mut link, 1000).await, long.as_bytes());
}

#[tokio::test]
async fn webrepl_with_another_password_is_refused() {
    let (host, _server) = websocket(webrepl).await;
    let error = open(&format!("ws://:guess@{host}")).await.unwrap_err();
    assert!(matches!(error, OpenError::PasswordDenied { .. }), "{error}");
    assert!(!error.to_string().contains("guess"), "{error}");
}

#[tokio::test]
async fn webrepl_without_a_password_says_how_to_give_one() {
    let (host, _server) = websocket(webrepl).await;
    let error = open(&format!("ws://{host}")).await.unwrap_err();
    assert!(matches!(error, OpenError::PasswordWanted { .. }), "{error}");
}

#[tokio::test]
async fn a_websocket_that_asks_for_nothing_loses_nothing() {
    let (host, server) = websocket(|mut socket| async move {
        socket.send(Message::text("hello ")).await.unwrap();
        socket
            .send(Message::binary(b"\xff\x04".as_slice()))
            .await
            .unwrap();
        socket.close(None).await.unwrap();
    })
    .await;
    let mut link = open(&format!("ws://{host}")).await.unwrap();
    let mut heard = Vec::new();
    link.read_to_end(&mut heard).await.unwrap();
    assert_eq!(heard, b"hello \xff\x04");
    server.await.unwrap();
}

/// A busy machine may be slow; a broken link is slower.
const PATIENCE: Duration = Duration::from_secs(30);
