//! Clients that never finish, over real sockets.

use std::{
    fs,
    net::SocketAddr,
    time::{Duration, Instant},
};

use axum::{Router, http::StatusCode, routing::post};
use flylead_native::install::Source;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{CLIENTS_LIMIT, Content, serve};
use crate::serve::{
    packages,
    page::tests::{LARGE_SIZE, large_and_small},
};

async fn start(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, router));
    address
}

async fn say(address: SocketAddr, text: &str) -> TcpStream {
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(text.as_bytes()).await.unwrap();
    client
}

async fn ask(address: SocketAddr, request: &str) -> String {
    let asking = async {
        let mut client = say(address, request).await;
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let answer = timeout(PATIENCE, asking).await;
    answer.expect("it is answered in time")
}

fn head(address: SocketAddr, method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n{more}\r\n")
}

/// Returns the resident memory of this process, in bytes.
fn memory() -> usize {
    let status = fs::read_to_string("/proc/self/statm").unwrap();
    let pages = status.split(' ').nth(1).unwrap();
    pages.parse::<usize>().unwrap() * rustix::param::page_size()
}

fn content() -> Router {
    let answer = async |Content(bytes): Content<100>| bytes;
    Router::new().route("/", post(answer))
}

#[tokio::test]
async fn a_client_is_answered_while_more_than_all_others_finish_no_request() {
    let address = start(content()).await;
    let unfinished = head(address, "POST", "/", "Content-Length: 50\r\n") + "{";
    let mut others = Vec::new();
    for _ in 0..CLIENTS_LIMIT + 20 {
        // Clients beyond the limit wait for a place; they are connected all the same.
        others.push(say(address, &unfinished).await);
    }
    let request = head(
        address,
        "POST",
        "/",
        "Content-Length: 2\r\nConnection: close\r\n",
    ) + "it";
    let answer = ask(address, &request).await;
    assert!(answer.ends_with("\r\n\r\nit"), "{answer}");
}

#[tokio::test]
async fn a_request_that_is_refused_by_its_head_is_refused_before_its_body_comes() {
    let index = Source::parse("http://127.0.0.1:9", None).unwrap();
    let address = start(packages::router(index)).await;
    let more = "Origin: http://evil.example\r\nContent-Length: 1000\r\n";
    for more in [more, "Content-Length: 1000\r\n"] {
        let answer = ask(
            address,
            &(head(address, "POST", "/packages/file", more) + "{"),
        )
        .await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }
}

#[tokio::test]
async fn content_has_a_limit_and_a_deadline() {
    let address = start(content()).await;
    let close = "Connection: close\r\n";
    for (more, body, status) in [
        ("Content-Length: 100\r\n", "x".repeat(100), StatusCode::OK),
        (
            "Content-Length: 101\r\n",
            String::new(),
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
        (
            "Transfer-Encoding: chunked\r\n",
            format!("65\r\n{}\r\n0\r\n\r\n", "x".repeat(101)),
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
        (
            "Content-Length: 5\r\n",
            "x".into(),
            StatusCode::REQUEST_TIMEOUT,
        ),
    ] {
        let request = head(address, "POST", "/", &format!("{more}{close}")) + &body;
        let answer = ask(address, &request).await;
        let expected = format!("HTTP/1.1 {} ", status.as_u16());
        assert!(answer.starts_with(&expected), "{more}: {answer}");
    }
    let long = format!("X-Long: {}\r\n{close}", "x".repeat(4 * super::HEAD_LIMIT));
    let answer = ask(address, &head(address, "POST", "/", &long)).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

/// Runs on one thread, as `flylead serve` does to move the bytes of boards.
#[tokio::test(flavor = "current_thread")]
async fn clients_that_read_nothing_share_one_copy_and_keep_nobody_waiting() {
    let address = start(large_and_small()).await;
    let before = memory();
    let large = head(address, "GET", "/large.js", "");
    let mut others = Vec::new();
    for _ in 0..UNREAD {
        others.push(say(address, &large).await);
    }
    let close = "Connection: close\r\n";
    let asked = Instant::now();
    let small = ask(address, &head(address, "GET", "/small", close)).await;
    assert!(small.ends_with("small"), "{small}");
    let waited = asked.elapsed();
    for other in &mut others {
        let first = timeout(PATIENCE, other.read_exact(&mut [0; 12])).await;
        first.expect("each is answered in time").unwrap();
    }
    let more = memory().saturating_sub(before);
    assert!(more < UNREAD * LARGE_SIZE / 4, "{more} bytes");
    assert!(waited < Duration::from_secs(5), "{waited:?}");
}

const UNREAD: usize = 64;
/// Longer than any step takes on a busy machine, and shorter than any deadline after which the server would answer by
/// itself.
const PATIENCE: Duration = Duration::from_secs(60);
