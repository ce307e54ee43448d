//! The parser beside a plain pass over the lines, on the same 16 MiB, in the same run.
//!
//! `cargo run --release -p flylead-tests --bin bench_agent`

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use flylead_core::agent::{MESSAGE_LIMIT, Reading, parse};

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
}

fn measure(name: &str, message: &str) {
    let lines = best(|| message.lines().filter(|line| !line.is_empty()).count());
    let parsed = best(|| {
        parse(message, Reading::default())
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
