//! `flylead zylisp serve` as a process of its own against clients that ask for too much: what it costs in memory, and
//! that everybody else is still answered.
#![cfg(target_os = "linux")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A server in a process of its own, which ends with its test.
struct Serving {
    child: Child,
    address: String,
    _stdin: Option<ChildStdin>,
}

impl Serving {
    fn start() -> Self {
        Self::start_with("", "")
    }

    /// Starts it after other commands of the shell, and with options.
    fn start_with(before: &str, options: &str) -> Self {
        let script = format!("{before} exec \"$0\" zylisp serve 127.0.0.1:0 {options}");
        let mut child = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_flylead")])
            .env_remove("FLYLEAD_ZYLISP_TOKEN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on tcp://").unwrap();
        Self {
            address: address.to_owned(),
            _stdin: child.stdin.take(),
            child,
        }
    }

    fn connect(&self) -> Peer {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let replies = BufReader::new(stream.try_clone().unwrap());
        Peer { stream, replies }
    }

    /// Memory of its own, in kB: what comes from the program's file comes and goes with what it does.
    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("RssAnon:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number.unwrap().parse().unwrap()
    }

    fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Peer {
    stream: TcpStream,
    replies: BufReader<TcpStream>,
}

impl Peer {
    fn send(&mut self, request: &str) {
        self.stream.write_all(request.as_bytes()).unwrap();
    }

    /// The next reply; nothing at the end.
    fn reply(&mut self) -> String {
        let mut line = String::new();
        self.replies.read_line(&mut line).unwrap();
        line
    }

    fn ask(&mut self, request: &str) -> String {
        self.send(request);
        self.reply()
    }
}

fn eval(id: &str, code: &str) -> String {
    let code = code.replace('"', "\\\"");
    format!("{{\"op\":\"eval\",\"id\":\"{id}\",\"code\":\"{code}\"}}\n")
}

#[test]
fn forty_requests_with_data_that_nobody_needs_behind_an_endless_loop_take_less_than_64_mib() {
    let server = Serving::start();
    let mut guilty = server.connect();
    assert!(guilty.ask(&eval("warm", "1")).contains("\"warm\""));
    let before = server.resident();
    guilty.send(&eval("loop", "(define f (lambda () (f))) (f)"));
    let data = "x".repeat(3_800_000);
    for id in 0..40 {
        guilty.send(&format!(
            "{{\"op\":\"eval\",\"id\":\"{id}\",\"code\":\"1\",\"data\":{{\"rest\":\"{data}\"}}}}\n"
        ));
    }
    // The interrupt is answered when all before it has been read.
    guilty.send("{\"op\":\"interrupt\",\"id\":\"stop\",\"data\":{\"interrupt-id\":\"loop\"}}\n");
    let mut most = server.resident();
    let mut seen = Vec::new();
    while seen.len() < 42 {
        most = most.max(server.resident());
        seen.push(guilty.reply());
    }
    let grown = most.saturating_sub(before);
    println!("40 requests with 3.8 MB of data: {grown} kB more resident memory");
    assert!(grown < 64 << 10, "{grown} kB");
    assert!(seen.iter().any(|reply| reply.contains("interrupted")));
}

#[test]
fn clients_that_fill_their_memory_are_refused_in_time_and_the_server_outlives_them() {
    // Without a limit they would take 1.9 GB, for which there is no address space. With less than the usual limit it is
    // reached sooner.
    let mut server =
        Serving::start_with("ulimit -v 1500000;", "--total-memory 64 --eval-seconds 0");
    let fill = format!(
        "(define many (lambda () (list{}))) (define g (lambda (n l) (if (= n 0) l (g (- n 1) (list (many) l))))) (define l (g 5000 1)) 0",
        " 1".repeat(1_000)
    );
    let mut guilty: Vec<Peer> = (0..30).map(|_| server.connect()).collect();
    for peer in &mut guilty {
        // Whoever is turned away has been hung up on.
        let _ = peer.stream.write_all(eval("fill", &fill).as_bytes());
    }
    let replies: Vec<String> = guilty
        .iter_mut()
        .map(|peer| {
            let mut line = String::new();
            let _ = peer.replies.read_line(&mut line);
            line
        })
        .collect();
    let refused = |reply: &&String| reply.contains("memory");
    let count = replies.iter().filter(refused).count();
    println!("30 clients that want 64 MiB each: {count} are refused");
    assert!(count > 0, "{:?}", replies.first());
    assert!(server.is_running());
    drop(guilty);
    let until = Instant::now() + PATIENCE;
    let answer = loop {
        let mut peer = server.connect();
        // Whoever comes while all memory is in use is turned away.
        let _ = peer.stream.write_all(eval("after", "(+ 40 2)").as_bytes());
        let mut line = String::new();
        let _ = peer.replies.read_line(&mut line);
        if line.contains("42") || Instant::now() > until {
            break line;
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert!(answer.contains("42"), "{answer}");
}

#[test]
fn a_thousand_idle_clients_take_less_than_ten_megabytes() {
    let server = Serving::start();
    let mut first = server.connect();
    assert!(first.ask(&eval("1", "1")).contains("done"));
    let before = server.resident();
    let idle: Vec<Peer> = (0..1_000).map(|_| server.connect()).collect();
    // Connections are accepted in their order.
    assert!(server.connect().ask(&eval("1", "1")).contains("done"));
    let grown = server.resident().saturating_sub(before);
    println!(
        "{} idle clients: {grown} kB more resident memory",
        idle.len()
    );
    assert!(grown < 10_000, "{grown} kB");
}

#[test]
fn everything_that_was_asked_before_a_half_close_is_answered() {
    let server = Serving::start();
    let mut peer = server.connect();
    let requests: String = (0..100)
        .map(|id| eval(&id.to_string(), "(+ 1 2)"))
        .collect();
    peer.send(&requests);
    peer.stream.shutdown(Shutdown::Write).unwrap();
    let mut replies = String::new();
    peer.replies.read_to_string(&mut replies).unwrap();
    let answers = replies.lines().filter(|line| line.contains("\"value\":3"));
    assert_eq!(answers.count(), 100, "{replies}");
}

#[test]
fn whoever_asks_and_answers_at_once_and_much_of_it_gets_everything() {
    let server = Serving::start();
    let mut peer = server.connect();
    let mut writer = peer.stream.try_clone().unwrap();
    // Each answer is as long as its request: both directions are full long before the last one.
    let text = "y".repeat(60_000);
    let writing = thread::spawn(move || {
        for id in 0..300 {
            writer.write_all(eval(&id.to_string(), &format!("\"{text}\"")).as_bytes())?;
        }
        writer.shutdown(Shutdown::Write)
    });
    let mut count = 0;
    let mut line = String::new();
    while peer.replies.read_line(&mut line).unwrap() > 0 {
        count += usize::from(line.len() > 60_000);
        line.clear();
    }
    writing.join().unwrap().unwrap();
    assert_eq!(count, 300);
}

/// Time limit of one step on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
