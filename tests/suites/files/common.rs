//! Helpers shared by the tests of files.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use flylead_core::board::{Answer, Config, Entry, EntryKind, Error, Request};
use flylead_core::raw_repl::Outcome;
use flylead_tests::boards::{Files, UnixBoard};

pub(crate) fn open(path: &Path) -> Files {
    Files::open(path, Config::default())
}

/// A link that carries text alone, as WebREPL's does.
pub(crate) fn open_text(path: &Path) -> Files {
    let mut config = Config::default();
    config.text_link = true;
    Files::open(path, config)
}

/// Runs a test by both means, each on a board of its own.
pub(crate) fn by_both_means(test: impl Fn(&UnixBoard, &mut Files)) {
    for open in [open, open_text] {
        let board = UnixBoard::start();
        let mut files = open(board.path());
        test(&board, &mut files);
    }
}

pub(crate) fn write(path: &str, data: &[u8]) -> Request {
    Request::Write {
        path: path.into(),
        data: data.into(),
    }
}

pub(crate) fn read(path: &str) -> Request {
    Request::Read { path: path.into() }
}

/// Lists a directory, which has the same entries without their times.
pub(crate) fn list(files: &mut Files, path: &str) -> Vec<Entry> {
    let [timed, untimed] = [true, false].map(|times| {
        let path = path.into();
        entries(files.must(Request::List { path, times }))
    });
    let facts = |entry: &Entry| (entry.name.clone(), entry.kind, entry.size);
    assert!(timed.iter().map(facts).eq(untimed.iter().map(facts)));
    timed
}

pub(crate) fn entries(answer: Answer) -> Vec<Entry> {
    match answer {
        Answer::Entries(entries) => entries,
        other => panic!("no entries: {other:?}"),
    }
}

pub(crate) fn names(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.name.as_str()).collect()
}

pub(crate) fn kind(files: &mut Files, path: &str) -> Result<EntryKind, Error> {
    match files.ask(Request::Stat { path: path.into() })? {
        Answer::Entry(entry) => Ok(entry.kind),
        other => panic!("no entry: {other:?}"),
    }
}

pub(crate) fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut data = vec![0; length];
    fastrand::Rng::with_seed(seed).fill(&mut data);
    data
}

/// Waits for what takes seconds on a quiet machine, and longer on a busy one.
pub(crate) fn wait_for(condition: impl Fn() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < give_up, "it does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The board is at its prompt, and Ctrl-C ends a program on it.
pub(crate) fn check_prompt_and_interrupt(files: &mut Files) {
    let (stdout, outcome) = files.exec("print('after')");
    assert_eq!(stdout.trim_ascii(), b"after", "{outcome:?}");
    // A program this short goes in raw mode, where the unix port takes Ctrl-C too.
    files.start("print('on')\nwhile 1:pass");
    files.wait_for_output();
    files.interrupt();
    match files.outcome() {
        Outcome::Raised(traceback) => assert_eq!(traceback.exception, "KeyboardInterrupt"),
        other => panic!("Ctrl-C did nothing: {other:?}"),
    }
}
