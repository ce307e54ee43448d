//! File systems without room for the old file and the new one, and names that somebody else has.

use std::fs;

use flylead_core::board::{Answer, Error, NewEntry, Request};
use flylead_tests::boards::{Files, Microbit, UnixBoard};

use crate::common::{
    check_prompt_and_interrupt, list, names, open, open_text, random, read, write,
};

/// A disk of 100 kB.
const SMALL: &str = "/small/a";

/// A test of a board with such a disk, by both means.
fn on_a_small_disk(test: impl Fn(&mut Files)) {
    for open in [open, open_text] {
        let board = UnixBoard::with_small_disk();
        test(&mut open(board.path()));
    }
}

fn in_place(path: &str, data: &[u8]) -> Request {
    let (path, data) = (path.into(), data.into());
    Request::WriteTree {
        entries: vec![NewEntry::Overwrite { path, data }],
    }
}

/// Returns the error about the one entry of a tree.
fn refused(files: &mut Files, request: Request) -> Error {
    match files.ask(request) {
        Err(Error::Entry { error, .. }) => *error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_without_room_for_two_is_replaced_in_place_alone() {
    on_a_small_disk(|files| {
        let (old, new) = (random(1, 60_000), random(2, 60_000));
        files.must(write(SMALL, &old));
        assert_eq!(files.ask(write(SMALL, &new)), Err(Error::NoSpace));
        assert!(files.must(read(SMALL)) == Answer::Bytes(old));
        files.must(in_place(SMALL, &new));
        assert!(files.must(read(SMALL)) == Answer::Bytes(new));
        assert_eq!(names(&list(files, "/small")), ["a"]);
        check_prompt_and_interrupt(files);
    });
}

#[test]
fn what_is_lost_in_place_is_said_to_be() {
    on_a_small_disk(|files| {
        files.must(write(SMALL, b"old"));
        let error = refused(files, in_place(SMALL, &random(3, 120_000)));
        let expected = Error::Overwritten {
            error: Error::NoSpace.into(),
        };
        assert_eq!(error, expected);
        assert!(error.to_string().contains("may be lost"), "{error}");
        assert!(list(files, "/small").is_empty());
        // What is refused before anything is removed has lost nothing.
        let error = refused(files, in_place("/small/none/b", b"b"));
        assert_eq!(error.reason(), &Error::NotFound);
        check_prompt_and_interrupt(files);
    });
}

#[test]
fn files_with_the_names_of_parts_are_left_alone() {
    for open in [open, open_text] {
        let board = UnixBoard::start();
        let mut files = open(board.path());
        let mine = ["a.part", "a.tail", "a.tail.part"];
        for name in mine {
            files.must(write(name, b"mine"));
        }
        files.must(write("a", b"old"));
        files.must(write("a", b"new"));
        let (path, data) = ("a".into(), b"er".to_vec());
        files.must(Request::Append { path, data });
        assert_eq!(files.must(read("a")), Answer::Bytes(b"newer".to_vec()));
        for name in mine {
            let there = fs::read(board.flash().join(name)).unwrap();
            assert_eq!(there, b"mine", "{name}");
        }
        assert_eq!(names(&list(&mut files, "")).len(), 4);
    }
}

/// It has 30 kB of flash for files, and cannot rename.
#[test]
fn a_full_micro_bit_keeps_the_only_whole_copy_and_says_where() {
    let board = Microbit::start();
    let mut files = open(board.path());
    fill(&mut files);
    let (old, new) = (random(4, 1000), random(5, 3000));
    files.must(write("a", &old));
    // There is room for the new file, and not for a copy of it as well.
    let error = files.ask(write("a", &new)).expect_err("it is full");
    let Error::Kept { path, error } = error else {
        panic!("{error:?}");
    };
    assert_eq!(*error, Error::NoSpace);
    assert!(files.must(read(&path)) == Answer::Bytes(new.clone()));
    check_prompt_and_interrupt(&mut files);

    files.must(Request::Remove { path });
    files.must(in_place("a", &new));
    assert!(files.must(read("a")) == Answer::Bytes(new));
}

/// Leaves about 5 kB of a micro:bit's flash.
fn fill(files: &mut Files) {
    let program = "n=0
d=bytes(64)
try:
 while 1:
  with open('fill%d'%n,'wb') as f:
   for i in range(16):f.write(d)
  n+=1
except OSError:pass
import os
for i in range(5):
 n-=1
 os.remove('fill%d'%n)
print(n)";
    let (count, outcome) = files.exec(program);
    assert!(
        count.trim_ascii().iter().all(u8::is_ascii_digit),
        "{count:?}, {outcome:?}"
    );
}
