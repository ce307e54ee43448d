//! `flylead fs` beside mpremote and belay: whole processes, in turn, on the same board in the same run. What arrived is
//! compared byte for byte.
//!
//! `cargo xtask bench files` builds what is needed first, and takes half an hour, nearly all of it mpremote's.
//! `small`, `tree`, `slow` or `large` is one part of it. `FLYLEAD_BEFORE` names the command of another build, which takes its
//! turn, too.

mod board;
mod content;
mod row;
mod tool;

use std::{env, fs, process::exit, time::Duration};

use flylead_tests::boards::{Faults, UnixBoard, Wire};

use board::Bench;
use content::Kind;
use row::{Rounds, Row, Way};
use tool::Tool;

fn main() {
    let part = env::args().nth(1).unwrap_or_default();
    let wants = |name: &str| part.is_empty() || part == name;
    if wants("small") {
        as_fast_as_it_goes(
            256 * KIB,
            Rounds {
                all: 3,
                flylead: 45,
            },
        );
    }
    if wants("tree") {
        many_small_files();
    }
    if wants("slow") {
        at_115200_baud();
    }
    // The other tools need minutes for each.
    if wants("large") {
        as_fast_as_it_goes(4096 * KIB, Rounds { all: 1, flylead: 5 });
    }
}

const KIB: usize = 1024;

fn as_fast_as_it_goes(size: usize, rounds: Rounds) {
    println!(
        "\n{} KiB to and from MicroPython's unix port behind a pty, {} times, {} times by flylead\n",
        size / KIB,
        rounds.all,
        rounds.flylead,
    );
    let bench = Bench::new(UnixBoard::start(), None);
    Row::head();
    for kind in [Kind::Random, Kind::Source] {
        for way in [Way::Up, Way::Down] {
            Row::measure(&bench, kind, way, size, rounds).print(None);
        }
    }
}

const BAUD: u32 = 115_200;

fn at_115200_baud() {
    println!("\nthe same at {BAUD} baud, ten bits a byte\n");
    let board = UnixBoard::start();
    let faults = Faults {
        baud: Some(BAUD),
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let bench = Bench::new(board, Some(wire));
    Row::head();
    for kind in [Kind::Random, Kind::Source] {
        for way in [Way::Up, Way::Down] {
            let once = Rounds { all: 1, flylead: 1 };
            let row = Row::measure(&bench, kind, way, 256 * KIB, once);
            row.print(Some(f64::from(BAUD) / 10.0));
        }
    }
}

const FILES: usize = 100;
const ROUNDS: usize = 5;
/// By flylead, for each round.
const OFTEN: usize = 6;

fn many_small_files() {
    println!(
        "\na directory of {FILES} files of 1 KiB, {ROUNDS} times, {} times by flylead\n",
        ROUNDS * OFTEN
    );
    let bench = Bench::new(UnixBoard::start(), None);
    let tree = bench.scratch.path().join("tree");
    fs::create_dir(&tree).unwrap_or_else(fail);
    for number in 0..FILES {
        let content = Kind::Random.content(number as u64, KIB);
        fs::write(tree.join(format!("{number:02}.bin")), content).unwrap_or_else(fail);
    }
    let path = tree.display().to_string();
    let ours = Tool::ours();
    let mut copies = vec![Vec::new(); ours.len()];
    let mut syncs = copies.clone();
    let mut peer = Vec::new();
    for _ in 0..ROUNDS {
        for round in 0..OFTEN {
            for (at, &tool) in in_turn(round, ours.iter().enumerate()) {
                copies[at].push(bench.copy_tree(tool, &tree));
                syncs[at].push(bench.time(tool, &["fs", "sync", &path, ":tree"]));
                bench.time(Tool::Flylead, &["fs", "rm", "-r", ":tree"]);
            }
        }
        peer.push(bench.copy_tree(Tool::Mpremote, &tree));
        bench.time(Tool::Flylead, &["fs", "rm", "-r", ":tree"]);
    }
    let copies: Vec<_> = copies.into_iter().map(median).collect();
    for ((tool, copy), sync) in ours.iter().zip(&copies).zip(syncs) {
        println!("{:<15} cp -r   {copy:>8.3} s", tool.name());
        println!("{:<15} sync    {:>8.3} s", tool.name(), median(sync));
    }
    let peer = median(peer);
    println!("{:<15} cp -r   {peer:>8.3} s", Tool::Mpremote.name());
    println!("flylead is {:.0} times as fast", peer / copies[0]);
}

/// Forwards and backwards in turn: who comes second finds the caches warm.
fn in_turn<T>(round: usize, items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<_> = items.collect();
    if round % 2 == 1 {
        items.reverse();
    }
    items
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn fail<T>(fault: impl std::fmt::Display) -> T {
    eprintln!("{fault}");
    exit(1)
}
