//! `flylead fs` beside mpremote and belay: whole processes, in turn, on the same board in the same run. What arrived is
//! compared byte for byte.
//!
//! `cargo xtask bench files` builds what is needed first, and takes half an hour, nearly all of it mpremote's.
//! `small`, `tree`, `slow` or `large` is one part of it. `FLYLEAD_BEFORE` names the command of another build, which takes its
//! turn, too.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, exit},
    time::{Duration, Instant},
};

use flylead_tests::{
    bench::{flylead, flylead_before},
    boards::{Faults, UnixBoard, Wire, venv},
};

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

/// How often a file is sent. What takes a hundredth of a second is sent more often than what takes seconds.
#[derive(Clone, Copy)]
struct Rounds {
    all: usize,
    /// A multiple of those.
    flylead: usize,
}

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
            let mut order: Vec<_> = ours.iter().enumerate().collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for (at, &tool) in order {
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Random,
    Source,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Source => "source",
        }
    }

    /// Another content for each seed, so that no tool can skip what is there already.
    fn content(self, seed: u64, size: usize) -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(seed);
        match self {
            Self::Random => {
                let mut bytes = vec![0; size];
                rng.fill(&mut bytes);
                bytes
            }
            Self::Source => source(&mut rng, size),
        }
    }
}

/// The Python sources of the tools themselves, from a different one on for each seed.
fn source(rng: &mut fastrand::Rng, size: usize) -> Vec<u8> {
    let mut files = Vec::new();
    sources(&venv().join("lib"), &mut files);
    files.sort();
    let first = rng.usize(..files.len());
    let mut text = Vec::new();
    for file in files[first..].iter().chain(&files).cycle() {
        text.extend(fs::read(file).unwrap_or_else(fail));
        if text.len() >= size {
            break;
        }
    }
    text.truncate(size);
    text
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(fail).flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            found.push(path);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Flylead,
    /// Another build of it.
    Before,
    Mpremote,
    /// It sends folders, and only to a board.
    Belay,
}

impl Tool {
    fn ours() -> Vec<Self> {
        let before = flylead_before().map(|_| Self::Before);
        [Self::Flylead].into_iter().chain(before).collect()
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Flylead => "flylead",
            Self::Before => "flylead, before",
            Self::Mpremote => "mpremote",
            Self::Belay => "belay",
        }
    }

    fn command(self, port: &str, words: &[&str]) -> Command {
        let (program, first) = match self {
            Self::Flylead => (flylead(), vec!["-p", port]),
            Self::Before => (flylead_before().unwrap_or_default(), vec!["-p", port]),
            Self::Mpremote => (venv().join("bin/mpremote"), vec!["connect", port, "resume"]),
            Self::Belay => (venv().join("bin/python"), vec!["-c", BELAY]),
        };
        let mut command = Command::new(program);
        command.args(first).args(words);
        command
    }
}

/// Belay resets the board first, which the unix port takes for its end; without that it works.
const BELAY: &str = "import sys
from belay import pyboard
enter = pyboard.Pyboard.enter_raw_repl
pyboard.Pyboard.enter_raw_repl = lambda board, soft_reset=True: enter(board, False)
from belay.cli.main import run_app
sys.exit(run_app())";

/// It also wants names that the unix port's module does not have.
const MACHINE: &str = "import sys
class M: Pin = ADC = PWM = I2C = SPI = UART = Timer = object
sys.modules['machine'] = M";

/// One board and what is to be sent to it.
struct Bench {
    board: UnixBoard,
    wire: Option<Wire>,
    scratch: tempfile::TempDir,
}

impl Bench {
    fn new(board: UnixBoard, wire: Option<Wire>) -> Self {
        let bench = Self {
            board,
            wire,
            scratch: tempfile::tempdir().unwrap_or_else(fail),
        };
        bench.time(Tool::Flylead, &["exec", MACHINE]);
        bench
    }

    fn port(&self) -> String {
        let path = self.wire.as_ref().map_or(self.board.path(), Wire::path);
        path.display().to_string()
    }

    /// How long the whole process takes.
    fn time(&self, tool: Tool, words: &[&str]) -> Duration {
        let mut command = tool.command(&self.port(), words);
        let start = Instant::now();
        let output = command.output().unwrap_or_else(fail);
        let time = start.elapsed();
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            fail::<()>(format!("{} {words:?}: {errors}", tool.name()));
        }
        time
    }

    /// Sends a file; the time of it when it is whole on the board, and nothing of it is left.
    fn up(&self, tool: Tool, content: &[u8]) -> Duration {
        let folder = self.scratch.path().join("up");
        fs::create_dir_all(&folder).unwrap_or_else(fail);
        let file = folder.join("data");
        fs::write(&file, content).unwrap_or_else(fail);
        let (file, folder) = (file.display().to_string(), folder.display().to_string());
        let port = self.port();
        let time = match tool {
            Tool::Belay => self.time(tool, &["sync", &port, &folder, "--dst", "/flash"]),
            _ => self.time(tool, &["fs", "cp", &file, ":data"]),
        };
        self.check(tool, &self.board.flash().join("data"), content);
        let _ = fs::remove_file(self.board.flash().join("data"));
        time
    }

    /// Fetches a file.
    fn down(&self, tool: Tool, content: &[u8]) -> Duration {
        let there = self.board.flash().join("data");
        fs::write(&there, content).unwrap_or_else(fail);
        // The board is another user, if this is run by root.
        fs::set_permissions(&there, fs::Permissions::from_mode(0o666)).unwrap_or_else(fail);
        let here = self.scratch.path().join("down");
        let _ = fs::remove_file(&here);
        let time = self.time(tool, &["fs", "cp", ":data", &here.display().to_string()]);
        self.check(tool, &here, content);
        let _ = fs::remove_file(there);
        time
    }

    fn check(&self, tool: Tool, file: &Path, content: &[u8]) {
        if fs::read(file).unwrap_or_else(fail) != content {
            fail::<()>(format!("{}: the copy is not the original", tool.name()));
        }
    }

    /// Sends a directory; the time of it when it is whole on the board.
    fn copy_tree(&self, tool: Tool, tree: &Path) -> Duration {
        let path = tree.display().to_string();
        let time = self.time(tool, &["fs", "cp", "-r", &path, ":/flash"]);
        self.compare_trees(tree, &self.board.flash().join("tree"));
        time
    }

    fn compare_trees(&self, one: &Path, other: &Path) {
        let entries = fs::read_dir(one).unwrap_or_else(fail);
        for entry in entries.flatten() {
            let content = fs::read(entry.path()).unwrap_or_else(fail);
            self.check(Tool::Flylead, &other.join(entry.file_name()), &content);
        }
    }
}

/// What one content took by each tool.
struct Row {
    kind: Kind,
    way: Way,
    size: usize,
    /// In bytes a second.
    rates: Vec<(Tool, f64)>,
}

impl Row {
    fn measure(bench: &Bench, kind: Kind, way: Way, size: usize, rounds: Rounds) -> Self {
        let mut tools = Tool::ours();
        tools.push(Tool::Mpremote);
        if way == Way::Up {
            tools.push(Tool::Belay);
        }
        let mut times = vec![Vec::new(); tools.len()];
        for round in 0..rounds.flylead {
            let is_for_all = round % (rounds.flylead / rounds.all) == 0;
            let content = kind.content(round as u64, size);
            // Who comes second finds the caches warm.
            let mut order: Vec<_> = tools.iter().zip(&mut times).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for (&tool, times) in order {
                if matches!(tool, Tool::Mpremote | Tool::Belay) && !is_for_all {
                    continue;
                }
                times.push(match way {
                    Way::Up => bench.up(tool, &content),
                    Way::Down => bench.down(tool, &content),
                });
            }
        }
        let rates = times.into_iter().map(|times| size as f64 / median(times));
        let rates = tools.into_iter().zip(rates).collect();
        Self {
            kind,
            way,
            size,
            rates,
        }
    }

    fn rate(&self, tool: Tool) -> Option<f64> {
        let found = self.rates.iter().find(|(of, _)| *of == tool);
        found.map(|(_, rate)| *rate)
    }

    fn head() {
        println!(
            "{:<20} {:>12} {:>12} {:>12} {:>10} {:>10}",
            "KB/s, medians", "flylead", "mpremote", "belay", "mpremote", "belay"
        );
    }

    /// The rates and their ratios; or the share of a line's rate, if it is known.
    fn print(&self, line: Option<f64>) {
        let name = format!(
            "{} KiB {} {}",
            self.size / KIB,
            self.kind.name(),
            self.way.name()
        );
        let flylead = self.rate(Tool::Flylead).unwrap_or_default();
        let rate = |tool| {
            let rate = self.rate(tool);
            rate.map_or(String::new(), |rate| format!("{:.1}", rate / 1000.0))
        };
        let times = |tool| {
            let rate = self.rate(tool);
            rate.map_or(String::new(), |rate| format!("× {:.1}", flylead / rate))
        };
        println!(
            "{name:<20} {:>12} {:>12} {:>12} {:>10} {:>10}{}{}",
            rate(Tool::Flylead),
            rate(Tool::Mpremote),
            rate(Tool::Belay),
            times(Tool::Mpremote),
            times(Tool::Belay),
            line.map_or(String::new(), |line| format!(
                "   {:.1} % of the line",
                100.0 * flylead / line
            )),
            self.rate(Tool::Before).map_or(String::new(), |_| format!(
                "   before: {}",
                rate(Tool::Before)
            )),
        );
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn fail<T>(fault: impl std::fmt::Display) -> T {
    eprintln!("{fault}");
    exit(1)
}
