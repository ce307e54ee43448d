//! The program that starts a board of the harness for people, shells and other languages.
#![cfg(target_os = "linux")]

use std::{
    fs::OpenOptions,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use flylead_core::board::Config;
use flylead_tests::boards::{Files, with_folders};
use rustix::process::{Pid, Signal, kill_process};

const BOARD: &str = env!("CARGO_BIN_EXE_board");

/// Starts it, and returns the path that it prints.
fn started(command: &mut Command) -> (Child, PathBuf) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let stdout = child.stdout.take().expect("it is piped");
    let mut line = String::new();
    BufReader::new(stdout)
        .read_line(&mut line)
        .expect("it prints text");
    (child, PathBuf::from(line.trim()))
}

fn answers(path: &Path) {
    let mut files = Files::open(path, Config::default());
    let (stdout, _) = files.exec("print(6*7)");
    assert_eq!(stdout.trim_ascii_end(), b"42");
}

#[test]
fn help_lists_the_boards_and_the_options() {
    for word in ["--help", "-h", "help"] {
        let output = Command::new(BOARD).arg(word).output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        let help = String::from_utf8(output.stdout).expect("it is text");
        for part in [
            "board unix|browser|microbit|pico",
            "board esp --kind",
            "--link PATH",
            "--kind KIND",
        ] {
            assert!(help.contains(part), "{part}: {help}");
        }
        assert!(output.stderr.is_empty(), "{word}");
    }
}

#[test]
fn an_unknown_word_is_named_above_the_help() {
    for (words, said) in [
        (&["--fast"][..], "what is `--fast`?"),
        (&["arduino"], "there is no board `arduino`"),
        (&["unix", "--baud", "fast"], "`fast` is no number"),
        (&["unix", "--link"], "--link wants a value"),
        (&["pico", "--firmware", "v0"], "no firmware is known as v0"),
        (&["esp", "--kind", "6502"], "there is no esp `6502`"),
    ] {
        let output = Command::new(BOARD).args(words).output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {stderr}");
        assert!(stderr.starts_with(said), "{words:?}: {stderr}");
    }
}

#[test]
fn before_the_setup_a_line_says_what_to_run() {
    let empty = tempfile::tempdir().expect("there is room for temporary files");
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv");
    for board in ["unix", "microbit", "browser"] {
        // Nor is there an emulator or a browser.
        let mut command = with_folders("env", &[(empty.path(), &venv)]);
        command.args(["PATH=/nowhere", BOARD]);
        let output = command.arg(board).output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.contains("run `cargo xtask setup`"),
            "{board}: {stderr}"
        );
        assert!(!stderr.contains("backtrace"), "{board}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{board}: {stderr}");
        assert!(!output.status.success(), "{board}");
    }
}

#[test]
fn without_standard_input_a_board_lives_until_it_is_ended() {
    let closed = || {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" unix <&-", BOARD]);
        shell
    };
    let mut null = Command::new(BOARD);
    null.arg("unix").stdin(Stdio::null());
    for mut command in [closed(), null] {
        let (mut child, path) = started(&mut command);
        answers(&path);
        assert_eq!(child.try_wait().expect("it is our child"), None);
        kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
        child.wait().expect("it is our child");
    }
}

#[test]
fn a_board_ends_with_its_standard_input() {
    let mut command = Command::new(BOARD);
    command.arg("unix").stdin(Stdio::piped());
    let (mut child, path) = started(&mut command);
    answers(&path);
    // The next board may get a port of this name at once, so its end is seen at the open port.
    let mut port = OpenOptions::new()
        .write(true)
        .open(&path)
        .expect("it is there");
    drop(child.stdin.take());
    assert!(child.wait().expect("it is our child").success());
    assert!(port.write(b"\r").is_err(), "its port is gone");
}
