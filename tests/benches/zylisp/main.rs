//! The Zylisp REPL measured: one request at a time and 64 in flight, over every transport, in both encodings; how soon
//! an interrupt is answered; and the language alone.
//!
//! The server is a process of its own (this program again), the client plain blocking sockets, so the server's
//! processor time can be told from the client's. `--peer ADDRESS` measures any other server that runs, such as
//! `tcp://127.0.0.1:5555` or `nrepl://127.0.0.1:7888`, beside ours; `clojure` starts Clojure's nREPL for that. `limits` prints
//! what our server holds and answers when clients go to its limits.

mod beside;
mod clojure;
mod limits;
mod peer;
mod processor;

use std::{
    io::{self, Read, Write},
    task::Waker,
    time::{Duration, Instant},
};

use flylead_core::{Input, Pump, zylisp};
use flylead_native::zylisp::{
    Address, Client, Decoder, Encoding, Evaluator, Message, Outcome, Progress, ReplyOutcome,
    Server, ServerConfig, Status, Task, Zylisp, ZylispServer,
    lang::{Budget, Interpreter, Limits, Source},
    release_pages,
};
use peer::{Peer, open};

const REQUESTS: usize = 20_000;
const IN_FLIGHT: usize = 64;
const CODE: &str = "(+ 1 2)";
const FIB: &str = "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))";

fn main() -> io::Result<()> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    if let [flag, encoding, addresses @ ..] = words.as_slice()
        && flag == "--server"
    {
        return serve(encoding, addresses);
    }
    match words.as_slice() {
        [] => {
            requests()?;
            language();
            interrupts()?;
            disconnects()
        }
        [flag, address] if flag == "--peer" => beside::compare(address),
        [part] if part == "clojure" => clojure::compare(),
        [part] if part == "limits" => limits::figures(),
        [part] if part == "requests" => requests(),
        [part] if part == "interrupts" => interrupts(),
        [part] if part == "disconnects" => disconnects(),
        [..] => Err(io::Error::other(
            "the parts are: requests, interrupts, disconnects; none is all of them; or limits, clojure, --peer ADDRESS",
        )),
    }
}

/// The table that the design document asks for.
fn requests() -> io::Result<()> {
    println!("{REQUESTS} requests {CODE} each; times in µs\n");
    println!(
        "{:<12} {:<8} {:>8} {:>8} {:>8} {:>10} {:>8}   {:>12} {:>8}",
        "transport",
        "codec",
        "p50",
        "p90",
        "p99",
        "requests/s",
        "CPU/req",
        "64 in flight",
        "CPU/req"
    );
    in_process_evaluator();
    for encoding in [Encoding::Json, Encoding::MessagePack] {
        in_process_session(encoding);
    }
    in_process_client();
    for encoding in [Encoding::Json, Encoding::MessagePack] {
        sockets(encoding)?;
    }
    Ok(())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("tokio starts")
}

/// The other process: serves until its stdin closes.
fn serve(encoding: &str, addresses: &[String]) -> io::Result<()> {
    runtime().block_on(async {
        let mut config =
            ServerConfig::at(addresses.iter().map(String::as_str)).map_err(io::Error::other)?;
        config.encoding = encoding.parse().map_err(io::Error::other)?;
        let mut server = Server::bind(config).await.map_err(io::Error::other)?;
        for address in server.addresses() {
            println!("{address}");
        }
        let mut end = tokio::task::spawn_blocking(|| io::stdin().read_to_end(&mut Vec::new()));
        loop {
            // As the command does.
            tokio::select! {
                ended = &mut end => return ended.map_err(io::Error::other)?.map(drop),
                () = server.rested() => release_pages(),
            }
        }
    })
}

fn in_process_evaluator() {
    let mut evaluator = Zylisp::new(Interpreter::new(Limits::default()));
    let mut once = || {
        evaluator.begin(task(CODE));
        let progress = evaluator.run(&mut 10_000, Waker::noop());
        assert!(matches!(progress, Progress::Done(Outcome::Value(answer)) if answer.value == 3));
    };
    let times = timed(&mut once);
    row("in-process", "none", &times, None);
    println!();
}

fn in_process_session(encoding: Encoding) {
    let factory = Zylisp::factory(Limits::default(), Budget::unlimited());
    let now = flylead_core::Instant::START;
    let mut config = zylisp::ServerConfig::default();
    config.encoding = encoding;
    let mut server = Pump::new(ZylispServer::new(now, config, factory));
    let request = request(encoding, 1);
    let mut once = || {
        server.handle_input(now, Input::Bytes(&request));
        assert!(!server.take_transmit().is_empty());
    };
    let times = timed(&mut once);
    row("in-process", encoding.name(), &times, None);
    println!();
}

/// The whole way of a program that has its server in itself.
fn in_process_client() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("tokio starts");
    let client = runtime
        .block_on(Client::connect(&Address::InProcess))
        .expect("it needs nothing");
    let times = timed(&mut || {
        let reply = runtime.block_on(client.eval(CODE)).expect("it answers");
        assert!(matches!(reply.outcome, ReplyOutcome::Value { value, .. } if value == 3));
    });
    row("async client", "none", &times, None);
    println!();
}

fn timed(once: &mut impl FnMut()) -> Vec<Duration> {
    let mut times: Vec<_> = (0..REQUESTS)
        .map(|_| {
            let start = Instant::now();
            once();
            start.elapsed()
        })
        .collect();
    times.sort();
    times
}

fn sockets(encoding: Encoding) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("bench.sock");
    let mut server = Peer::start(encoding, &["127.0.0.1:0", &socket.to_string_lossy()])?;
    for address in server.addresses.clone() {
        let name = address.split("://").next().unwrap_or_default().to_owned();
        ping_pong(&name, encoding, &mut server, &address)?;
        in_flight(encoding, &mut server, &address)?;
    }
    Ok(())
}

fn ping_pong(name: &str, encoding: Encoding, server: &mut Peer, address: &str) -> io::Result<()> {
    let mut link = open(address)?;
    let request = request(encoding, 1);
    let mut replies = Replies::new(encoding);
    let before = server.processor();
    let mut failed = None;
    let times = timed(&mut || {
        let result = link
            .write_all(&request)
            .and_then(|()| replies.wait(&mut link, 1));
        failed = failed.take().or(result.err());
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let used = server.processor().saturating_sub(before);
    row(name, encoding.name(), &times, Some(used));
    Ok(())
}

fn in_flight(encoding: Encoding, server: &mut Peer, address: &str) -> io::Result<()> {
    let mut link = open(address)?;
    let requests: Vec<u8> = (0..IN_FLIGHT)
        .flat_map(|id| request(encoding, id))
        .collect();
    let mut replies = Replies::new(encoding);
    let rounds = 5 * REQUESTS / IN_FLIGHT;
    let (start, before) = (Instant::now(), server.processor());
    for _ in 0..rounds {
        link.write_all(&requests)?;
        replies.wait(&mut link, IN_FLIGHT)?;
    }
    let count = (rounds * IN_FLIGHT) as f64;
    let used = server.processor().saturating_sub(before);
    println!(
        "   {:>12.0} {:>8.2}",
        count / start.elapsed().as_secs_f64(),
        micros(used) / count
    );
    Ok(())
}

fn request(encoding: Encoding, id: usize) -> Vec<u8> {
    let mut message = Message::request("eval", id.to_string());
    message.code = Some(CODE.into());
    let mut bytes = Vec::new();
    encoding.encode(&message, &mut bytes);
    bytes
}

/// Counts and checks replies.
struct Replies {
    decoder: Decoder,
    chunk: Vec<u8>,
}

impl Replies {
    fn new(encoding: Encoding) -> Self {
        Self {
            decoder: Decoder::new(encoding, 1 << 20),
            chunk: vec![0; 64 * 1024],
        }
    }

    fn wait(&mut self, link: &mut impl Read, count: usize) -> io::Result<()> {
        let mut found = 0;
        while found < count {
            let length = link.read(&mut self.chunk)?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.decoder.push(&self.chunk[..length], |reply| {
                let reply = reply.expect("the server's replies can be read");
                assert_eq!(reply.value, Some(3.into()));
                found += 1;
            });
        }
        Ok(())
    }
}

fn row(transport: &str, codec: &str, times: &[Duration], processor: Option<Duration>) {
    let at = |percent: usize| micros(times[times.len() * percent / 100]);
    let total: Duration = times.iter().sum();
    let rate = times.len() as f64 / total.as_secs_f64();
    let used = processor.map_or("-".into(), |used| {
        format!("{:.2}", micros(used) / times.len() as f64)
    });
    print!(
        "{transport:<12} {codec:<8} {:>8.2} {:>8.2} {:>8.2} {rate:>10.0} {used:>8}",
        at(50),
        at(90),
        at(99)
    );
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn language() {
    let mut evaluator = Zylisp::new(Interpreter::new(Limits::default()));
    evaluator.begin(task(FIB));
    evaluator.run(&mut 10_000, Waker::noop());
    let mut times: Vec<_> = (0..9)
        .map(|_| {
            let start = Instant::now();
            evaluator.begin(task("(fib 25)"));
            while evaluator.run(&mut 5_000, Waker::noop()) == Progress::OutOfFuel {}
            start.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "\n(fib 25): median {:.1} ms, best {:.1} ms",
        micros(times[4]) / 1e3,
        micros(times[0]) / 1e3
    );
}

fn task(code: &str) -> Task {
    let (source, page) = (Source::from(code), 4 << 20);
    Task::Eval { source, page }
}

fn interrupts() -> io::Result<()> {
    println!(
        "\n{:<20} {:<12} {:>10} {:>10} {:>10}",
        "interrupt of", "from", "p50", "p90", "p99"
    );
    let server = Peer::start(Encoding::Json, &["127.0.0.1:0"])?;
    let address: Address = server.addresses[0].parse().map_err(io::Error::other)?;
    let loops = [
        ("a tight loop", "(define f (lambda () (f))) (f)"),
        (
            "runaway recursion",
            "(define c (lambda (n) (if (= n 0) 0 (+ 1 (c (- n 1)))))) (define g (lambda () (if (list (c 150000)) (g) 0))) (g)",
        ),
        (
            "endless output",
            "(define p (lambda () (if (println \"again\") 0 (p)))) (p)",
        ),
    ];
    let runtime = runtime();
    for (name, source) in loops {
        for elsewhere in [false, true] {
            let times = runtime.block_on(interrupt_times(&address, source, elsewhere));
            let at = |percent: usize| micros(times[times.len() * percent / 100]);
            let from = if elsewhere { "another" } else { "the same" };
            println!(
                "{name:<20} {from:<12} {:>10.0} {:>10.0} {:>10.0}",
                at(50),
                at(90),
                at(99)
            );
        }
    }
    Ok(())
}

/// Measures the continuation of an evaluation whose client has gone: the processor time that the
/// server still uses, since a loop uses all of a processor while it runs.
fn disconnects() -> io::Result<()> {
    let server = Peer::start(Encoding::Json, &["127.0.0.1:0"])?;
    let mut message = Message::request("eval", "1");
    message.code = Some("(println 1) (define f (lambda () (f))) (f)".into());
    message.stream = true;
    let mut request = Vec::new();
    Encoding::Json.encode(&message, &mut request);
    let mut times = Vec::new();
    for _ in 0..50 {
        let mut link = open(&server.addresses[0])?;
        link.write_all(&request)?;
        // It runs when it has printed.
        let _ = link.read(&mut [0; 256])?;
        let before = server.running_time();
        drop(link);
        std::thread::sleep(Duration::from_millis(200));
        times.push(server.running_time().saturating_sub(before));
    }
    times.sort();
    let at = |percent: usize| micros(times[times.len() * percent / 100]) / 1e3;
    println!(
        "\nprocessor time after a disconnect: p50 {:.1} ms, p90 {:.1} ms, longest {:.1} ms",
        at(50),
        at(90),
        micros(times[times.len() - 1]) / 1e3
    );
    Ok(())
}

/// From asking to the interrupted evaluation's own reply, 200 times.
async fn interrupt_times(address: &Address, source: &str, elsewhere: bool) -> Vec<Duration> {
    let runner = Client::connect(address).await.expect("the server listens");
    let other = Client::connect(address).await.expect("the server listens");
    let described = runner.describe().await.expect("the server answers");
    let session = described.data["session"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let mut times = Vec::new();
    for _ in 0..200 {
        let asking = async {
            loop {
                tokio::time::sleep(Duration::from_millis(10)).await;
                let asked = Instant::now();
                let reply = match elsewhere {
                    true => other.interrupt_session(session.clone(), None).await,
                    false => runner.interrupt().await,
                };
                if !reply
                    .expect("the server answers")
                    .status
                    .contains(&Status::SessionIdle)
                {
                    return asked;
                }
            }
        };
        let running = async { (runner.eval(source).await, Instant::now()) };
        let ((reply, answered), asked) = tokio::join!(running, asking);
        assert_eq!(
            reply.expect("the server answers").outcome,
            ReplyOutcome::Interrupted
        );
        times.push(answered.saturating_duration_since(asked));
    }
    times.sort();
    times
}
