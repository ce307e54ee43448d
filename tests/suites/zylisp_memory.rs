//! Measures the memory that hostile clients cost a server. It is a process of its own with one test
//! in it, so that no other test's memory is counted.

use std::time::Duration;

use flylead_native::zylisp::{Server, ServerConfig};
use flylead_tests::zylisp::{is_hung_up_on_without_reading, raw, send_without_end};
use tokio::task::spawn_blocking;

#[tokio::test(flavor = "multi_thread")]
async fn a_message_without_end_and_a_client_that_never_reads_cost_little_memory() {
    let mut config = ServerConfig::at(["127.0.0.1:0"]).unwrap();
    config.write_timeout = Duration::from_millis(300);
    let server = Server::bind(config).await.unwrap();
    let before = resident_kilobytes();

    let stream = raw(&server);
    let sent = spawn_blocking(move || send_without_end(&stream)).await;
    let reply = sent.unwrap().unwrap();
    assert!(reply.contains("longer than"), "{reply}");
    let grown = resident_kilobytes().saturating_sub(before);
    println!("64 MiB without end: {grown} kB more resident memory");
    assert!(grown < 40_000, "{grown} kB");

    let stream = raw(&server);
    let asked = spawn_blocking(move || is_hung_up_on_without_reading(&stream)).await;
    assert!(asked.unwrap(), "the server hangs up");
    let grown = resident_kilobytes().saturating_sub(before);
    println!("a client that never reads: {grown} kB more resident memory");
    assert!(grown < 100_000, "{grown} kB");
}

/// Resident memory of this process, which is the server's too. Zero where it cannot be told.
fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}
