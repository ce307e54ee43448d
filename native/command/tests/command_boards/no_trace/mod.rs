//! Each command leaves nothing on a board but what it was asked for.

mod lines;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use flylead_tests::boards::{Kind, is_whole};

use crate::common::{flylead, folder, must, run};
use lines::{ELSEWHERE, lines};

/// A program that uses no name of the board's user and leaves none, with these lines.
fn unseen(lines: &str) -> String {
    let lines = lines.replace('\n', "\n ");
    format!("def __seen__():\n global __seen__\n del __seen__\n {lines}\n__seen__()")
}

/// Visible state of a board, in a line each: names, directory, search path, modules, mounts. An old board has some of
/// them, and lists what it mounts in its root. Where these two modules are written in Python, as on the board of the page,
/// they stay in memory once somebody has worked with files.
const STATE: &str = "\
from builtins import print,sorted,globals,repr,getattr,ImportError,AttributeError
import sys,os
try:
 import binascii
except ImportError:pass
print(sorted((k,repr(v)) for k,v in globals().items()))
try:
 print(os.getcwd())
except AttributeError:pass
print(getattr(sys,'path',0),sorted(getattr(sys,'modules',())))
try:
 import vfs
 print(vfs.mount())
except ImportError:print(getattr(os,'listdir',getattr(os,'ilistdir',0))('/') if sys.platform!='microbit' else 0)";

/// Free memory in bytes, after what calls left on the stack was written over: the collector takes it for pointers.
const MEMORY: &str = "\
from builtins import print
import gc
def deep(n):return n and deep(n-1)
deep(DEPTH)
gc.collect()
print(gc.mem_free())";

/// A board, and the words of its user.
struct Looker<'a> {
    board: &'a Path,
    kind: Kind,
}

impl Looker<'_> {
    fn state(&self) -> String {
        must(self.board, &["exec", &unseen(STATE)])
    }

    /// Free memory, when it is highest: the collector may keep what it takes for alive, until something else is there.
    fn memory(&self, looks: usize) -> i64 {
        let looks = (0..looks).map(|_| self.memory_now());
        looks.max().expect("there is one look")
    }

    fn memory_now(&self) -> i64 {
        let depth = match self.kind {
            Kind::Unix | Kind::Page => "60",
            // Its stack has room for some twenty-five.
            Kind::Pico(_) => "20",
            Kind::Microbit => "1",
        };
        let program = unseen(&MEMORY.replace("DEPTH", depth));
        if self.kind == Kind::Page {
            // This port collects when a program has ended (MicroPython v1.29, ports/webassembly/main.c, `gc_collect`).
            must(self.board, &["exec", &program]);
        }
        let said = must(self.board, &["exec", &program]);
        said.trim().parse().expect("a number")
    }

    /// Difference between readings of free memory with a program between them that does nothing, in bytes.
    fn noise(&self) -> i64 {
        let readings: Vec<_> = (0..6)
            .map(|_| {
                must(self.board, &["exec", "pass"]);
                self.memory_now()
            })
            .collect();
        let most = readings.iter().max().expect("there are six");
        most - readings.iter().min().expect("there are six")
    }
}

/// Every word of the programs that go to boards, and the built-in functions that they use.
fn names() -> BTreeSet<String> {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src");
    let mut text = String::from("_t sys _b _a _d _w _q _f _p _u _fl _fm _s _z _m vfs machine");
    for folder in [
        "channel/python",
        "board/python",
        "board/python/change",
        "board/python/quick",
        "board/python/stream",
        "mount/python",
    ] {
        for file in fs::read_dir(core.join(folder)).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|ending| ending == "py") {
                text += &fs::read_to_string(file).unwrap();
            }
        }
    }
    for file in [
        "raw_repl/sending/loading.rs",
        "board/jobs/receiver.rs",
        "board/jobs/query.rs",
    ] {
        text += &fs::read_to_string(core.join(file)).unwrap();
    }
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let is_name = |word: &&str| {
        !word.is_empty() && !word.starts_with("__") && !word.as_bytes()[0].is_ascii_digit()
    };
    let words: BTreeSet<_> = words.filter(is_name).map(str::to_owned).collect();
    for name in [
        "open", "len", "exec", "print", "bytes", "_path", "_say", "rd", "OSError",
    ] {
        assert!(words.contains(name), "{name}");
    }
    words
}

/// Gives the user of the board these names.
fn occupy(board: &Path, names: &[String]) {
    for some in names.chunks(100) {
        let list = format!("{some:?}");
        let lines =
            format!("from builtins import globals\ng=globals()\nfor n in {list}:g[n]='mine '+n");
        must(board, &["exec", &unseen(&lines)]);
    }
}

/// The names that the board's user has taken: all, or as many as a small board has memory for, those of built-in
/// functions first.
fn taken(kind: Kind) -> Vec<String> {
    let names = names();
    let first = [
        "open", "len", "exec", "print", "bytes", "sys", "_t", "_w", "rd", "OSError", "uos",
    ];
    match kind {
        // Its own `open`, which counts the bytes of its disk, finds built-in functions among the user's names.
        Kind::Page => Vec::new(),
        Kind::Unix | Kind::Pico(_) => names.into_iter().collect(),
        Kind::Microbit => first.map(str::to_owned).to_vec(),
    }
}

fn leaves_nothing(kind: Kind) {
    let board = kind.start();
    let board = board.path();
    let home = folder();
    let looker = Looker { board, kind };
    // A reset leaves a directory, and not where the user is.
    if kind.is_modern() {
        must(board, &["exec", "import os;os.mkdir('d');del os"]);
    }
    let fresh = looker.state();
    if kind.is_modern() {
        must(board, &["exec", "import os;os.chdir('d');del os"]);
    }
    occupy(board, &taken(kind));
    let noise = looker.noise() + BLOCKS;
    println!(
        "{kind}: free memory differs by {} bytes when nothing was done",
        noise - BLOCKS
    );
    assert!(noise <= LARGEST_NOISE, "{kind}: {noise} bytes");
    let lines = lines(&home, board, kind);
    let before = looker.state();
    let rounds = if is_whole() || !matches!(kind, Kind::Pico(_)) {
        2
    } else {
        1
    };
    for round in 0..rounds {
        for line in &lines {
            let free = looker.memory(1);
            line.run(board, kind);
            assert_eq!(looker.state(), before, "{kind}: {line:?}");
            // The first time, what the board keeps forever of each new name is in it.
            if round > 0 {
                let mut left = free - looker.memory(1);
                if left > noise {
                    left = left.min(free - looker.memory(5));
                }
                assert!(
                    left <= noise,
                    "{kind}: {line:?}: {left} bytes, and the noise is {noise}"
                );
            }
        }
    }
    let (code, _, stderr) = run(flylead(board, &["reset"]));
    assert_eq!(code, 0, "{kind}: reset: {stderr}");
    // The old board imports its modules for people when it is switched on, and not after a reset by a program.
    if kind.is_modern() {
        assert_eq!(looker.state(), fresh, "{kind}: reset");
    }
}

/// Some of the collector's blocks, beside the noise: what it takes for a pointer differs with what ran before.
const BLOCKS: i64 = 128;
/// Limit of what is taken for noise, in bytes: a buffer or a function is larger.
const LARGEST_NOISE: i64 = 256;

#[test]
fn no_command_leaves_a_name_a_directory_a_mount_or_memory_on_the_unix_port() {
    leaves_nothing(Kind::Unix);
}

#[test]
fn no_command_leaves_a_name_or_memory_on_a_microbit() {
    leaves_nothing(Kind::Microbit);
}

#[test]
fn no_command_leaves_a_name_a_directory_a_mount_or_memory_on_the_board_of_the_page() {
    leaves_nothing(Kind::Page);
}

#[test]
#[ignore = "it needs a firmware image: cargo xtask test pico"]
fn no_command_leaves_a_name_a_directory_a_mount_or_memory_on_a_pico() {
    Kind::picos().for_each(leaves_nothing);
}

#[test]
fn every_command_is_among_those_that_are_looked_at() {
    let help = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command.args(words).arg("--help");
        run(command).1
    };
    let listed = |help: &str| {
        let (_, rest) = help.split_once("Commands:\n").expect("it has commands");
        let lines = rest.lines().take_while(|line| !line.is_empty());
        let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        let names = names.filter(|name| !["", "help", "fs"].contains(name));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let home = folder();
    let lines = lines(&home, &PathBuf::from("/dev/null"), Kind::Unix);
    let looked_at = |name: &String| lines.iter().any(|line| line.is_of(name));
    let elsewhere = |name: &String| ELSEWHERE.iter().any(|(other, _)| other == name);
    for name in [listed(&help(&[])), listed(&help(&["fs"]))].concat() {
        assert!(looked_at(&name) != elsewhere(&name), "{name}");
    }
}
