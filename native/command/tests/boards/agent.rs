//! The agent's loop with a MicroPython board as the workspace: the real program, a real interpreter.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use flylead_tests::boards::UnixBoard;

fn agent(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flylead"))
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .arg("agent")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn outbox(folder: &Path) -> String {
    let next = agent(folder, &["next"]);
    assert!(next.status.success(), "{}", said(&next));
    String::from_utf8(next.stdout).unwrap()
}

fn session(board: &UnixBoard, task: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let workspace = format!("board:{}", board.path().display());
    let begun = agent(
        folder.path(),
        &["new", "--task", task, "--workspace", &workspace],
    );
    assert!(begun.status.success(), "{}", said(&begun));
    folder
}

#[test]
fn an_llm_writes_a_module_on_the_board_tries_it_and_mends_it() {
    let board = UnixBoard::start();
    let folder = session(&board, "Write blink.py");
    let folder = folder.path();
    let first = outbox(folder);
    assert!(
        first.contains("RUN_COMMAND runs its body there as a Python program"),
        "{first}"
    );

    let reply = "[CREATE_FILE path=\"lib/blink.py\"]\ndef on():\n    retrun 1\n[/CREATE_FILE]\n[RUN_COMMAND]\nimport sys\nsys.path.append('lib')\nimport blink\n[/RUN_COMMAND]\n[READ_FILE path=\"none.py\"]\n[CREATE_FILE path=\"../x\"]\n[/CREATE_FILE]\n[DELETE_FILE path=\"lib\"]\n";
    fs::write(folder.join("reply"), reply).unwrap();
    let done = agent(folder, &["apply", "reply", "--yes"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(
        said(&done).contains("Python programs on the board at"),
        "{}",
        said(&done)
    );
    let second = outbox(folder);
    for wanted in [
        "  lib/blink.py (23 bytes)\n",
        "[OK] CREATE_FILE: Created 'lib/blink.py'",
        "[FAILED] RUN_COMMAND: The program raised SyntaxError\n  Output: Traceback",
        "[FAILED] READ_FILE: File 'none.py' not found",
        "[FAILED] CREATE_FILE: REJECTED: Path is outside workspace: '../x'",
        "[FAILED] DELETE_FILE: 'lib': names a directory",
    ] {
        assert!(second.contains(wanted), "{wanted}\n{second}");
    }

    let reply = "[EDIT_FILE path=\"lib/blink.py\" start_line=\"2\" end_line=\"2\" expect=\"retrun 1\"]\n    return 42\n[/EDIT_FILE]\n[READ_FILE path=\"lib/blink.py\"]\n[RUN_COMMAND]\nimport blink\nx = ‘’ # it’s “plain”\nprint(blink.on())\n[/RUN_COMMAND]\n[CREATE_FILE path=\"gone\"]\n[/CREATE_FILE]\n[DELETE_FILE path=\"gone\"]\n";
    fs::write(folder.join("reply"), reply).unwrap();
    let done = agent(folder, &["apply", "reply", "--yes"]);
    assert!(done.status.success(), "{}", said(&done));
    let third = outbox(folder);
    assert!(
        third.contains("[OK] RUN_COMMAND: Ran the program\n  Output: 42\n"),
        "{third}"
    );
    assert!(
        third
            .contains("--- lib/blink.py ---\ndef on():\n    return 42\n--- end lib/blink.py ---\n"),
        "{third}"
    );
    assert!(!third.contains("  gone"), "{third}");

    let undone = agent(folder, &["undo"]);
    assert!(
        said(&undone).contains("lib/blink.py: as before"),
        "{}",
        said(&undone)
    );
    assert!(outbox(folder).contains("[OK] UNDO: The person undid"));
    let file = fs::read_to_string(board.flash().join("lib/blink.py")).unwrap();
    assert_eq!(file, "def on():\n    retrun 1\n");
}

#[test]
fn without_a_persons_word_no_program_runs_on_the_board() {
    let board = UnixBoard::start();
    let folder = session(&board, "t");
    let reply = "[RUN_COMMAND]\nopen('made', 'w').close()\n[/RUN_COMMAND]\n";
    fs::write(folder.path().join("reply"), reply).unwrap();
    agent(folder.path(), &["apply", "reply", "--yes=files"]);
    let text = outbox(folder.path());
    assert!(
        text.contains("was not run: not allowed by policy"),
        "{text}"
    );
    assert!(!board.flash().join("made").exists());
    assert!(agent(folder.path(), &["status"]).status.success());
}

#[test]
fn a_board_that_is_not_there_begins_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let begun = agent(
        folder.path(),
        &["new", "--task", "t", "--workspace", "board:/nothing/there"],
    );
    assert!(!begun.status.success(), "{}", said(&begun));
    assert_eq!(agent(folder.path(), &["list"]).stdout, b"");
}
