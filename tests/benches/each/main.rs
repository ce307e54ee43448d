//! `flylead each` over many boards at once: boards a second, and memory.
//!
//! `cargo xtask bench each` builds what is needed first. `simulated 1000` measures so many boards that are simulated behind
//! RFC 2217 servers on loopback, and a quarter and a half of them beside, so that it can be seen how the time grows;
//! `real 100` so many MicroPythons, in turns of as many as there is memory for.

mod simulated;

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use flylead_tests::{
    bench::{available_memory, fail, flylead, kilobytes},
    boards::UnixBoard,
};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let count = |default| {
        let count = words.get(1).map(|word| word.parse::<usize>());
        let count = count.unwrap_or(Ok(default));
        count.unwrap_or_else(|_| fail("how many boards? write a number"))
    };
    match words.first().map(String::as_str) {
        None => {
            simulated(1_000);
            real(100);
        }
        Some("simulated") => simulated(count(1_000)),
        Some("real") => real(count(100)),
        Some(other) => fail(&format!(
            "there is `simulated` and `real`, and no `{other}`"
        )),
    }
}

fn simulated(most: usize) {
    let boards = simulated::Boards::start(most, PROGRAM, b"2\n");
    println!("simulated boards behind RFC 2217, `exec {PROGRAM}` on each\n");
    header();
    for count in [most / 4, most / 2, most] {
        measure(&boards.addresses()[..count.max(1)]).row();
    }
}

fn real(all: usize) {
    println!("\nMicroPython's unix port, `exec {PROGRAM}` on each\n");
    header();
    let at_once = (available_memory() / 2 / BOARD_MEMORY).clamp(1, all as u64);
    let mut sum = Measured::default();
    let mut left = all;
    while left > 0 {
        let boards: Vec<_> = (0..left.min(at_once as usize))
            .map(|_| UnixBoard::start())
            .collect();
        let addresses: Vec<_> = boards
            .iter()
            .map(|board| board.path().display().to_string())
            .collect();
        sum.add(&measure(&addresses));
        left -= boards.len();
    }
    sum.row();
}

/// Measurements of `flylead each` for some boards.
#[derive(Default)]
struct Measured {
    boards: usize,
    time: Duration,
    /// The command's own resident memory, in kB, at its highest.
    memory: u64,
    /// Memory of the processes for its boards, all at once, in kB; shared memory is counted in
    /// each.
    children: u64,
}

fn measure(addresses: &[String]) -> Measured {
    let folder = tempfile::tempdir().unwrap_or_else(|error| fail(&error.to_string()));
    let list = folder.path().join("boards");
    fs::write(&list, addresses.join("\n")).unwrap_or_else(|error| fail(&error.to_string()));
    let start = Instant::now();
    let mut child = Command::new(flylead())
        .args(["each", &format!("@{}", list.display()), "--json"])
        .args(["--", "exec", PROGRAM])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| fail(&format!("flylead: {error}")));
    let watch = Watch::start(child.id());
    let results = results(&mut child);
    let status = child.wait();
    let time = start.elapsed();
    let (memory, children) = watch.finish();
    if results != addresses.len() || !status.is_ok_and(|status| status.success()) {
        fail(&format!("{results} of {} boards answered", addresses.len()));
    }
    Measured {
        boards: results,
        time,
        memory,
        children,
    }
}

/// Counts the boards that printed the expected output.
fn results(child: &mut Child) -> usize {
    let Some(stdout) = child.stdout.take() else {
        return 0;
    };
    let lines = BufReader::new(stdout).lines().map_while(Result::ok);
    let events = lines.filter_map(|line| serde_json::from_str::<serde_json::Value>(&line).ok());
    events
        .filter(|event| {
            let said = event["result"]["stdout"].as_str();
            said.is_some_and(|said| said.trim_end() == "2")
        })
        .count()
}

/// Looks at the memory of a process and of its children until it is told to stop.
struct Watch {
    is_over: Arc<AtomicBool>,
    thread: thread::JoinHandle<(u64, u64)>,
}

impl Watch {
    fn start(process: u32) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let (mut own, mut children) = (0, 0);
            while !over.load(Ordering::Relaxed) {
                own = own.max(kilobytes(process, "VmRSS"));
                let all = children_of(process);
                children =
                    children.max(all.into_iter().map(|child| kilobytes(child, "VmRSS")).sum());
                thread::sleep(LOOK);
            }
            (own, children)
        });
        Self { is_over, thread }
    }

    fn finish(self) -> (u64, u64) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

fn children_of(process: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let numbers = children.split_whitespace();
    numbers.filter_map(|number| number.parse().ok()).collect()
}

fn header() {
    println!(
        "{:>8} {:>10} {:>12} {:>14} {:>14}",
        "boards", "seconds", "boards/s", "its kB", "children's kB"
    );
}

impl Measured {
    fn add(&mut self, other: &Self) {
        self.boards += other.boards;
        self.time += other.time;
        self.memory = self.memory.max(other.memory);
        self.children = self.children.max(other.children);
    }

    fn row(&self) {
        let seconds = self.time.as_secs_f64();
        println!(
            "{:>8} {seconds:>10.2} {:>12.0} {:>14} {:>14}",
            self.boards,
            self.boards as f64 / seconds,
            self.memory,
            self.children
        );
        let _ = std::io::stdout().flush();
    }
}

const PROGRAM: &str = "print(1+1)";
const LOOK: Duration = Duration::from_millis(50);
/// Memory of a jailed MicroPython, in kB, with a margin.
const BOARD_MEMORY: u64 = 40 << 10;
