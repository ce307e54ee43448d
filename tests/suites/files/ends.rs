//! Transfers that do not get to their end.

use std::{fs, path::Path};

use flylead_core::board::{Answer, Error};
use flylead_tests::boards::{Faults, Files, UnixBoard, Wire};

use crate::common::{
    by_both_means, check_prompt_and_interrupt, list, names, open, open_text, random, read,
    wait_for, write,
};

#[test]
fn a_cancelled_write_leaves_the_old_file_and_a_prompt() {
    by_both_means(|_, files| {
        files.must(write("a", b"old"));
        for bytes in [0, 1, 100_000] {
            files.begin(write("a", &random(1, 1_000_000)));
            assert!(files.reach(bytes), "it ended too soon");
            files.interrupt();
            assert_eq!(files.answer(), Err(Error::Cancelled));
            assert_eq!(files.must(read("a")), Answer::Bytes(b"old".to_vec()));
            assert_eq!(names(&list(files, "")), ["a"]);
        }
        check_prompt_and_interrupt(files);
    });
}

#[test]
fn a_cancelled_read_leaves_a_prompt() {
    let streamed = Faults {
        baud: Some(2_000_000),
        ..Faults::default()
    };
    // The unix port takes Ctrl-C in raw mode alone.
    let text = Faults {
        no_raw_paste: true,
        ..streamed.clone()
    };
    cancel_a_read(open, streamed);
    cancel_a_read(open_text, text);
}

fn cancel_a_read(open: impl Fn(&Path) -> Files, faults: Faults) {
    let board = UnixBoard::start();
    fs::write(board.flash().join("a"), random(2, 1_000_000)).unwrap();
    let wire = Wire::attach(board.path(), faults);
    let mut files = open(wire.path());
    files.begin(read("a"));
    assert!(files.reach(30_000));
    files.interrupt();
    assert_eq!(files.answer(), Err(Error::Cancelled));
    check_prompt_and_interrupt(&mut files);
}

#[test]
fn cancelling_at_any_moment_spoils_nothing_that_follows() {
    let board = UnixBoard::start();
    let mut files = open(board.path());
    let content = random(3, 20_000);
    files.must(write("a", &content));
    for done in [0, 16_000, 16_384, 19_999, 20_000] {
        for request in [read("a"), write("a", &content)] {
            files.begin(request);
            files.reach(done);
            files.interrupt();
            let answer = files.answer();
            assert!(
                matches!(answer, Ok(_) | Err(Error::Cancelled)),
                "{answer:?}"
            );
            assert!(files.must(read("a")) == Answer::Bytes(content.clone()));
        }
    }
}

#[test]
fn a_host_that_is_killed_leaves_a_board_that_answers_the_next_one() {
    for open in [open, open_text] {
        for request in [write("a", &random(5, 1_000_000)), read("big")] {
            let board = UnixBoard::start();
            fs::write(board.flash().join("big"), random(6, 1_000_000)).unwrap();
            let mut files = open(board.path());
            files.must(write("a", b"old"));
            files.begin(request);
            files.reach(20_000);
            drop(files);
            let mut files = open(board.path());
            assert_eq!(files.must(read("a")), Answer::Bytes(b"old".to_vec()));
        }
    }
}

#[test]
fn a_board_that_is_left_alone_gives_up_and_cleans_up() {
    let board = UnixBoard::start();
    let mut files = open(board.path());
    files.must(write("a", b"old"));
    files.begin(write("a", &random(7, 1_000_000)));
    assert!(files.reach(100_000));
    drop(files);
    assert!(has_part(&board.flash()), "it was in the middle of it");
    wait_for(|| !has_part(&board.flash()));
    let mut files = open(board.path());
    assert_eq!(files.must(read("a")), Answer::Bytes(b"old".to_vec()));
}

/// Returns true if an incomplete file `NAME.….part` exists.
fn has_part(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).expect("the board has files");
    let mut names = entries.map(|entry| entry.expect("it has a name").path());
    names.any(|name| name.extension().is_some_and(|kind| kind == "part"))
}

#[test]
fn a_full_board_says_so_and_keeps_the_old_file() {
    let board = UnixBoard::with_small_disk();
    for open in [open, open_text] {
        let mut files = open(board.path());
        files.must(write("/small/a", b"old"));
        let answer = files.ask(write("/small/a", &random(8, 200_000)));
        assert_eq!(answer, Err(Error::NoSpace));
        assert_eq!(files.must(read("/small/a")), Answer::Bytes(b"old".to_vec()));
        assert_eq!(names(&list(&mut files, "/small")), ["a"]);
        files.must(write("/small/a", &random(9, 20_000)));
    }
}
