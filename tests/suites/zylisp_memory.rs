//! What hostile clients cost a server in memory. A process of its own with one test in it, so that no other test's
//! memory is counted.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    time::Duration,
};

use flylead::zylisp::{Address, Server, ServerConfig};
use serde_json::json;
use tokio::task::spawn_blocking;

#[tokio::test(flavor = "multi_thread")]
async fn a_message_without_end_and_a_client_that_never_reads_cost_little_memory() {
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.write_timeout = Duration::from_millis(300);
    let server = Server::bind(config).await.unwrap();
    let before = resident_kilobytes();

    let stream = raw(&server);
    spawn_blocking(|| send_without_end(stream)).await.unwrap();
    let grown = resident_kilobytes().saturating_sub(before);
    println!("64 MiB without end: {grown} kB more resident memory");
    assert!(grown < 40_000, "{grown} kB");

    let stream = raw(&server);
    spawn_blocking(|| never_read(stream)).await.unwrap();
    let grown = resident_kilobytes().saturating_sub(before);
    println!("a client that never reads: {grown} kB more resident memory");
    assert!(grown < 100_000, "{grown} kB");
}

fn raw(server: &Server) -> TcpStream {
    let Address::Tcp(host) = &server.addresses()[0] else {
        panic!("not on TCP")
    };
    let stream = TcpStream::connect(host).unwrap();
    let patience = Some(Duration::from_secs(60));
    stream.set_read_timeout(patience).unwrap();
    stream.set_write_timeout(patience).unwrap();
    stream
}

/// 64 MiB of one string, which the server skips without keeping them.
fn send_without_end(mut stream: TcpStream) {
    stream
        .write_all(b"{\"op\":\"eval\",\"id\":\"1\",\"code\":\"")
        .unwrap();
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..64 {
        stream.write_all(&piece).unwrap();
    }
    let mut reply = String::new();
    BufReader::new(&stream).read_line(&mut reply).unwrap();
    assert!(reply.contains("longer than"), "{reply}");
}

/// Asks and asks, until the server hangs up.
fn never_read(mut stream: TcpStream) {
    let request = json!({"op": "eval", "id": "1", "code": format!("\"{}\"", "x".repeat(1_000))});
    let requests = (request.to_string() + "\n").repeat(1_000);
    let failed = (0..200).any(|_| stream.write_all(requests.as_bytes()).is_err());
    assert!(failed, "the server hangs up");
}

/// Resident memory of this process, which is the server's too. Zero where it cannot be told.
fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}
