//! Another server beside ours, one round of each after the other: latency, rate, processor time and memory.

use std::{
    io::{self, Read, Write},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use flylead_native::zylisp::{Encoding, Message};

use crate::{
    CODE, micros,
    peer::{Duplex, Peer, SILENCE, open},
    processor,
};

/// Form of requests, and the mark of answers.
#[derive(Clone, Copy, PartialEq)]
enum Wire {
    /// Zylisp's own: JSON.
    Zylisp,
    Nrepl,
}

/// Measurements of one server.
struct Measured {
    name: String,
    peer: Peer,
    idle: u64,
    times: Vec<Duration>,
    /// Times with client and server on one processor.
    close: Vec<Duration>,
    beside: Vec<Duration>,
    rates: Vec<f64>,
    processor: Duration,
    /// Memory with a thousand connections that wait, in kB.
    waiting: u64,
    /// Memory when each of them has asked.
    asked: u64,
}

/// Measures the server at `address` beside ours, which speaks the same protocol.
pub(crate) fn compare(address: &str) -> io::Result<()> {
    let (wire, ours) = match address.starts_with("nrepl://") {
        true => (Wire::Nrepl, "nrepl://127.0.0.1:0"),
        false => (Wire::Zylisp, "127.0.0.1:0"),
    };
    let mut servers = [
        Measured::new("flylead zylisp serve", Peer::command(ours)?),
        Measured::new(address, Peer::at(address)),
    ];
    measure(&mut servers, wire)
}

/// Measures ours alone.
pub(crate) fn alone() -> io::Result<()> {
    let ours = Peer::command("127.0.0.1:0")?;
    measure(
        &mut [Measured::new("flylead zylisp serve", ours)],
        Wire::Zylisp,
    )
}

/// A round of each after the other, and a line for each in the end.
fn measure(servers: &mut [Measured], wire: Wire) -> io::Result<()> {
    // Before anything else: what large sources leave behind is no client's.
    for server in &mut *servers {
        server.connections(wire).map_err(|error| server.at(error))?;
    }
    for _ in 0..CONNECTIONS {
        for server in &mut *servers {
            server.ping_pong(wire).map_err(|error| server.at(error))?;
        }
    }
    for _ in 0..ROUNDS {
        for server in &mut *servers {
            server.in_flight(wire).map_err(|error| server.at(error))?;
        }
    }
    for round in 0..CLOSE_ROUNDS {
        for server in &mut *servers {
            server
                .close_by(wire, round)
                .map_err(|error| server.at(error))?;
        }
    }
    for _ in 0..ROUNDS {
        for server in &mut *servers {
            server
                .beside_large_sources(wire)
                .map_err(|error| server.at(error))?;
        }
    }
    table(servers);
    Ok(())
}

impl Measured {
    fn new(name: &str, peer: Peer) -> Self {
        thread::sleep(REST);
        Self {
            name: name.into(),
            idle: peer.resident(),
            peer,
            times: Vec::new(),
            close: Vec::new(),
            beside: Vec::new(),
            rates: Vec::new(),
            processor: Duration::ZERO,
            waiting: 0,
            asked: 0,
        }
    }

    /// Adds the name of the server to an error.
    fn at(&self, error: io::Error) -> io::Error {
        let what = match error.kind() {
            // Linux's name for a read that waited as long as it may (socket(7), SO_RCVTIMEO).
            io::ErrorKind::WouldBlock => format!("it said nothing for {} s", SILENCE.as_secs()),
            _ => error.to_string(),
        };
        io::Error::new(error.kind(), format!("{}: {what}", self.name))
    }

    fn connect(&self) -> io::Result<Conversation> {
        Ok(Conversation::on(open(&self.peer.addresses[0])?))
    }

    fn ping_pong(&mut self, wire: Wire) -> io::Result<()> {
        let mut conversation = self.connect()?;
        let before = self.peer.running_time();
        let until = Instant::now() + CONNECTION_TIME;
        conversation.pings(wire, until, &mut self.times)?;
        self.processor += self.peer.running_time().saturating_sub(before);
        Ok(())
    }

    /// Pings from the server's processor, where no idle one has to wake: the server's own time.
    fn close_by(&mut self, wire: Wire, round: usize) -> io::Result<()> {
        let mut conversation = self.connect()?;
        let _together = processor::share(&self.peer, round)?;
        for _ in 0..CLOSE_REQUESTS {
            self.close.push(conversation.ping(wire)?);
        }
        Ok(())
    }

    fn in_flight(&mut self, wire: Wire) -> io::Result<()> {
        let mut conversation = self.connect()?;
        let requests: Vec<u8> = (0..IN_FLIGHT)
            .flat_map(|id| request(wire, id, CODE))
            .collect();
        let start = Instant::now();
        let mut count = 0;
        while count + IN_FLIGHT <= REQUESTS && start.elapsed() < ROUND {
            conversation.link.write_all(&requests)?;
            conversation.wait(wire, IN_FLIGHT)?;
            count += IN_FLIGHT;
        }
        self.rates
            .push(count as f64 / start.elapsed().as_secs_f64());
        Ok(())
    }

    fn connections(&mut self, wire: Wire) -> io::Result<()> {
        let mut clients = (0..1_000)
            .map(|_| open(&self.peer.addresses[0]))
            .collect::<io::Result<Vec<_>>>()?;
        // The last one is served when all have been accepted.
        self.connect()?.ping(wire)?;
        thread::sleep(REST);
        self.waiting = self.peer.resident();
        for client in &mut clients {
            let mut conversation = Conversation::on(client);
            conversation.ping(wire)?;
        }
        thread::sleep(REST);
        self.asked = self.peer.resident();
        Ok(())
    }

    /// Pings while four others have a program of 4 MB read.
    fn beside_large_sources(&mut self, wire: Wire) -> io::Result<()> {
        let code = format!("(list{})", " 1234567".repeat(500_000 - 1));
        let request = request(wire, 0, &code);
        let ended = AtomicBool::new(false);
        let mut guilty = (0..4)
            .map(|_| self.connect())
            .collect::<io::Result<Vec<_>>>()?;
        thread::scope(|scope| {
            for conversation in &mut guilty {
                scope.spawn(|| {
                    while !ended.load(Ordering::Relaxed) {
                        let sent = conversation.link.write_all(&request);
                        if sent.is_err() || conversation.wait(wire, 1).is_err() {
                            break;
                        }
                    }
                });
            }
            let until = Instant::now() + BESIDE;
            let mut pinged = Ok(());
            while Instant::now() < until && pinged.is_ok() {
                pinged = self
                    .connect()
                    .and_then(|mut it| it.pings(wire, until, &mut self.beside));
            }
            ended.store(true, Ordering::Relaxed);
            pinged
        })
    }
}

/// A connection, and what has come on it.
struct Conversation<L = Box<dyn Duplex>> {
    link: L,
    chunk: Vec<u8>,
    /// The end of what came last, which may be the beginning of an answer's mark.
    held: Vec<u8>,
}

impl<L: Read + Write> Conversation<L> {
    fn on(link: L) -> Self {
        Self {
            link,
            chunk: vec![0; 64 << 10],
            held: Vec::new(),
        }
    }

    /// Pings until a moment, but not for long. The kernel decides for each connection whether client and server share a
    /// processor, where an answer takes 15 µs, or wake an idle one each time, where it takes 100 µs: many short connections
    /// show both.
    fn pings(&mut self, wire: Wire, until: Instant, times: &mut Vec<Duration>) -> io::Result<()> {
        for _ in 0..CONNECTION_REQUESTS {
            if Instant::now() >= until {
                break;
            }
            times.push(self.ping(wire)?);
        }
        Ok(())
    }

    fn ping(&mut self, wire: Wire) -> io::Result<Duration> {
        let request = request(wire, 1, CODE);
        let start = Instant::now();
        self.link.write_all(&request)?;
        self.wait(wire, 1)?;
        Ok(start.elapsed())
    }

    /// Waits for so many answers.
    fn wait(&mut self, wire: Wire, count: usize) -> io::Result<()> {
        let mark = wire.mark();
        let mut found = 0;
        while found < count {
            let length = self.link.read(&mut self.chunk)?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.held.extend_from_slice(&self.chunk[..length]);
            found += self
                .held
                .windows(mark.len())
                .filter(|at| *at == mark)
                .count();
            let keep = self.held.len().min(mark.len() - 1);
            self.held.drain(..self.held.len() - keep);
        }
        Ok(())
    }
}

impl Wire {
    /// Returns a text that each last answer contains once.
    const fn mark(self) -> &'static [u8] {
        match self {
            Self::Zylisp => b"\"status\"",
            Self::Nrepl => b"4:done",
        }
    }
}

fn request(wire: Wire, id: usize, code: &str) -> Vec<u8> {
    let id = id.to_string();
    let mut bytes = Vec::new();
    match wire {
        Wire::Zylisp => {
            let mut message = Message::request("eval", id);
            message.code = Some(code.into());
            Encoding::Json.encode(&message, &mut bytes);
        }
        Wire::Nrepl => {
            let (code_length, id_length) = (code.len(), id.len());
            let text = format!("d4:code{code_length}:{code}2:id{id_length}:{id}2:op4:evale");
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes
}

fn table(servers: &mut [Measured]) {
    println!(
        "{CONNECTIONS} connections of {CONNECTION_REQUESTS} requests {CODE} or {} s each, one server after the other; times in \
         µs; close by: client and server on one processor, {CLOSE_ROUNDS} connections of {CLOSE_REQUESTS} requests\n",
        CONNECTION_TIME.as_secs()
    );
    println!(
        "{:<28} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>12} {:>14} {:>14}   {:>10} {:>14} {:>10}",
        "server",
        "p50",
        "p90",
        "p99",
        "close by",
        "its p99",
        "CPU/req",
        "64 in flight",
        "beside 4 MB",
        "its p99",
        "kB at rest",
        "1,000 clients",
        "each asked"
    );
    for server in servers {
        server.times.sort();
        server.close.sort();
        server.beside.sort();
        server.rates.sort_by(f64::total_cmp);
        println!(
            "{:<28} {:>8.1} {:>8.1} {:>8.1} {:>8.1} {:>8.1} {:>8.2} {:>12.0} {:>14.1} {:>14.1}   {:>10} {:>14} {:>10}",
            server.name,
            at(&server.times, 50),
            at(&server.times, 90),
            at(&server.times, 99),
            at(&server.close, 50),
            at(&server.close, 99),
            micros(server.processor) / server.times.len() as f64,
            server.rates[server.rates.len() / 2],
            at(&server.beside, 50),
            at(&server.beside, 99),
            server.idle,
            server.waiting,
            server.asked
        );
    }
}

fn at(times: &[Duration], percent: usize) -> f64 {
    times
        .get(times.len() * percent / 100)
        .map_or(f64::NAN, |time| micros(*time))
}

const CONNECTIONS: usize = 100;
const CONNECTION_REQUESTS: usize = 400;
/// A connection ends after this long: an answer that a server writes in two pieces waits 40 ms for the acknowledgement of the
/// first (Nagle's algorithm, RFC 1122, 4.2.3.4, with Linux's delayed acknowledgements), as those of Clojure's nREPL do.
const CONNECTION_TIME: Duration = Duration::from_secs(1);
const ROUNDS: usize = 5;
/// Requests of a round in flight, which ends after [`ROUND`].
const REQUESTS: usize = 4_000;
const ROUND: Duration = Duration::from_secs(4);
const CLOSE_ROUNDS: usize = 20;
const CLOSE_REQUESTS: usize = 1_000;
const IN_FLIGHT: usize = 64;
/// Time in which a server comes to rest, after its start and after requests.
const REST: Duration = Duration::from_secs(4);
const BESIDE: Duration = Duration::from_secs(3);
