//! The Python package beside `mpremote`, `pyboard.py` and `belay`, and beside the Rust library that it is made of.
//!
//! `cargo xtask bench python` builds what is needed first. The measuring is Python's, in `native/python/benches`.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use flylead::Board;
use flylead_core::board::{NewEntry, Request};
use flylead_tests::{
    bench::fail,
    boards::{UnixBoard, venv},
};
use serde_json::json;

const LINES: usize = 200;
const FILES: usize = 3;
/// One board each, so that none is slowed by what another one has left on it.
const CONTENDERS: usize = 4;

#[tokio::main]
async fn main() {
    let rust = library().await;
    let boards: Vec<UnixBoard> = (0..CONTENDERS).map(|_| UnixBoard::start()).collect();
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../native/python");
    let paths = [installed(), package.join("tests/peers")];
    let Ok(path) = env::join_paths(paths) else {
        fail("the package's folder has a name that no path can have");
    };
    let ended = Command::new(venv().join("bin/python"))
        .arg(package.join("benches/beside.py"))
        .args(boards.iter().map(UnixBoard::path))
        .arg(rust.to_string())
        .env("PYTHONPATH", path)
        .status();
    if !ended.is_ok_and(|status| status.success()) {
        fail("the measurements in Python have failed; what they say is above");
    }
}

/// Where the wheel is unpacked.
fn installed() -> PathBuf {
    match env::var_os("FLYLEAD_PACKAGE") {
        Some(folder) => folder.into(),
        None => fail("FLYLEAD_PACKAGE names no folder: run `cargo xtask bench python`"),
    }
}

/// The library's own medians, in milliseconds.
async fn library() -> serde_json::Value {
    let board = UnixBoard::start();
    let address = board.path().display().to_string().parse();
    let Ok(address) = address else {
        fail("the board's path is no address");
    };
    let mut board = match Board::connect(&address).await {
        Ok(board) => board,
        Err(error) => fail(&error.to_string()),
    };
    let data: Vec<u8> = (0..256 * 1024).map(|_| fastrand::u8(..)).collect();
    let directory = NewEntry::Directory { path: "d".into() };
    let entries: Vec<_> = std::iter::once(directory)
        .chain((0..100).map(small_file))
        .collect();
    let up = || Request::Write {
        path: "x".into(),
        data: data.clone(),
    };
    let down = || Request::Read { path: "x".into() };
    let tree = || Request::WriteTree {
        entries: entries.clone(),
    };
    json!({
        "one line": lines(&mut board).await,
        "256 KiB up": requests(&mut board, up).await,
        "256 KiB down": requests(&mut board, down).await,
        "100 files": requests(&mut board, tree).await,
    })
}

fn small_file(number: usize) -> NewEntry {
    NewEntry::File {
        path: format!("d/{number}"),
        data: (0..100).map(|_| fastrand::u8(..)).collect(),
    }
}

async fn lines(board: &mut Board) -> f64 {
    let mut times = Vec::new();
    for _ in 0..LINES {
        let start = Instant::now();
        if let Err(error) = board.exec("print(1)").await {
            fail(&error.to_string());
        }
        times.push(start.elapsed());
    }
    median(times)
}

async fn requests(board: &mut Board, request: impl Fn() -> Request) -> f64 {
    let mut times = Vec::new();
    for _ in 0..FILES {
        let request = request();
        let start = Instant::now();
        if let Err(error) = board.request(request, |_| ()).await {
            fail(&error.to_string());
        }
        times.push(start.elapsed());
    }
    median(times)
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}
