//! `flylead log`: what a board prints, with the time of each line, across an unplugged cable.

use std::{
    fs,
    process::{Child, Command},
};

use flylead_tests::boards::{Faults, UnixBoard, Wire};
use tempfile::TempDir;

use crate::common::{flylead, folder, must, piped, press_ctrl_c, run, told_of, wait_until};

fn log(board: &std::path::Path, arguments: &[&str]) -> Command {
    flylead(board, &[&["log"], arguments].concat())
}

/// Lets a program print lines, and leaves it running.
fn let_print(board: &UnixBoard, count: u32) {
    let program =
        format!("import time\nfor i in range({count}):\n print('value', i)\n time.sleep(.02)");
    must(board.path(), &["exec", "--no-follow", &program]);
}

fn end(child: Child) {
    press_ctrl_c(&child);
    let (code, _, stderr) = told_of(child);
    assert_eq!(code, 0, "{stderr}");
}

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap_or_default()
}

#[test]
fn each_format_has_the_time_of_each_line() {
    let board = UnixBoard::start();
    let folder = folder();
    for (name, begins, holds) in [
        ("a.txt", "20", " value 7\n"),
        ("a.csv", "time,kind,text\n20", ",line,value 7\n"),
        ("a.jsonl", "{\"", "\"text\":\"value 7\""),
    ] {
        let path = folder.path().join(name);
        let running = piped(log(board.path(), &[path.to_str().unwrap()]));
        wait_until("the log is open", || path.exists());
        // The port is the log's: the program was started by what is typed, as a person's is.
        end(running);
        let_print(&board, 100);
        let running = piped(log(board.path(), &[path.to_str().unwrap()]));
        wait_until("the line comes", || text(&folder, name).contains(holds));
        end(running);
        let text = text(&folder, name);
        assert!(text.starts_with(begins), "{text}");
    }
    let lines = text(&folder, "a.jsonl");
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let time = record["time"].as_str().unwrap();
        chrono_like(time);
        assert_eq!(record["kind"], "line");
    }
}

/// `2026-11-25T19:00:00.123+00:00`
fn chrono_like(time: &str) {
    let shape: String = time
        .chars()
        .map(|char| if char.is_ascii_digit() { '0' } else { char })
        .collect();
    let shape = shape.replace('-', "+");
    assert_eq!(shape, "0000+00+00T00:00:00.000+00:00", "{time}");
}

#[test]
fn a_log_turns_over_and_keeps_the_newest() {
    let board = UnixBoard::start();
    let folder = folder();
    let path = folder.path().join("log.csv");
    let_print(&board, 200);
    let running = piped(log(
        board.path(),
        &[path.to_str().unwrap(), "--max-size", "1K", "--keep", "2"],
    ));
    wait_until("three files were full", || {
        text(&folder, "log.csv").contains("value 1") && crate::common::entries(folder.path()) == 3
    });
    end(running);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(text.starts_with("time,kind,text\n"), "{text}");
        assert!(text.len() <= 1000, "{}", text.len());
    }
}

#[test]
fn keeping_files_wants_files_that_turn_over() {
    let none = std::path::Path::new("/dev/null");
    let (code, _, stderr) = run(log(none, &["log.txt", "--keep", "2"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("--max-size") && stderr.contains("--hourly"),
        "{stderr}"
    );
}

#[test]
fn a_log_goes_on_after_the_board_was_unplugged() {
    let board = UnixBoard::start();
    let folder = folder();
    let path = folder.path().join("log.jsonl");
    let plug = folder.path().join("board");
    let mut wire = Wire::attach(board.path(), Faults::default());
    std::os::unix::fs::symlink(wire.path(), &plug).unwrap();
    let_print_by(&wire);
    let running = piped(log(&plug, &[path.to_str().unwrap()]));
    wait_until("lines come", || {
        text(&folder, "log.jsonl").contains("value")
    });
    fs::remove_file(&plug).unwrap();
    wire.unplug();
    wait_until("the loss is told", || {
        text(&folder, "log.jsonl").contains("\"kind\":\"gone\"")
    });
    let wire = Wire::attach(board.path(), Faults::default());
    std::os::unix::fs::symlink(wire.path(), &plug).unwrap();
    let back = || {
        let all = text(&folder, "log.jsonl");
        let behind = all.split_once("\"kind\":\"back\"");
        behind.is_some_and(|(_, behind)| behind.contains("value"))
    };
    wait_until("lines come again", back);
    end(running);
}

/// Lets a program print for half a minute.
fn let_print_by(wire: &Wire) {
    let program = "import time\nfor i in range(1500):\n print('value', i)\n time.sleep(.02)";
    must(wire.path(), &["exec", "--no-follow", program]);
}
