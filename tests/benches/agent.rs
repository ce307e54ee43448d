//! The agent's figures: the parser beside a plain pass over the lines, on the same 16 MiB, in the same run; the outbox of
//! a workspace with 10,000 files; and the memory that `yes` takes in its 30 seconds.
//!
//! `cargo xtask bench agent`

use std::{
    fs,
    hint::black_box,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use flylead::{
    agent::{Agent, Home, Location, Settings},
    shell::{self, Limits},
};
use flylead_core::agent::{MESSAGE_LIMIT, ParseOptions, parse};

fn main() {
    println!(
        "{:>8}  {:<22} {:>10} {:>10} {:>7}",
        "MiB", "message", "lines()", "parse()", "ratio"
    );
    for (name, block) in [
        ("files of source code", source()),
        ("prose", prose()),
        ("a file full of tags", tags()),
    ] {
        for size in [MESSAGE_LIMIT / 4, MESSAGE_LIMIT / 2, MESSAGE_LIMIT] {
            measure(name, &message(&block, size));
        }
    }
    match outbox_of_many_files() {
        Ok(took) => println!("\noutbox of {FILES} files: {took:.1?} (aim: under 300 ms)"),
        Err(error) => println!("\noutbox of {FILES} files: {error}"),
    }
    match flood() {
        Ok((printed, grown)) => println!(
            "`yes` for 30 s: {printed} MiB printed, memory grew by {grown:.1} MiB (aim: under 16)"
        ),
        Err(error) => println!("`yes` for 30 s: {error}"),
    }
}

/// The best of five outboxes, from the walk through the folder to the text.
fn outbox_of_many_files() -> Result<Duration, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    for number in 0..FILES {
        let place = folder.path().join(format!("work/d{}", number % 100));
        fs::create_dir_all(&place)?;
        fs::write(place.join(format!("file{number}.rs")), b"fn main() {}\n")?;
    }
    let home = Home::create(&Location {
        workspace: Some(folder.path().join("work").to_string_lossy().into_owned()),
        home: Some(folder.path().join("home")),
        here: false,
    })?;
    let agent = Agent::begin(home, "measure", Settings::default())?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        black_box(agent.outbox()?);
        times.push(start.elapsed());
    }
    Ok(times.into_iter().min().unwrap_or_default())
}

/// How many MiB `yes` printed, and by how many this program grew at most meanwhile.
fn flood() -> Result<(u64, f64), Box<dyn std::error::Error>> {
    let before = resident().unwrap_or_default();
    let limits = Limits {
        timeout: Duration::from_secs(30),
        output: u64::MAX,
        ..Limits::default()
    };
    let running = thread::spawn(move || shell::run("yes", Path::new("/"), limits));
    let mut most = before;
    while !running.is_finished() {
        most = most.max(resident().unwrap_or_default());
        thread::sleep(Duration::from_millis(20));
    }
    let ran = running.join().map_err(|_| "the thread panicked")??;
    let printed = (ran.dropped + ran.output.len() as u64) >> 20;
    Ok((printed, (most - before) as f64 / 1024.0))
}

/// The memory of this process in KiB, where the system says so.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

const FILES: usize = 10_000;

fn measure(name: &str, message: &str) {
    let lines = best(|| message.lines().filter(|line| !line.is_empty()).count());
    let parsed = best(|| {
        parse(message, ParseOptions::default())
            .map(|inbox| inbox.items.len())
            .unwrap_or_default()
    });
    let mib = message.len() as f64 / 1024.0 / 1024.0;
    let ratio = parsed.as_secs_f64() / lines.as_secs_f64();
    println!("{mib:>8.1}  {name:<22} {lines:>10.1?} {parsed:>10.1?} {ratio:>6.2}x");
}

fn best(mut run: impl FnMut() -> usize) -> Duration {
    let mut once = || {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    (0..15).map(|_| once()).min().unwrap_or_default()
}

fn message(block: &str, size: usize) -> String {
    let mut message = block.repeat(size / block.len());
    message.truncate(size);
    message
}

fn source() -> String {
    let line = "    let total = items.iter().map(|item| item.price * item.count).sum::<u64>();\n";
    format!(
        "I write the file.\n[CREATE_FILE path=\"src/main.rs\"]\n{}[/CREATE_FILE]\n",
        line.repeat(400)
    )
}

fn prose() -> String {
    "Then I looked at the build output, which says that the linker was not found.\n\n".into()
}

fn tags() -> String {
    format!(
        "[CREATE_FILE path=\"a.md\"]\n{}[/CREATE_FILE]\n",
        "[RUN_COMMAND]\nls\n[/RUN_COMMAND]\n".repeat(2_000)
    )
}
