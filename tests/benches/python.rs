//! The Python package beside `mpremote`, `pyboard.py` and `belay`, and beside the Rust library that it is made of.
//!
//! `cargo xtask bench python` builds what is needed first. The measuring is Python's, in `native/python/benches`.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use flylead_core::board::{NewEntry, Request};
use flylead_native::Board;
use flylead_tests::{
    bench::fail,
    boards::{Microbit, UnixBoard, venv},
};

/// One board each, so that none is slowed by what another one has left on it; and one for the script of many uses.
const UNIX_BOARDS: usize = 5;

#[tokio::main]
async fn main() {
    let boards: Vec<UnixBoard> = (0..UNIX_BOARDS).map(|_| UnixBoard::start()).collect();
    let microbit = Microbit::start();
    let mut library = Library::open().await;
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../native/python");
    let paths = [installed(), package.join("tests/peers")];
    let Ok(path) = env::join_paths(paths) else {
        fail("the package's folder has a name that no path can have");
    };
    let mut python = Command::new(venv().join("bin/python"));
    python
        .arg(package.join("benches/beside.py"))
        .args(boards.iter().map(UnixBoard::path))
        .arg(microbit.path())
        .env("PYTHONPATH", path);
    let ended = library.take_turns_with(&mut python).await;
    if !ended.is_ok_and(|success| success) {
        fail("the measurements in Python have failed; what they say is above");
    }
}

/// Returns the folder of the unpacked wheel.
fn installed() -> PathBuf {
    match env::var_os("FLYLEAD_PACKAGE") {
        Some(folder) => folder.into(),
        None => fail("FLYLEAD_PACKAGE names no folder: run `cargo xtask bench python`"),
    }
}

/// The Rust library with a board, and what it does in each round.
struct Library {
    board: Board,
    data: Vec<u8>,
    entries: Vec<NewEntry>,
    _unix: UnixBoard,
}

impl Library {
    async fn open() -> Self {
        let unix = UnixBoard::start();
        let Ok(address) = unix.path().display().to_string().parse() else {
            fail("the board's path is no address");
        };
        let board = match Board::connect(&address).await {
            Ok(board) => board,
            Err(error) => fail(&error.to_string()),
        };
        let directory = NewEntry::Directory { path: "d".into() };
        let files = (0..100).map(small_file);
        Self {
            board,
            data: random(256 * 1024),
            entries: std::iter::once(directory).chain(files).collect(),
            _unix: unix,
        }
    }

    /// Runs a program, shows what it prints, and does what its lines `library: …` say: it gets the seconds. Whether it had
    /// success.
    async fn take_turns_with(&mut self, program: &mut Command) -> io::Result<bool> {
        program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = program.spawn()?;
        let (Some(mut stdin), Some(stdout)) = (program.stdin.take(), program.stdout.take()) else {
            return Ok(false);
        };
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            match line.strip_prefix("library: ") {
                Some(what) => writeln!(stdin, "{}", self.measure(what).await.as_secs_f64())?,
                None => println!("{line}"),
            }
        }
        Ok(program.wait()?.success())
    }

    async fn measure(&mut self, what: &str) -> Duration {
        let request = match what {
            "256 KiB up" => Request::Write {
                path: "x".into(),
                data: self.data.clone(),
            },
            "256 KiB down" => Request::Read { path: "x".into() },
            "100 files" => Request::WriteTree {
                entries: self.entries.clone(),
            },
            _ => return self.measure_line().await,
        };
        let start = Instant::now();
        match self.board.request(request, |_| ()).await {
            Ok(_) => start.elapsed(),
            Err(error) => fail(&error.to_string()),
        }
    }

    async fn measure_line(&mut self) -> Duration {
        let start = Instant::now();
        match self.board.exec("print(1)").await {
            Ok(_) => start.elapsed(),
            Err(error) => fail(&error.to_string()),
        }
    }
}

fn small_file(number: usize) -> NewEntry {
    NewEntry::File {
        path: format!("d/{number}"),
        data: random(100),
    }
}

fn random(length: usize) -> Vec<u8> {
    (0..length).map(|_| fastrand::u8(..)).collect()
}
