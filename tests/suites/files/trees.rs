//! Many files and directories in one request.

use std::{collections::BTreeMap, fs, path::Path, thread, time::Duration};

use fastrand::Rng;
use flylead_core::board::{Answer, Error, NewEntry, Request};
use flylead_tests::boards::{Blow, Faults, Files, Microbit, Strike, UnixBoard, Wire};

use crate::{
    common::{by_both_means, check_prompt_and_interrupt, open, random, read, write},
    faults::impatient,
};

type Contents = BTreeMap<String, Vec<u8>>;

#[test]
fn a_tree_goes_in_one_request_and_again_over_itself() {
    by_both_means(|board, files| {
        let long = "x".repeat(120);
        let mut contents: Contents = (0..150)
            .map(|number| (format!("t/{number:03}"), random(number, 700)))
            .collect();
        for (name, size) in [
            ("t/empty", 0),
            ("t/b c/日本.bin", 70_000),
            ("t/b c/deep/'\"\\", 1),
            (&*format!("t/b c/{long}"), 513),
        ] {
            contents.insert(name.into(), random(9, size));
        }
        for _ in 0..2 {
            let tree = tree(&["t", "t/b c", "t/b c/deep"], &contents);
            let Answer::Written(written) = files.must(tree) else {
                panic!("not written")
            };
            assert_eq!(written.bytes, 150 * 700 + 70_000 + 1 + 513);
            assert_eq!(there(board), contents);
        }
        let none = files.must(Request::WriteTree { entries: vec![] });
        assert!(matches!(none, Answer::Written(written) if written.bytes == 0));
    });
}

#[test]
fn what_cannot_be_written_is_named_and_what_comes_before_it_is_done() {
    by_both_means(|board, files| {
        files.must(write("file", b"old"));
        for (entry, reason) in [
            (file("none/b", b"b"), Error::NotFound),
            (folder("file"), Error::Exists),
            (folder("none/b"), Error::NotFound),
        ] {
            let path = String::from(entry.path());
            let before = file("before", path.as_bytes());
            let answer = files.ask(Request::WriteTree {
                entries: vec![before, entry, file("after", b"")],
            });
            let Err(Error::Entry { path: named, error }) = answer else {
                panic!("{path}: {answer:?}");
            };
            assert_eq!(named, path);
            assert_eq!(*error, reason);
            assert_eq!(files.must(read("before")), Answer::Bytes(path.into()));
            assert_eq!(files.ask(read("after")), Err(Error::NotFound));
            assert!(!board.flash().join("none").exists());
        }
        check_prompt_and_interrupt(files);
    });
}

#[test]
fn a_cancelled_tree_leaves_whole_files() {
    by_both_means(|board, files| {
        let contents: Contents = (0..40)
            .map(|number| (format!("t/{number}"), random(number, 20_000)))
            .collect();
        files.begin(tree(&["t"], &contents));
        assert!(files.reach(200_000), "it ended too soon");
        files.interrupt();
        assert_eq!(files.answer(), Err(Error::Cancelled));
        let there = there(board);
        assert!((1..40).contains(&there.len()), "{} files", there.len());
        assert!(there.iter().all(|(name, data)| contents[name] == *data));
        check_prompt_and_interrupt(files);
    });
}

#[test]
fn a_micro_bit_takes_a_folder_of_files() {
    let board = Microbit::start();
    let mut files = open(board.path());
    let contents: Contents = (0..5)
        .map(|number| (format!("{number}.txt"), random(number, 100)))
        .collect();
    files.must(tree(&[], &contents));
    for (name, data) in contents {
        assert_eq!(files.must(read(&name)), Answer::Bytes(data));
    }
    let refused = files.ask(tree(&["lib"], &Contents::new()));
    let Err(Error::Entry { path, error }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(path, "lib");
    assert!(matches!(*error, Error::Unsupported { .. }));
}

const BOARDS: u64 = 8;
const ROUNDS: u64 = 12;

/// An entry reported as done is on the board; otherwise there are old files and new ones, complete,
/// and nothing between.
#[test]
fn a_tree_over_a_bad_line_is_done_or_leaves_whole_files() {
    let boards = (0..BOARDS).map(|seed| thread::spawn(move || bad_line(seed)));
    for board in boards.collect::<Vec<_>>() {
        board.join().expect("each board keeps the promise");
    }
}

fn bad_line(seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let board = UnixBoard::start();
    let wire = Wire::attach(board.path(), Faults::default());
    let mut files = Files::open(wire.path(), impatient());
    let mut old = Contents::new();
    for round in 0..ROUNDS {
        let new: Contents = (0..30)
            .map(|number| {
                let size = rng.usize(0..2000);
                (format!("t/{number:02}"), random(rng.u64(..), size))
            })
            .collect();
        let blow = match rng.u8(0..3) {
            0 => Blow::Flip(rng.u8(..)),
            1 => Blow::Lose,
            _ => Blow::Repeat,
        };
        let what = format!("seed {seed}, round {round}, {blow:?}");
        wire.strike(Strike {
            to_board: rng.u8(0..5) > 0,
            after: rng.usize(0..30_000),
            blow,
        });
        let answer = files.ask(tree(&["t"], &new));
        wire.mend();
        until_it_answers(&mut files, &wire);
        let now = there(&board);
        match answer {
            Ok(_) => assert!(now == new, "{what}: called done"),
            Err(error) => assert!(is_mixture(&now, &old, &new), "{what}: {error}"),
        }
        old = now;
    }
}

/// Restarts a conversation that was lost by the strike or during the board's recovery.
fn until_it_answers(files: &mut Files, wire: &Wire) {
    for _ in 0..20 {
        if files.is_over() {
            *files = Files::open(wire.path(), impatient());
        }
        if files.ask(read("none")) == Err(Error::NotFound) {
            return;
        }
        files.pass(Duration::from_millis(100));
    }
    panic!("the board does not answer");
}

fn is_mixture(now: &Contents, old: &Contents, new: &Contents) -> bool {
    now.iter()
        .all(|(name, data)| old.get(name) == Some(data) || new.get(name) == Some(data))
        && old.keys().all(|name| now.contains_key(name))
}

/// All that the board has, read past it; a name of a part of a file shows as one that nobody wrote.
fn there(board: &UnixBoard) -> Contents {
    let mut found = Contents::new();
    collect(&board.flash(), "", &mut found);
    found
}

fn collect(folder: &Path, above: &str, found: &mut Contents) {
    for entry in fs::read_dir(folder).expect("the folder is ours").flatten() {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(&entry.path(), &format!("{name}/"), found),
            false => drop(found.insert(name, fs::read(entry.path()).expect("it is a file"))),
        }
    }
}

fn tree(folders: &[&str], contents: &Contents) -> Request {
    let folders = folders.iter().map(|path| folder(path));
    let files = contents.iter().map(|(path, data)| file(path, data));
    Request::WriteTree {
        entries: folders.chain(files).collect(),
    }
}

fn folder(path: &str) -> NewEntry {
    NewEntry::Directory { path: path.into() }
}

fn file(path: &str, data: &[u8]) -> NewEntry {
    NewEntry::File {
        path: path.into(),
        data: data.into(),
    }
}
