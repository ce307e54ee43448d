//! Lines that spoil names, and boards that talk while they are asked: what is done is what was asked, or it failed.

use std::{collections::BTreeSet, fs, path::Path, thread};

use fastrand::Rng;
use flylead_core::board::{Answer, Error, Request};
use flylead_tests::boards::{Blow, Faults, Files, Strike, UnixBoard, Wire};

use crate::{
    common::{names, open, random, read, write},
    faults::impatient,
};

const BOARDS: u64 = 8;

/// Each flip hits one bit somewhere in the program that is sent; the files beside are named as a flip would name them.
#[test]
fn a_name_that_the_line_has_spoiled_changes_no_other_file() {
    let boards = (0..BOARDS).map(|seed| thread::spawn(move || Flips::new(seed).run(24)));
    for board in boards.collect::<Vec<_>>() {
        board.join().expect("each board keeps the promise");
    }
}

struct Flips {
    rng: Rng,
    board: UnixBoard,
    wire: Wire,
    files: Files,
}

impl Flips {
    fn new(seed: u64) -> Self {
        let board = UnixBoard::start();
        let wire = Wire::attach(board.path(), Faults::default());
        let files = Files::open(wire.path(), impatient());
        let mut flips = Self {
            rng: Rng::with_seed(seed),
            board,
            wire,
            files,
        };
        flips.settle();
        flips
    }

    fn run(mut self, rounds: usize) {
        for round in 0..rounds {
            let before = self.prepare();
            let (request, after) = self.choose(&before);
            let place = self.strike();
            self.files.begin(request.clone());
            let answer = self.files.answer();
            self.wire.mend();
            self.settle();
            let now = in_folder(&self.board.flash());
            let what = format!("round {round}, {request}, flip at {place}: {answer:?}");
            assert!(
                now == after || answer.is_err() && now == before,
                "{what}: {now:?}"
            );
        }
    }

    /// `one`, and everything that one flipped bit makes of it.
    fn prepare(&self) -> BTreeSet<String> {
        let flash = self.board.flash();
        for name in in_folder(&flash) {
            let path = flash.join(name);
            fs::remove_file(&path)
                .or_else(|_| fs::remove_dir(&path))
                .expect("the folder is ours");
        }
        for name in neighbors("one") {
            fs::write(flash.join(name), "kept").expect("the folder is ours");
        }
        in_folder(&flash)
    }

    fn choose(&mut self, before: &BTreeSet<String>) -> (Request, BTreeSet<String>) {
        let mut after = before.clone();
        let path = String::from("one");
        let request = match self.rng.u8(0..4) {
            0 => Request::Remove { path },
            1 => Request::RemoveTree { path },
            2 => Request::Touch { path: "new".into() },
            _ => Request::Rename {
                from: path,
                to: "new".into(),
            },
        };
        if !matches!(request, Request::Touch { .. }) {
            after.remove("one");
        }
        if matches!(request, Request::Touch { .. } | Request::Rename { .. }) {
            after.insert("new".into());
        }
        (request, after)
    }

    fn strike(&mut self) -> usize {
        // The names come first, behind the three bytes that ask for raw-paste mode.
        let after = match self.rng.bool() {
            true => self.rng.usize(3..30),
            false => self.rng.usize(3..350),
        };
        let blow = Blow::Flip(self.rng.u8(0..7));
        self.wire.strike(Strike {
            to_board: true,
            after,
            blow,
        });
        after
    }

    /// The board answers again, on a new line if it has to be.
    fn settle(&mut self) {
        for _ in 0..20 {
            if !self.files.is_over() && self.files.ask(read("none")) == Err(Error::NotFound) {
                return;
            }
            self.wire = Wire::attach(self.board.path(), Faults::default());
            self.files = Files::open(self.wire.path(), impatient());
        }
        panic!("the board does not answer");
    }
}

fn neighbors(name: &str) -> BTreeSet<String> {
    let flips = (0..name.len()).flat_map(|at| (0..7).map(move |bit| (at, bit)));
    let flipped = flips.map(|(at, bit)| {
        let mut bytes = name.as_bytes().to_vec();
        bytes[at] ^= 1 << bit;
        bytes
    });
    let is_name = |bytes: &Vec<u8>| bytes.iter().all(u8::is_ascii_alphanumeric);
    let mut names: BTreeSet<String> = flipped
        .filter(is_name)
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect();
    names.insert(name.into());
    names
}

fn in_folder(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder is ours").flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Simulates output of a timer or a second thread.
#[test]
fn what_a_babbling_board_answers_is_right_or_refused() {
    let board = UnixBoard::start();
    let content = random(9, 3000);
    let mut quiet = open(board.path());
    quiet.must(write("a", &content));
    let entries = quiet.must(Request::Tree {
        path: String::new(),
        hashes: true,
    });
    drop(quiet);
    let mut right = 0;
    for seed in 0..12 {
        let faults = Faults {
            seed,
            babble: 1500,
            ..Faults::default()
        };
        let wire = Wire::attach(board.path(), faults);
        let mut files = Files::open(wire.path(), impatient());
        let tree = Request::Tree {
            path: String::new(),
            hashes: true,
        };
        for (request, expected) in [
            (tree, entries.clone()),
            (read("a"), Answer::Bytes(content.clone())),
        ] {
            match files.is_over().then_some(()) {
                None => files.begin(request),
                Some(()) => break,
            }
            if let Ok(answer) = files.answer() {
                assert!(answer == expected, "seed {seed}: {answer:?}");
                right += 1;
            }
        }
    }
    assert!(right > 0, "nothing came through");
}

/// Slow enough that the board packs what it sends, as far as it can.
#[test]
fn a_slow_line_carries_any_content_both_ways() {
    let board = UnixBoard::start();
    let faults = Faults {
        baud: Some(1_000_000),
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let mut files = open(wire.path());
    let text = "for i in range(10):\n    print('the same again')\n".repeat(900);
    let mixed = [&random(1, 20_000), text.as_bytes(), &[0; 20_000]].concat();
    for content in [&b""[..], b"x", text.as_bytes(), &random(2, 40_000), &mixed] {
        files.must(write("a", content));
        assert!(files.must(read("a")) == Answer::Bytes(content.to_vec()));
    }
}

/// The joined file is made beside the old one.
#[test]
fn a_board_that_restarts_while_it_appends_has_the_old_file_or_the_longer_one() {
    let board = UnixBoard::start();
    let mut old = random(4, 60_000);
    let mut files = open(board.path());
    files.must(write("log", &old));
    for round in 0..10_u64 {
        let data = random(round, 500);
        let longer = [&old[..], &data].concat();
        files.begin(Request::Append {
            path: "log".into(),
            data,
        });
        files.pass(std::time::Duration::from_millis(round));
        board.reset();
        let answer = files.answer();
        let now = (0..20).find_map(|_| {
            files = Files::open(board.path(), impatient());
            files.ask(read("log")).ok()
        });
        let grew = now == Some(Answer::Bytes(longer.clone()));
        let stayed = now == Some(Answer::Bytes(old.clone()));
        assert!(
            grew || stayed && answer.is_err(),
            "round {round}: {answer:?}"
        );
        if grew {
            old = longer;
        }
        assert!(old.len() < 1 << 16, "longer files are made longer in place");
    }
    drop(files);
    let mut files = open(board.path());
    files.must(Request::Append {
        path: "log".into(),
        data: b"end".to_vec(),
    });
    let Answer::Entries(entries) = files.must(Request::List {
        path: String::new(),
        times: false,
    }) else {
        panic!("no entries")
    };
    assert_eq!(names(&entries), ["log"]);
}
