//! One command on many boards at once.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use flylead_tests::boards::UnixBoard;
use serde_json::Value;

use crate::common::{
    flylead, folder, must, piped, press_ctrl_c, run, started, told_of, wait_until, write,
};

/// `flylead each BOARD… OPTION… -- COMMAND…`, wherever FLYLEAD_PORT says.
fn each(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("each")
        .args(words)
        .env("FLYLEAD_PORT", "/dev/not-this-one")
        .stdin(Stdio::null());
    command
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a pty's path is text")
}

#[test]
fn every_board_runs_the_command_and_what_each_says_stands_after_its_name() {
    let boards = [UnixBoard::start(), UnixBoard::start()];
    let [a, b] = boards.each_ref().map(|board| text(board.path()));
    // The second time the first one is named it is the same board.
    let (code, stdout, stderr) = run(each(&[a, b, a, "--", "exec", "print('one\\ntwo')"]));
    assert_eq!(code, 0, "{stderr}");
    let said = |board: &str| {
        let lines = stdout.lines().filter_map(|line| line.split_once(' '));
        let lines = lines.filter(|(name, _)| *name == board);
        lines.map(|(_, line)| line.trim()).collect::<Vec<_>>()
    };
    assert_eq!(
        [said(a), said(b)],
        [["one", "two"], ["one", "two"]],
        "{stdout}"
    );
    assert!(stderr.contains("2 of 2 boards done"), "{stderr}");
}

#[test]
fn a_board_that_fails_stops_no_other_and_gives_the_exit_code() {
    let board = UnixBoard::start();
    let here = text(board.path());
    for (boards, command, wanted) in [
        (["/dev/not-there", here], "print(1)", 3),
        ([here, "/dev/not-there"], "1/0", 1),
    ] {
        let (code, stdout, stderr) = run(each(&[boards[0], boards[1], "--", "exec", command]));
        assert_eq!(code, wanted, "{stderr}");
        assert_eq!(stdout.contains("1\n"), command == "print(1)", "{stdout}");
        assert!(stderr.contains("(exit code 3)"), "{stderr}");
    }
    assert_eq!(must(board.path(), &["exec", "print(2)"]), "2\n");
}

#[test]
fn scripts_get_a_line_of_json_for_each_thing_that_happens() {
    let board = UnixBoard::start();
    let here = text(board.path());
    let (code, stdout, stderr) = run(each(&[
        "--json",
        here,
        "/dev/not-there",
        "--",
        "eval",
        "6*7",
    ]));
    assert_eq!((code, stderr.as_str()), (3, ""), "{stdout}");
    let events: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let of = |board: &str, what: &str| {
        let is = |event: &&Value| event["board"] == board && event["event"] == what;
        events
            .iter()
            .find(is)
            .unwrap_or_else(|| panic!("{what} of {board}: {stdout}"))
    };
    of(here, "started");
    assert_eq!(of(here, "result")["result"], 42);
    assert_eq!(of(here, "ended")["exit"], 0);
    assert_eq!(
        of("/dev/not-there", "result")["result"]["error"]["code"],
        "no-link"
    );
    assert_eq!(of("/dev/not-there", "ended")["exit"], 3);
    let last = events.last().expect("there is one");
    assert_eq!(
        (&last["event"], &last["failed"]),
        (&"finished".into(), &1.into())
    );
}

#[test]
fn each_within_each_asks_for_no_internal_option() {
    let board = UnixBoard::start();
    let here = text(board.path());
    let (code, stdout, stderr) = run(each(&[here, "--", "each", here, "--", "eval", "6*7"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("42"), "{stdout}");
    assert!(!stderr.contains("started-by"), "{stderr}");
}

#[test]
fn braces_are_the_boards_name_and_a_list_of_boards_may_be_a_file() {
    let boards = [UnixBoard::start(), UnixBoard::start()];
    let folder = folder();
    let paths = boards.each_ref().map(|board| text(board.path()));
    let list = write(
        &folder,
        "boards",
        format!("# the bench\n\n{}\n  {}\n", paths[0], paths[1]),
    );
    for (at, board) in boards.iter().enumerate() {
        must(
            board.path(),
            &["exec", &format!("open('log','w').write('{at}')")],
        );
    }
    let to = format!("{}/{{}}.log", folder.path().display());
    let (code, _, stderr) = run(each(&[&format!("@{list}"), "--", "fs", "cp", ":log", &to]));
    assert_eq!(code, 0, "{stderr}");
    for (at, path) in paths.iter().enumerate() {
        let name = path
            .strip_prefix("/dev/")
            .unwrap_or(path)
            .trim_start_matches('/')
            .replace('/', "-");
        let log = std::fs::read_to_string(folder.path().join(format!("{name}.log")));
        assert_eq!(
            log.expect("the board's own name is in the file's"),
            at.to_string()
        );
    }
}

#[test]
fn what_is_no_board_is_refused_before_anything_runs() {
    let board = UnixBoard::start();
    let here = text(board.path());
    for (words, code, wanted) in [
        (
            &[here, "nonsense:1", "--", "exec", "open('x','w')"][..],
            2,
            "`nonsense` is not a kind of address",
        ),
        (
            &[here, "/dev/nothing-like-*", "--", "exec", "open('x','w')"],
            3,
            "no port or board matches",
        ),
        (
            &[here, "/dev/[", "--", "exec", "open('x','w')"],
            2,
            "/dev/[",
        ),
        (
            &[here, "@/not/there", "--", "exec", "open('x','w')"],
            2,
            "/not/there",
        ),
        (
            &[here, "/dev/b", "--trace=t", "--", "exec", "open('x','w')"],
            2,
            "{}",
        ),
        (&[here], 2, "--"),
    ] {
        let (was, stdout, stderr) = run(each(words));
        assert_eq!((was, stdout.as_str()), (code, ""), "{words:?}: {stderr}");
        assert!(stderr.contains(wanted), "{words:?}: {stderr}");
    }
    assert_eq!(must(board.path(), &["fs", "ls"]), "");
}

#[test]
fn ctrl_c_and_a_violent_end_leave_every_board_at_its_prompt() {
    let boards = [UnixBoard::start(), UnixBoard::start(), UnixBoard::start()];
    let [a, b, c] = boards.each_ref().map(|board| text(board.path()));
    let endless = "open('running','w').close()\nwhile 1: pass";
    let runs = |board: &UnixBoard| board.flash().join("running").exists();
    for kill in [false, true] {
        let command = each(&[a, b, c, "--jobs=2", "--", "exec", endless]);
        let mut child = piped(command);
        wait_until("two boards run it", || runs(&boards[0]) && runs(&boards[1]));
        match kill {
            true => child.kill().expect("it runs"),
            false => press_ctrl_c(&child),
        }
        if kill {
            child.wait().expect("it is our child");
        } else {
            let (code, _, stderr) = told_of(child);
            assert_eq!(code, 130, "{stderr}");
            assert!(stderr.contains("not started"), "{stderr}");
        }
        assert!(!runs(&boards[2]), "the third board was not asked");
        for board in &boards[..2] {
            // Waits for the port, if the board's process is still on its way to its end.
            wait_until("the board answers", || {
                run(flylead(board.path(), &["fs", "rm", ":running"])).0 == 0
            });
            let check = started(flylead(
                board.path(),
                &["exec", "print('ready')\nwhile 1: pass"],
            ));
            press_ctrl_c(&check);
            assert_eq!(told_of(check).0, 130);
        }
    }
}
