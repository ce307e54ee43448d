//! Names that a person gives to boards.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use flylead_tests::boards::UnixBoard;
use tempfile::TempDir;

use crate::common::{done, folder, press_ctrl_c, run};

/// `flylead` of a person whose settings are in a folder of their own.
fn flylead(settings: &TempDir, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .args(words)
        .env("XDG_CONFIG_HOME", settings.path())
        .env("HOME", settings.path())
        .env_remove("FLYLEAD_PORT")
        .stdin(Stdio::null());
    command
}

fn keep(settings: &TempDir, board: &Path, name: &str) {
    let device = board.to_str().expect("a pty's path is text");
    let (code, stdout, stderr) = run(flylead(settings, &["ports", "name", device, name]));
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    assert!(stderr.contains(&format!("{name} is {device}")), "{stderr}");
}

#[test]
fn a_named_board_is_used_by_its_name_everywhere() {
    let boards = [UnixBoard::start(), UnixBoard::start()];
    let settings = folder();
    keep(&settings, boards[0].path(), "bench-left");
    keep(&settings, boards[1].path(), "bench-right");
    let print = ["--port", "bench-left", "exec", "print(6 * 7)"];
    assert_eq!(run(flylead(&settings, &print)), done("42\n"));
    let mut by_variable = flylead(&settings, &["eval", "1 + 1"]);
    by_variable.env("FLYLEAD_PORT", "bench-right");
    assert_eq!(run(by_variable), done("2\n"));

    // A pattern means names, too, and a board that was chosen twice is one.
    let path = boards[0].path().to_str().unwrap();
    let each = ["each", "bench-*", path, "--", "exec", "print('here')"];
    let (code, stdout, stderr) = run(flylead(&settings, &each));
    assert_eq!(code, 0, "{stderr}");
    let mut lines: Vec<_> = stdout
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .collect();
    lines.sort();
    assert_eq!(
        lines,
        [["bench-left", "here"], ["bench-right", "here"]],
        "{stderr}"
    );

    let listed = run(flylead(&settings, &["--json", "ports", "name"]));
    let listed: serde_json::Value = serde_json::from_str(&listed.1).expect("it is JSON");
    assert_eq!(listed[1]["name"], "bench-right");
    assert_eq!(listed[0]["address"], path);
}

#[test]
fn a_hub_has_its_boards_by_their_names_and_by_their_ports() {
    let board = UnixBoard::start();
    let settings = folder();
    let runtime = folder();
    keep(&settings, board.path(), "bench");
    let words = ["serve", "--json", "--board=bench", "--listen=127.0.0.1:0"];
    let mut serve = flylead(&settings, &words)
        .env("XDG_RUNTIME_DIR", runtime.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    let mut line = String::new();
    let mut said = BufReader::new(serve.stdout.take().expect("it is piped"));
    said.read_line(&mut line).expect("it says where it is");
    for port in ["bench", board.path().to_str().unwrap()] {
        let mut exec = flylead(
            &settings,
            &["--verbose", "--port", port, "exec", "print(1)"],
        );
        exec.env("XDG_RUNTIME_DIR", runtime.path());
        let (code, stdout, stderr) = run(exec);
        assert_eq!((code, stdout.as_str()), (0, "1\n"), "{port}: {stderr}");
    }
    press_ctrl_c(&serve);
    assert!(serve.wait().unwrap().success());
}

#[test]
fn an_unknown_name_is_told_with_those_that_there_are() {
    let board = UnixBoard::start();
    let settings = folder();
    let exec = ["--port", "desk", "exec", "print(1)"];
    let (code, _, stderr) = run(flylead(&settings, &exec));
    assert_eq!(code, 3, "{stderr}");
    assert!(
        stderr.contains("no board is named desk. There are no names yet"),
        "{stderr}"
    );
    keep(&settings, board.path(), "bench");
    for words in [&exec[..], &["each", "desk", "--", "info"]] {
        let (code, stdout, stderr) = run(flylead(&settings, words));
        assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
        let there = format!("Known names: bench ({})", board.path().display());
        assert!(stderr.contains(&there), "{stderr}");
    }
}

#[test]
fn names_that_mean_something_else_are_refused_and_so_are_devices_that_are_not_there() {
    let board = UnixBoard::start();
    let settings = folder();
    let device = board.path().to_str().unwrap();
    for name in [
        "auto",
        "all",
        "COM7",
        "ttyACM0",
        "a0",
        "tcp",
        "a/b",
        "id:E66",
        "x*",
        "@list",
        "two words",
    ] {
        let (code, _, stderr) = run(flylead(&settings, &["ports", "name", device, name]));
        assert_eq!(code, 2, "{name}: {stderr}");
        assert!(
            stderr.contains("is not a valid name for a board"),
            "{name}: {stderr}"
        );
    }
    let (code, _, stderr) = run(flylead(
        &settings,
        &["ports", "name", "/dev/not-there", "bench"],
    ));
    assert_eq!(code, 3, "{stderr}");
    assert_eq!(
        run(flylead(&settings, &["ports", "name", "desk", "bench"])).0,
        3
    );
    assert!(!settings.path().join("flylead/boards.json").exists());
}

#[test]
fn a_name_is_one_boards_until_it_is_removed() {
    let boards = [UnixBoard::start(), UnixBoard::start()];
    let settings = folder();
    keep(&settings, boards[0].path(), "bench");
    keep(&settings, boards[0].path(), "bench");
    let other = boards[1].path().to_str().unwrap();
    let (code, _, stderr) = run(flylead(&settings, &["ports", "name", other, "bench"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("--remove bench"), "{stderr}");
    assert_eq!(
        run(flylead(&settings, &["ports", "name", "--remove", "bench"])),
        done("")
    );
    assert_eq!(
        run(flylead(&settings, &["ports", "name", "--remove", "bench"])).0,
        2
    );
    keep(&settings, boards[1].path(), "bench");
}

#[test]
fn a_password_is_not_kept_and_a_damaged_file_is_named_and_left() {
    let settings = folder();
    let address = "ws://:hush@192.0.2.1:8266";
    let (code, _, stderr) = run(flylead(
        &settings,
        &["ports", "name", address, "greenhouse"],
    ));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("FLYLEAD_WEBREPL_PASSWORD"), "{stderr}");
    let file = settings.path().join("flylead/boards.json");
    assert!(!std::fs::read_to_string(&file).unwrap().contains("hush"));

    std::fs::write(&file, "not JSON").unwrap();
    for words in [
        &["--port", "greenhouse", "info"][..],
        &["ports", "name", "tcp://lab:1", "far"],
    ] {
        let (code, _, stderr) = run(flylead(&settings, words));
        assert_eq!(code, 2, "{stderr}");
        assert!(
            stderr.contains("boards.json is not a valid list of names"),
            "{stderr}"
        );
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "not JSON");
}

#[test]
fn names_that_are_kept_at_the_same_time_are_all_kept() {
    let settings = folder();
    let name = |number: usize| {
        let address = format!("tcp://192.0.2.1:{}", 1000 + number);
        let name = format!("board-{number}");
        flylead(&settings, &["ports", "name", &address, &name])
            .stderr(Stdio::null())
            .spawn()
            .expect("flylead starts")
    };
    let all: Vec<_> = (0..20).map(name).collect();
    for mut one in all {
        assert!(one.wait().unwrap().success());
    }
    let (_, stdout, _) = run(flylead(&settings, &["ports", "name"]));
    assert_eq!(stdout.lines().count(), 20, "{stdout}");
}
