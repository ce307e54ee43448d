//! Transfers over a line that is struck once in each: seeded, so that a failure can be had again.
//!
//! `FLYLEAD_FAULT_TRANSFERS` changes how many there are, `FLYLEAD_FAULT_SEED` begins elsewhere.

use std::{collections::BTreeMap, env, fs, thread, time::Duration};

use fastrand::Rng;
use flylead_core::board::{Answer, Config, Error, Request};
use flylead_tests::boards::{Blow, Faults, Files, Strike, UnixBoard, Wire};

use crate::common::{random, read, write};

/// They mostly wait, so there are more than the machine has cores. Every other one has a link for text alone.
const BOARDS: u64 = 48;
const TRANSFERS: u64 = 2000;

#[test]
fn a_transfer_over_a_bad_line_is_done_or_leaves_the_old_file() {
    let transfers = number("FLYLEAD_FAULT_TRANSFERS").unwrap_or(TRANSFERS);
    let seed = number("FLYLEAD_FAULT_SEED").unwrap_or(1);
    let trial = |board| move || Trial::new(seed + board).run(transfers.div_ceil(BOARDS));
    let runs: Vec<_> = (0..BOARDS)
        .map(|board| thread::spawn(trial(board)))
        .collect();
    let mut tally = Tally::default();
    for run in runs {
        tally.add(run.join().expect("each board keeps the promise"));
    }
    tally.print();
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

/// One board under one bad line.
struct Trial {
    rng: Rng,
    seed: u64,
    board: UnixBoard,
    wire: Wire,
    files: Files,
    /// Content of the board's file, as far as the host knows.
    old: Vec<u8>,
    tally: Tally,
}

impl Trial {
    fn new(seed: u64) -> Self {
        let board = UnixBoard::with_small_disk();
        let mut patient = Files::open(board.path(), Config::default());
        patient.must(write("a", b"old"));
        patient.must(write(SMALL, b"old"));
        drop(patient);
        let (wire, files) = connect(&board, seed);
        let mut trial = Self {
            rng: Rng::with_seed(seed),
            seed,
            board,
            wire,
            files,
            old: b"old".to_vec(),
            tally: Tally::default(),
        };
        trial.recover("at the start");
        trial
    }

    fn run(mut self, transfers: u64) -> Tally {
        for round in 0..transfers {
            let place = format!("seed {}, round {round}", self.seed);
            if self.rng.u8(..) < 10 {
                self.fill(&place);
            } else {
                self.round(&place);
            }
        }
        self.tally
    }

    /// More than the board has room for.
    fn fill(&mut self, place: &str) {
        let answer = self.files.ask(write(SMALL, &random(self.seed, 120_000)));
        if answer != Err(Error::NoSpace) {
            // A very busy machine makes the board give up the host sooner.
            assert_eq!(answer, Err(Error::Stalled), "{place}");
            self.settle(place);
        }
        let there = self.read_back(SMALL, place);
        assert!(there == b"old", "{place}: not the old file");
        self.tally.count("no space", "failed, old");
        self.recover(place);
    }

    fn round(&mut self, place: &str) {
        let size = *self
            .rng
            .choice(&[0, 100, 3000, 30_000])
            .expect("there are four");
        let new = random(self.rng.u64(..), size);
        let up = self.rng.bool();
        let request = if up { write("a", &new) } else { read("a") };
        let name = self.plan(up, if up { size } else { self.old.len() });
        let place = format!("{place}, {name}, up {up}, {size} bytes");
        let (answer, hit) = self.transfer(name, request);
        if answer.is_none() {
            self.reconnect();
        }
        let fate = self.check(&place, up, &answer, new);
        self.tally.count(name, if hit { fate } else { "missed" });
        self.recover(&place);
    }

    /// Plans a blow somewhere in a transfer of so many bytes, and names it.
    fn plan(&mut self, up: bool, size: usize) -> &'static str {
        let kinds = [
            ("flip", Blow::Flip(self.rng.u8(..))),
            ("drop", Blow::Lose),
            ("double", Blow::Repeat),
            (
                "stall",
                Blow::Stall(Duration::from_millis(self.rng.u64(10..900))),
            ),
            ("cut", Blow::Cut),
            ("unplug", Blow::Unplug),
            ("reset", Blow::Stall(Duration::ZERO)),
            ("host killed", Blow::Stall(Duration::ZERO)),
        ];
        // The quick ones more often than those that take seconds to get over.
        let number = *self
            .rng
            .choice(&[0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 5, 6, 7])
            .expect("some");
        let (name, blow) = kinds[number];
        // Beside the content there are the call and its echo, about 150 bytes; the other way go a few words alone.
        let with_content = self.rng.u8(0..4) > 0;
        let to_board = with_content == up;
        let after = match with_content {
            true => self.rng.usize(0..size + 150),
            false => self.rng.usize(0..40),
        };
        self.wire.strike(Strike {
            to_board,
            after,
            blow,
        });
        name
    }

    /// Returns the end, if the host lived to see it, and true if the blow fell.
    fn transfer(&mut self, name: &str, request: Request) -> (Option<Ending>, bool) {
        self.files.begin(request);
        match name {
            "reset" => {
                self.files.pass(Duration::from_millis(self.rng.u64(0..15)));
                self.board.reset();
                (Some(self.files.answer()), true)
            }
            "host killed" => {
                self.files.pass(Duration::from_millis(self.rng.u64(0..15)));
                (None, true)
            }
            // Somebody pushes the plug back in, or has enough of it.
            "cut" => {
                self.files.pass(Duration::from_millis(1000));
                let missed = self.wire.mend();
                (self.rng.bool().then(|| self.files.answer()), !missed)
            }
            _ => (Some(self.files.answer()), !self.wire.mend()),
        }
    }

    /// The promise. What failed has left the old file; only when the board's last word was what got lost, the new one
    /// is there, whole.
    fn check(
        &mut self,
        place: &str,
        up: bool,
        answer: &Option<Ending>,
        new: Vec<u8>,
    ) -> &'static str {
        let path = self.board.flash().join("a");
        match answer {
            Some(Ok(Answer::Bytes(bytes))) => {
                assert!(*bytes == self.old, "{place}: wrong bytes called right");
                "done"
            }
            Some(Ok(_)) => {
                assert!(
                    fs::read(path).unwrap() == new,
                    "{place}: wrong bytes called right"
                );
                self.old = new;
                "done"
            }
            // The board may still be busy with it; it is looked at when it answers again.
            _ if up => {
                self.settle(place);
                let now = fs::read(path).unwrap_or_else(|fault| panic!("{place}: {fault}"));
                if now == self.old {
                    return "failed, old";
                }
                assert!(now == new, "{place}, {answer:?}: neither old nor new");
                self.old = new;
                "failed, new"
            }
            _ => "failed, old",
        }
    }

    /// After a failure: the same connection if it lives, else a new one. The board answers.
    fn settle(&mut self, place: &str) {
        let mut answer = self.files_answer();
        for _ in 0..3 {
            if answer.is_err() {
                self.reconnect();
                answer = self.files_answer();
            }
        }
        assert!(
            answer.is_ok(),
            "{place}: the board does not answer: {answer:?}"
        );
    }

    fn files_answer(&mut self) -> Ending {
        if self.files.is_over() {
            return Err(Error::Stalled);
        }
        self.files.ask(Request::Stat { path: "a".into() })
    }

    /// Reads a file over the line that is good again. A machine that is very busy looks like a line that is not.
    fn read_back(&mut self, path: &str, place: &str) -> Vec<u8> {
        for _ in 0..10 {
            match self.files.ask(read(path)) {
                Ok(Answer::Bytes(bytes)) => return bytes,
                Err(Error::Stalled) => {}
                Err(Error::Lost(_)) => self.reconnect(),
                other => panic!("{place}: {path} cannot be read: {other:?}"),
            }
        }
        panic!("{place}: {path} cannot be read")
    }

    fn reconnect(&mut self) {
        (self.wire, self.files) = connect(&self.board, self.seed);
    }

    fn recover(&mut self, place: &str) {
        self.settle(place);
        let there = self.read_back("a", place);
        assert!(there == self.old, "{place}: the file is not whole");
    }
}

/// A wire, and a client that does not wait as long as one for people.
fn connect(board: &UnixBoard, seed: u64) -> (Wire, Files) {
    let mut config = impatient();
    config.text_link = seed.is_multiple_of(2);
    let wire = Wire::attach(board.path(), Faults::default());
    let files = Files::open(wire.path(), config);
    (wire, files)
}

pub(crate) fn impatient() -> Config {
    let mut config = Config::default();
    config.stall_timeout = Duration::from_millis(800);
    config.host_timeout = Duration::from_millis(400);
    config.repl.reply_timeout = Duration::from_secs(2);
    config
}

type Ending = Result<Answer, Error>;

/// On a file system of 100 kB.
const SMALL: &str = "/small/a";

/// Number of transfers by fault and ending.
#[derive(Default)]
struct Tally(BTreeMap<(&'static str, &'static str), usize>);

impl Tally {
    fn count(&mut self, fault: &'static str, fate: &'static str) {
        *self.0.entry((fault, fate)).or_default() += 1;
    }

    fn add(&mut self, other: Self) {
        for (key, count) in other.0 {
            *self.0.entry(key).or_default() += count;
        }
    }

    fn print(&self) {
        println!("{} transfers", self.0.values().sum::<usize>());
        for ((fault, fate), count) in &self.0 {
            println!("{fault:<12} {fate:<12} {count}");
        }
    }
}
