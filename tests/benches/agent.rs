//! The agent's figures: the parser beside a plain pass over the lines, on the same 16 MiB, in the same run; the outbox of
//! a workspace with 10,000 files; what the sandbox adds to `true`, and
//! the view to that; and the memory that `yes` takes in its 30 seconds.
//!
//! `cargo xtask bench agent`, and `cargo xtask bench agent sandbox` for one of `parse`, `outbox`, `sandbox`, `view`, `flood`

use std::{
    env, fs,
    hint::black_box,
    io,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use flylead_core::agent::{MESSAGE_LIMIT, ParseOptions, parse};
use flylead_native::{
    agent::{Agent, Home, Location, Settings},
    shell::{self, Limits, Mounts, Sandbox},
    workspace::{Confinement, Folder, Rights, Workspace},
};

fn main() {
    let wanted = env::args().nth(1);
    for (name, section) in SECTIONS {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            section();
        }
    }
}

const SECTIONS: [(&str, fn()); 5] = [
    ("parse", print_parse),
    ("outbox", print_outbox),
    ("sandbox", print_sandbox),
    ("view", print_view),
    ("flood", print_flood),
];

fn print_parse() {
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
}

fn print_outbox() {
    match outbox_of_many_files() {
        Ok(took) => println!("outbox of {FILES} files: {took:.1?} (aim: under 300 ms)"),
        Err(error) => println!("outbox of {FILES} files: {error}"),
    }
}

fn print_sandbox() {
    match sandboxed() {
        Ok([plain, sandboxed]) => println!(
            "`true`, median of {ROUNDS}: {plain:.1?} without a sandbox, {sandboxed:.1?} in it, {:.1?} more (aim: under 15 ms)",
            sandboxed.saturating_sub(plain)
        ),
        Err(error) => println!("`true` in the sandbox: {error}"),
    }
}

fn print_view() {
    match viewed() {
        Ok([plain, overlay, copy]) => println!(
            "`true` in a folder of {FILES} files, median of {ROUNDS}: {plain:.1?} in the sandbox alone, {overlay:.1?} with an \
             overlay, {:.1?} more (aim: under 25 ms); {copy:.1?} with a copy",
            overlay.saturating_sub(plain)
        ),
        Err(error) => println!("`true` in a view: {error}"),
    }
}

fn print_flood() {
    match flood() {
        Ok((printed, grown)) => println!(
            "`yes` for 30 s: {printed} MiB printed, memory grew by {grown:.1} MiB (aim: under 16)"
        ),
        Err(error) => println!("`yes` for 30 s: {error}"),
    }
}

/// Best time of five outboxes, from the walk through the folder to the text.
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

/// Measures `true` without a sandbox and in it, in a repository, in turn: other work of the
/// computer slows down both.
fn sandboxed() -> Result<[Duration; 2], Box<dyn std::error::Error>> {
    let top = tempfile::tempdir()?;
    let work = top.path().join("work");
    let made = Command::new("git")
        .args(["init", "-q"])
        .arg(&work)
        .status()?;
    if !made.success() {
        return Err("git makes no repository".into());
    }
    let open = |confinement, own: &str| confined(&work, confinement, top.path().join(own));
    let folders = [
        open(Confinement::None, "none")?,
        open(Confinement::Bubblewrap, "own")?,
    ];
    let undo = top.path().join("undo");
    // The first command looks whether there is a sandbox.
    for folder in &folders {
        folder.run("true", &undo)?;
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (folder, times) in folders.iter().zip(&mut times) {
            let start = Instant::now();
            let ran = folder.run("true", &undo)?;
            times.push(start.elapsed());
            if !ran.success {
                return Err(ran.summary.into());
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    }))
}

/// Opens a folder whose commands run so, with a folder of their own beside it.
fn confined(work: &Path, confinement: Confinement, own: PathBuf) -> io::Result<Folder> {
    fs::create_dir_all(&own)?;
    let rights = Rights {
        confinement,
        own: Some(own),
        ..Rights::default()
    };
    Ok(Folder::open(work)?.with_rights(rights))
}

/// Measures `true` in a sandbox around a folder with many files: in the folder itself, in an overlay of it, and in a copy.
fn viewed() -> Result<[Duration; 3], Box<dyn std::error::Error>> {
    let top = tempfile::tempdir()?;
    let (work, undo) = (top.path().join("work"), top.path().join("undo"));
    for number in 0..FILES {
        let place = work.join(format!("d{}", number % 100));
        fs::create_dir_all(&place)?;
        fs::write(place.join(format!("file{number}.rs")), b"fn main() {}\n")?;
    }
    let open = |confinement, own: &str| confined(&work, confinement, top.path().join(own));
    let sandbox = Sandbox::bubblewrap(&work, &shell::Options::default())?;
    let mounts = Mounts::default();
    // Landlock mounts nothing, so it needs a copy.
    let overlay = open(Confinement::Bubblewrap, "own")?;
    let copy = open(Confinement::Landlock, "copies")?;
    let plain =
        || shell::run_in("true", &work, Limits::default(), Some((&sandbox, &mounts))).map(drop);
    let overlay = || overlay.run("true", &undo).map(drop);
    let copy = || copy.run("true", &undo).map(drop);
    let runs: [(&dyn Fn() -> io::Result<()>, usize); 3] =
        [(&plain, ROUNDS), (&overlay, ROUNDS), (&copy, COPIES)];
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    // The first command looks whether there is a sandbox and an overlay.
    for round in 0..=ROUNDS {
        for ((run, rounds), times) in runs.iter().zip(&mut times) {
            let start = Instant::now();
            if round <= *rounds {
                run()?;
            }
            if (1..=*rounds).contains(&round) {
                times.push(start.elapsed());
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    }))
}

/// Returns the MiB that `yes` printed, and the largest growth of this program meanwhile.
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
const ROUNDS: usize = 41;
const COPIES: usize = 5;

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
