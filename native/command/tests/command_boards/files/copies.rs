//! `flylead fs cp`, `mv`, `rm`: many files, and what must not be lost on the way.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, symlink},
    path::Path,
};

use flylead_tests::boards::UnixBoard;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{entries, flylead, folder, json, must, run, write};

/// Runs `flylead fs` and expects it to refuse with this exit code and words.
fn refused(board: &Path, arguments: &[&str], exit: i32, words: &str) {
    let (code, stdout, stderr) = run(flylead(board, &[&["fs"], arguments].concat()));
    assert_eq!(
        (code, stdout.as_str()),
        (exit, ""),
        "{arguments:?}: {stderr}"
    );
    assert!(stderr.contains(words), "{arguments:?}: {stderr}");
}

#[test]
fn several_files_want_a_directory_and_none_is_overwritten() {
    let board = UnixBoard::start();
    let here = folder();
    let [a, b] = ["a.py", "b.py"].map(|name| write(&here, name, name));
    let several = "multiple sources require a target directory";
    refused(board.path(), &["cp", &a, &b, ":libx"], 2, several);
    assert_eq!(entries(&board.flash()), 0);
    fs::write(board.flash().join("libx"), "old").unwrap();
    refused(board.path(), &["cp", &a, &b, ":libx"], 2, several);
    fs::write(board.flash().join("y"), "y").unwrap();
    refused(board.path(), &["cp", ":libx", ":y", ":z"], 2, several);
    refused(board.path(), &["mv", ":libx", ":y", ":z"], 2, several);
    let target = write(&here, "target", "mine");
    refused(board.path(), &["cp", ":libx", ":y", &target], 2, several);
    assert_eq!(fs::read_to_string(target).unwrap(), "mine");
    let missing = here.path().join("none").display().to_string();
    refused(board.path(), &["cp", ":libx", ":y", &missing], 2, several);
    assert_eq!(
        fs::read_to_string(board.flash().join("libx")).unwrap(),
        "old"
    );

    must(board.path(), &["fs", "mkdir", ":lib"]);
    must(board.path(), &["fs", "cp", &a, &b, ":lib"]);
    assert_eq!(entries(&board.flash().join("lib")), 2);
}

#[test]
fn two_sources_of_one_name_do_not_become_one_file() {
    let board = UnixBoard::start();
    let here = folder();
    let [a, b] = ["a/x.py", "b/x.py"].map(|name| write(&here, name, name));
    refused(
        board.path(),
        &["cp", &a, &b, ":"],
        2,
        "would both become :x.py",
    );
    assert_eq!(entries(&board.flash()), 0);
    for folder in ["a", "b"] {
        fs::create_dir(board.flash().join(folder)).unwrap();
        fs::write(board.flash().join(folder).join("x"), folder).unwrap();
    }
    let target = folder();
    let to = target.path().display().to_string();
    refused(
        board.path(),
        &["cp", ":a/x", ":b/x", &to],
        2,
        "would both become",
    );
    assert_eq!(entries(target.path()), 0);
}

#[test]
fn nothing_is_copied_before_all_sources_are_there() {
    let board = UnixBoard::start();
    let here = folder();
    let a = write(&here, "a.py", "a");
    fs::create_dir(here.path().join("dir")).unwrap();
    let dir = here.path().join("dir").display().to_string();
    refused(
        board.path(),
        &["cp", &a, "no-such.py", ":"],
        2,
        "no-such.py: ",
    );
    refused(board.path(), &["cp", &a, &dir, ":"], 2, "use -r");
    refused(
        board.path(),
        &["cp", &a, ":b", ":"],
        2,
        "copy them separately",
    );
    refused(
        board.path(),
        &["cp", &a, &dir],
        2,
        "prefix board paths with a colon",
    );
    assert_eq!(entries(&board.flash()), 0);
}

/// A folder with names that no board, or no other computer, takes.
fn odd_tree() -> TempDir {
    let here = folder();
    for name in ["good.py", "sub/good.py", "a:b", "back\\slash"] {
        write(&here, name, name);
    }
    symlink("nowhere", here.path().join("dangling")).unwrap();
    symlink("good.py", here.path().join("link.py")).unwrap();
    symlink(".", here.path().join("sub/loop")).unwrap();
    symlink("sub", here.path().join("linked")).unwrap();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9");
    fs::write(here.path().join(name), "latin").unwrap();
    let pipe = here.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    here
}

/// Returns the paths that a copy has skipped, from its lines of JSON.
fn skipped(lines: &str) -> Vec<String> {
    let line = |line: &str| serde_json::from_str::<Value>(line).expect("each line is JSON");
    let path = |line: Value| line["skipped"].as_str().map(str::to_owned);
    let mut names: Vec<_> = lines.lines().map(line).filter_map(path).collect();
    names.iter_mut().for_each(|path| {
        *path = path.rsplit('/').next().unwrap_or_default().to_owned();
    });
    names.sort();
    names
}

#[test]
fn a_bad_name_is_skipped_and_listed_and_the_others_are_copied() {
    let board = UnixBoard::start();
    let here = odd_tree();
    let from = format!("{}/", here.path().display());
    let copy = ["--json", "fs", "cp", "-r", &from, ":"];
    let (code, stdout, stderr) = run(flylead(board.path(), &copy));
    assert_eq!(code, 6, "{stderr}");
    let bad = ["caf\u{fffd}", "dangling", "loop", "loop", "pipe"];
    assert_eq!(skipped(&stdout), bad, "{stdout}");
    for name in [
        "good.py",
        "a:b",
        "back\\slash",
        "link.py",
        "sub/good.py",
        "linked/good.py",
    ] {
        assert!(board.flash().join(name).is_file(), "{name}");
    }
    let (code, _, stderr) = run(flylead(board.path(), &copy[1..]));
    assert_eq!(code, 6);
    assert!(
        stderr.contains("dangling: it is a dangling link"),
        "{stderr}"
    );
    assert!(stderr.ends_with("flylead: 5 skipped\n"), "{stderr}");

    // On this computer the names of the board are as good as on the board.
    let back = folder();
    let to = back.path().display().to_string();
    must(board.path(), &["fs", "cp", "-r", ":/flash/", &to]);
    assert_eq!(fs::read_to_string(back.path().join("a:b")).unwrap(), "a:b");
    assert!(back.path().join("back\\slash").is_file());
}

#[test]
fn what_the_board_refuses_is_skipped_with_all_that_is_in_it() {
    let board = UnixBoard::start();
    let here = folder();
    for name in ["src/a", "src/d/x", "src/d/e/y", "src/z"] {
        write(&here, name, "new");
    }
    fs::create_dir_all(board.flash().join("src/a/full")).unwrap();
    fs::write(board.flash().join("src/d"), "a file").unwrap();
    let src = here.path().join("src").display().to_string();
    let (code, stdout, _) = run(flylead(
        board.path(),
        &["--json", "fs", "cp", "-r", &src, ":"],
    ));
    assert_eq!((code, skipped(&stdout)), (6, vec!["a".into(), "d".into()]));
    let there = board.flash().join("src");
    assert_eq!(fs::read_to_string(there.join("z")).unwrap(), "new");
    assert_eq!(fs::read_to_string(there.join("d")).unwrap(), "a file");
    // One that a person has named is an error.
    let a = write(&here, "a", "new");
    refused(board.path(), &["cp", &a, ":src"], 5, ":src/a: ");
}

#[test]
fn a_download_skips_what_cannot_be_written_here() {
    let board = UnixBoard::start();
    for name in ["a", "b"] {
        fs::write(board.flash().join(name), name).unwrap();
    }
    let here = folder();
    fs::create_dir_all(here.path().join("a/full")).unwrap();
    let to = here.path().display().to_string();
    let (code, stdout, _) = run(flylead(
        board.path(),
        &["--json", "fs", "cp", "-r", ":/flash/", &to],
    ));
    assert_eq!((code, skipped(&stdout)), (6, vec!["a".into()]));
    assert_eq!(fs::read_to_string(here.path().join("b")).unwrap(), "b");
}

#[test]
fn a_directory_is_copied_and_moved_on_the_board() {
    let board = UnixBoard::start();
    fs::create_dir_all(board.flash().join("a/empty")).unwrap();
    fs::write(board.flash().join("a/x"), "x").unwrap();
    refused(board.path(), &["cp", ":a", ":b"], 2, "use -r");
    must(board.path(), &["fs", "cp", "-r", ":a", ":b"]);
    must(board.path(), &["fs", "cp", "-r", ":a", ":b"]);
    assert!(board.flash().join("b/empty").is_dir() && board.flash().join("b/a/x").is_file());
    refused(board.path(), &["cp", "-r", ":a", ":a/c"], 2, "into itself");
    must(board.path(), &["fs", "mv", ":a/x", ":b"]);
    assert_eq!(fs::read_to_string(board.flash().join("b/x")).unwrap(), "x");
    let line = json(board.path(), &["fs", "mv", ":b/x", ":a/y"]);
    assert_eq!(line, serde_json::json!({ "from": "b/x", "to": "a/y" }));
    refused(
        board.path(),
        &["mv", ":none", ":b"],
        5,
        ":none: no such file",
    );
    refused(
        board.path(),
        &["mv", ":a/y", ":no/y"],
        5,
        "the parent directory does not exist",
    );
}

#[test]
fn removing_the_current_directory_by_its_name_asks_too() {
    let board = UnixBoard::start();
    fs::create_dir(board.flash().join("lib")).unwrap();
    fs::write(board.flash().join("a"), "a").unwrap();
    for whole in [":/flash", ":/flash/", ":../flash/.", ":lib/.."] {
        refused(board.path(), &["rm", "-r", whole], 2, "nothing was removed");
    }
    must(board.path(), &["fs", "rm", "-r", ":/flash/lib"]);
    must(board.path(), &["fs", "rm", "-rf", ":/flash"]);
    assert_eq!(entries(&board.flash()), 0);
}

#[test]
fn a_card_is_not_emptied_unasked() {
    let board = UnixBoard::with_small_disk();
    must(board.path(), &["fs", "touch", ":/small/a"]);
    refused(
        board.path(),
        &["rm", "-r", ":/small"],
        2,
        "nothing was removed",
    );
    assert!(must(board.path(), &["fs", "ls", ":/small"]).ends_with("  a\n"));
}

#[test]
fn a_board_without_room_for_two_is_offered_in_place_and_told_what_it_risks() {
    let board = UnixBoard::with_small_disk();
    let here = folder();
    let [old, new] = [1, 2].map(|seed| write(&here, &format!("{seed}"), vec![seed; 60_000]));
    must(board.path(), &["fs", "cp", &old, ":/small/a"]);
    let full = "not enough space on the board: the file has 58.59 KiB, and ";
    refused(board.path(), &["cp", &new, ":/small/a"], 5, full);
    let hint = "hint: --in-place removes the old file first";
    refused(board.path(), &["cp", &new, ":/small/a"], 5, hint);
    // A file that is not there yet has no old one that could make room.
    let hint = "hint: `flylead tree --size` shows";
    refused(board.path(), &["cp", &new, ":/small/other"], 5, hint);
    let kept = run(flylead(board.path(), &["fs", "cat", ":/small/a"])).1;
    assert!(kept.as_bytes() == vec![1; 60_000]);
    must(board.path(), &["fs", "cp", "--in-place", &new, ":/small/a"]);
    let there = run(flylead(board.path(), &["fs", "cat", ":/small/a"])).1;
    assert!(there.as_bytes() == vec![2; 60_000]);

    let large = write(&here, "large", vec![3; 120_000]);
    let lost = "the old file was removed first to make room and may be lost";
    let words = ["cp", "--in-place", &large, ":/small/a"];
    refused(board.path(), &words, 5, lost);
    // A folder goes the same way, and does not leave such a file out without a word.
    let words = [
        "cp",
        "-r",
        "--in-place",
        here.path().to_str().unwrap(),
        ":/small",
    ];
    refused(board.path(), &words, 5, lost);
}

#[test]
fn a_folder_syncs_in_place_where_there_is_no_room_for_two() {
    let board = UnixBoard::with_small_disk();
    let here = folder();
    let src = here.path().join("src").display().to_string();
    for seed in [1, 2] {
        write(&here, "src/a", vec![seed; 60_000]);
        must(board.path(), &["fs", "sync", "--in-place", &src, ":/small"]);
        let there = must(board.path(), &["fs", "cat", ":/small/a"]);
        assert!(there.as_bytes() == vec![seed; 60_000]);
    }
}

/// Writing takes time, and wears the board's flash.
#[test]
fn what_the_board_has_already_is_not_written_again() {
    let board = UnixBoard::start();
    let home = folder();
    let small = write(&home, "small.py", "print(1)\n".repeat(100));
    let large = write(&home, "large.bin", crate::common::random(20_000));
    let tree = home.path().join("tree").display().to_string();
    write(&home, "tree/a/b.bin", crate::common::random(5000));
    write(&home, "tree/c.bin", crate::common::random(6000));
    let copies: [&[&str]; 3] = [
        &["cp", &small, ":"],
        &["cp", &large, ":"],
        &["cp", "-r", &tree, ":"],
    ];
    let files = ["small.py", "large.bin", "tree/a/b.bin", "tree/c.bin"];
    let written = || files.map(|file| fs::metadata(board.flash().join(file)).unwrap().ino());
    for words in copies {
        must(board.path(), words);
    }
    let before = written();
    for words in copies {
        must(board.path(), words);
    }
    assert_eq!(written(), before, "a new file has another inode");
    for words in copies {
        must(board.path(), &[words, &["--force"]].concat());
    }
    let after = written();
    assert!(
        before
            .iter()
            .zip(after)
            .all(|(before, after)| *before != after)
    );
    write(&home, "tree/c.bin", crate::common::random(6001));
    must(board.path(), copies[2]);
    let again = written();
    assert_eq!(again[2], after[2]);
    assert_ne!(again[3], after[3]);
}
