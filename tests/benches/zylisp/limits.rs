//! A server at its limits: what it holds for clients that are idle or ask for much, and whether all of it is answered.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
};

use flylead_native::zylisp::Encoding;

use crate::{beside, peer::Peer};

/// Prints all figures of a server of our own.
pub(crate) fn figures() -> io::Result<()> {
    beside::alone()?;
    let server = Peer::start(Encoding::Json, &["127.0.0.1:0"])?;
    println!();
    queued(&server)?;
    half_closed(&server)
}

/// Requests with data that no operation needs, behind a program without end.
fn queued(server: &Peer) -> io::Result<()> {
    let mut stream = connect(server)?;
    let mut replies = BufReader::new(stream.try_clone()?).lines();
    stream.write_all(eval("warm", "1").as_bytes())?;
    replies.next().ok_or(io::ErrorKind::UnexpectedEof)??;
    let before = server.resident();
    stream.write_all(eval("loop", "(define f (lambda () (f))) (f)").as_bytes())?;
    let data = "x".repeat(DATA);
    for id in 0..QUEUED {
        let request = format!(
            "{{\"op\":\"eval\",\"id\":\"{id}\",\"code\":\"1\",\"data\":{{\"rest\":\"{data}\"}}}}\n"
        );
        stream.write_all(request.as_bytes())?;
    }
    stream.write_all(
        b"{\"op\":\"interrupt\",\"id\":\"stop\",\"data\":{\"interrupt-id\":\"loop\"}}\n",
    )?;
    let mut most = server.resident();
    // One for each, one for the interrupt, and one for what it interrupted.
    for _ in 0..QUEUED + 2 {
        most = most.max(server.resident());
        replies.next().ok_or(io::ErrorKind::UnexpectedEof)??;
    }
    println!(
        "{QUEUED} requests with {DATA} bytes of data behind an endless loop: {} kB more resident memory, all answered",
        most.saturating_sub(before)
    );
    Ok(())
}

/// Requests at once, and the end of the input behind them.
fn half_closed(server: &Peer) -> io::Result<()> {
    let mut stream = connect(server)?;
    let requests: String = (0..PIPELINED)
        .map(|id| eval(&id.to_string(), "(+ 1 2)"))
        .collect();
    stream.write_all(requests.as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    let mut replies = String::new();
    stream.read_to_string(&mut replies)?;
    let answers = replies.lines().filter(|line| line.contains("\"value\":3"));
    println!(
        "{PIPELINED} requests and a half-close: {} answers",
        answers.count()
    );
    Ok(())
}

fn connect(server: &Peer) -> io::Result<TcpStream> {
    TcpStream::connect(server.addresses[0].trim_start_matches("tcp://"))
}

fn eval(id: &str, code: &str) -> String {
    format!("{{\"op\":\"eval\",\"id\":\"{id}\",\"code\":\"{code}\"}}\n")
}

const QUEUED: usize = 40;
/// Size in bytes.
const DATA: usize = 3_800_000;
const PIPELINED: usize = 100;
