//! `flylead` beside mpremote on three kinds of board: whole processes, in turn, with the bytes that go each way.
//!
//! `cargo xtask bench boards` builds what is needed first, and takes the better part of an hour, nearly all of it mpremote's on the
//! emulated Pico. `pico`, `microbit` or `unix` is one board of them; a number says how many rounds, and any other word picks the
//! lines that have it in their name: `cargo xtask bench boards -- pico 3 ls`. Each line goes into the table of its board in
//! `tests/benches/README.md`, in place of an earlier one.

mod board;
mod content;
mod line;
mod report;
mod task;

use std::{env, process::exit};

use board::{Bench, Kind};
use line::Line;
use report::Report;
use task::Task;

fn main() {
    let wanted = Wanted::read(env::args().skip(1));
    for kind in Kind::ALL {
        if wanted.boards.is_empty() || wanted.boards.contains(&kind) {
            measure(kind, &wanted);
        }
    }
}

/// Selection by the words of the command line.
#[derive(Default)]
struct Wanted {
    boards: Vec<Kind>,
    rounds: Option<usize>,
    lines: Vec<String>,
}

impl Wanted {
    fn read(words: impl Iterator<Item = String>) -> Self {
        let mut wanted = Self::default();
        for word in words {
            if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.word() == word) {
                wanted.boards.push(kind);
            } else if let Ok(rounds) = word.parse() {
                wanted.rounds = Some(rounds);
            } else {
                wanted.lines.push(word);
            }
        }
        wanted
    }

    fn has(&self, task: &Task) -> bool {
        let name = task.name();
        self.lines.is_empty() || self.lines.iter().any(|line| name.contains(line))
    }
}

fn measure(kind: Kind, wanted: &Wanted) {
    println!("\n{}\n", kind.title());
    let bench = match Bench::start(kind) {
        Ok(bench) => bench,
        Err(reason) => return println!("NOT RUN: {}: {reason}", kind.word()),
    };
    let head = Line::head(kind);
    println!("{}\n{}", head[0], head[1]);
    let report = Report { kind, head };
    for task in Task::all().into_iter().filter(|task| wanted.has(task)) {
        let rounds = wanted.rounds.unwrap_or(task.rounds(kind)).max(1);
        let row = Line::measure(&bench, &task, rounds).row(kind);
        println!("{row}");
        report.put(row);
    }
}

fn fail<T>(fault: impl std::fmt::Display) -> T {
    eprintln!("{fault}");
    exit(1)
}
