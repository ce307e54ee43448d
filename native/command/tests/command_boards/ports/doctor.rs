//! `flylead doctor`: what it tells of a board, and what it leaves alone.

use std::{
    fs::OpenOptions,
    path::Path,
    process::{Child, Command},
};

use flylead_tests::boards::{Stranger, UnixBoard};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{flylead, folder, must, piped, press_ctrl_c, run, started, told_of};

/// `flylead doctor` for one board, by a user who has no hub but those of this folder.
fn doctor(board: &Path, home: &TempDir) -> Command {
    let mut command = flylead(board, &["--json", "doctor"]);
    command.env("XDG_RUNTIME_DIR", home.path());
    command
}

/// The findings in one area.
fn findings(command: Command, area: &str) -> Vec<Value> {
    let (_, stdout, stderr) = run(command);
    let report: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let findings = report["findings"].as_array().expect("a list");
    let inside = findings.iter().filter(|it| it["area"] == area);
    inside.cloned().collect()
}

/// The text of each finding in one area.
fn texts(command: Command, area: &str) -> Vec<String> {
    let findings = findings(command, area);
    let texts = findings.iter().map(|it| it["text"].as_str());
    texts.map(|text| text.expect("a text").to_owned()).collect()
}

fn end(mut child: Child) {
    press_ctrl_c(&child);
    let _ = child.wait();
}

#[test]
fn a_board_at_its_prompt_says_what_it_is_and_keeps_nothing() {
    let board = UnixBoard::start();
    let home = folder();
    let names = [
        "exec",
        "print(sorted(globals()), sorted(__import__('sys').modules))",
    ];
    let before = must(board.path(), &names);
    let said = texts(doctor(board.path(), &home), "board");
    assert!(said.contains(&"platform: linux".to_owned()), "{said:?}");
    assert_eq!(must(board.path(), &names), before);
    let ports = texts(doctor(board.path(), &home), "ports").join("\n");
    let path = board.path().display();
    assert!(ports.contains(&format!("{path}: free")), "{ports}");
}

#[test]
fn a_board_that_is_too_slow_for_the_time_limit_is_told_with_what_to_do() {
    let board = Stranger::start(|heard| match heard {
        b"\r" => b"\r\n>>> ".to_vec(),
        _ => Vec::new(),
    });
    let home = folder();
    let mut command = doctor(board.path(), &home);
    command.args(["--timeout", "1"]);
    let said = findings(command, "board");
    let [late] = &said[..] else {
        panic!("{said:?}");
    };
    assert_eq!(
        late["text"],
        "the board is at its prompt but does not answer in time"
    );
    let advice = late["advice"].as_str().expect("a text");
    assert!(advice.contains("`--timeout 60`"), "{advice}");
}

#[test]
fn a_program_on_a_board_goes_on_and_is_sent_no_ctrl_c() {
    let board = UnixBoard::start();
    let home = folder();
    // It runs on after its tool has gone, and writes now and then.
    let program = "import time\ni = 0\nwhile i < 120:\n print('still', i)\n i += 1\n time.sleep(.05)\nopen('/flash/whole', 'w').close()";
    let source = home.path().join("p.py");
    std::fs::write(&source, program).unwrap();
    must(
        board.path(),
        &["cp", source.to_str().unwrap(), ":/flash/p.py"],
    );
    must(board.path(), &["exec", "--no-follow", "import p"]);
    let said = texts(doctor(board.path(), &home), "board").join("\n");
    assert!(said.contains("a program is running and printing"), "{said}");
    crate::common::wait_until("the program ends by itself", || {
        board.flash().join("whole").exists()
    });
}

#[test]
fn a_port_that_another_program_has_is_left_alone() {
    let board = UnixBoard::start();
    let home = folder();
    // As screen and Thonny do: open, and not locked.
    let line = OpenOptions::new().read(true).open(board.path()).unwrap();
    let mut theirs = Command::new("sleep").arg("60").stdin(line).spawn().unwrap();
    let said = texts(doctor(board.path(), &home), "board").join("\n");
    let this = format!("sleep (process {})", theirs.id());
    assert!(
        said.contains("not queried") && said.contains(&this),
        "{said}"
    );
    theirs.kill().unwrap();
    theirs.wait().unwrap();
    let said = texts(doctor(board.path(), &home), "board").join("\n");
    assert!(said.contains("platform: linux"), "{said}");
}

#[test]
fn a_shared_board_is_asked_through_its_hub_and_only_when_it_is_free() {
    let board = UnixBoard::start();
    let home = folder();
    let ours = |words: &[&str]| {
        let mut command = flylead(board.path(), words);
        command.env("XDG_RUNTIME_DIR", home.path());
        command
    };
    let hub = ours(&["serve", "--json", "--board", "--listen", "127.0.0.1:0"]);
    let mut hub = piped(hub);
    let mut line = String::new();
    let stdout = hub.stdout.as_mut().expect("it is piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    let network = texts(doctor(board.path(), &home), "hub").join("\n");
    assert!(network.contains(" listens at 127.0.0.1:"), "{network}");
    assert!(network.contains("for this computer alone"), "{network}");

    let runs = started(ours(&[
        "exec",
        "print('ready')\nimport time\ntime.sleep(60)",
    ]));
    let said = texts(doctor(board.path(), &home), "board").join("\n");
    assert!(
        said.contains("not queried") && said.contains("flylead exec"),
        "{said}"
    );
    press_ctrl_c(&runs);
    told_of(runs);
    assert_eq!(run(ours(&["exec", "print(42)"])).1, "42\n");
    crate::common::wait_until("the board is free", || {
        texts(doctor(board.path(), &home), "board").contains(&"platform: linux".to_owned())
    });
    end(hub);
}

#[test]
fn without_a_named_board_no_port_is_opened() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .args(["--json", "doctor"])
        .env_remove("FLYLEAD_PORT");
    let said = texts(command, "board");
    assert_eq!(said, ["not queried; name a board with --port ADDRESS"]);
}
