//! Clients of a Zylisp server that do what no client should, on plain sockets. They block.

use std::{
    io::{
        self, BufRead as _, BufReader,
        ErrorKind::{TimedOut, WouldBlock},
        Write as _,
    },
    net::TcpStream,
    time::Duration,
};

use flylead_native::zylisp::{Address, Server};
use serde_json::json;

/// A connection to a server whose first address is on TCP.
///
/// # Panics
/// It is not, or the server does not take the connection.
#[must_use]
pub fn raw(server: &Server) -> TcpStream {
    let Some(Address::Tcp(host)) = server.addresses().first() else {
        panic!("not on TCP")
    };
    let stream = TcpStream::connect(host).expect("the server listens");
    let patience = Some(PATIENCE);
    stream.set_read_timeout(patience).expect("it is not zero");
    stream.set_write_timeout(patience).expect("it is not zero");
    stream
}

/// Sends a request whose code is one string of 64 MiB without an end, and returns the line that the server says to it.
///
/// # Errors
/// The server does not take all of it, or says nothing.
pub fn send_without_end(mut stream: &TcpStream) -> io::Result<String> {
    stream.write_all(br#"{"op":"eval","id":"1","code":""#)?;
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..64 {
        stream.write_all(&piece)?;
    }
    let mut reply = String::new();
    BufReader::new(stream).read_line(&mut reply)?;
    Ok(reply)
}

/// Asks and asks and reads no reply; whether the server hangs up before it was asked for 200 MB.
#[must_use]
pub fn is_hung_up_on_without_reading(mut stream: &TcpStream) -> bool {
    let request = json!({"op": "eval", "id": "1", "code": format!("\"{}\"", "x".repeat(1_000))});
    let requests = (request.to_string() + "\n").repeat(1_000);
    let asked = (0..200).try_for_each(|_| stream.write_all(requests.as_bytes()));
    // A server that has stopped listening and does not say so is what must not be.
    asked.is_err_and(|error| !matches!(error.kind(), WouldBlock | TimedOut))
}

/// A busy machine may be slow.
const PATIENCE: Duration = Duration::from_secs(60);
