//! `flylead fs` and `flylead edit` on real boards: what a person or a script sees of them.
#![cfg(unix)]

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::{Faults, UnixBoard, Wire};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// `flylead` for one board, killed if it does not end by itself.
fn flylead(board: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["--signal=KILL", "100", env!("CARGO_BIN_EXE_flylead")])
        .arg("--port")
        .arg(board)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What came of it: the exit code, stdout, stderr.
fn run(board: &UnixBoard, arguments: &[&str]) -> (i32, String, String) {
    told(
        flylead(board.path(), arguments)
            .output()
            .expect("it starts"),
    )
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("these tests speak UTF-8");
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

/// What it prints, when all goes well.
fn must(board: &UnixBoard, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(board, arguments);
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
    stdout
}

fn json(board: &UnixBoard, arguments: &[&str]) -> Value {
    let text = must(board, &[&["--json"], arguments].concat());
    serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("it is below the folder")).unwrap();
    fs::write(&path, content).unwrap();
    path.to_str().expect("its name is text").to_owned()
}

/// Bytes that do not shrink.
fn random(size: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..size).map(|_| next()).collect()
}

#[test]
fn each_command_answers_in_json() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "a b.py", "print('é')\n");
    assert_eq!(
        json(&board, &["fs", "cp", &file, ":x.py"]),
        json!({ "from": file, "to": ":x.py", "bytes": 12 })
    );
    let back = here.path().join("back.py").display().to_string();
    assert_eq!(
        json(&board, &["fs", "cp", ":x.py", &back]),
        json!({ "from": ":x.py", "to": back, "bytes": 12 })
    );
    assert_eq!(fs::read(&back).unwrap(), fs::read(&file).unwrap());
    assert_eq!(
        json(&board, &["fs", "cp", ":x.py", ":y.py"]),
        json!({ "from": ":x.py", "to": ":y.py", "bytes": 12 })
    );
    assert_eq!(
        json(&board, &["fs", "mv", ":y.py", ":z.py"]),
        json!({ "from": "y.py", "to": "z.py" })
    );
    assert_eq!(
        json(&board, &["fs", "mkdir", ":lib"]),
        json!({ "made": ["lib"] })
    );
    assert_eq!(
        json(&board, &["fs", "touch", ":lib/t"]),
        json!({ "touched": ["lib/t"] })
    );
    let content = json(&board, &["fs", "cat", ":x.py"]);
    assert_eq!(
        content,
        json!({ "path": "x.py", "bytes": 12, "text": "print('é')\n" })
    );
    let hash = json(&board, &["fs", "sha256", ":x.py"]);
    assert_eq!(hash["path"], "x.py");
    assert_eq!(hash["sha256"].as_str().map(str::len), Some(64));
    let stat = json(&board, &["fs", "stat", ":x.py"]);
    assert_eq!((&stat["kind"], &stat["size"]), (&json!("file"), &json!(12)));
    let names = |entries: &Value| -> Vec<String> {
        let entries = entries.as_array().expect("a list").iter();
        entries
            .map(|entry| entry["name"].as_str().expect("text").to_owned())
            .collect()
    };
    assert_eq!(
        names(&json(&board, &["fs", "ls", ":"])["entries"]),
        ["lib", "x.py", "z.py"]
    );
    assert_eq!(
        names(&json(&board, &["fs", "tree", ":"])),
        ["lib", "lib/t", "x.py", "z.py"]
    );
    let space = json(&board, &["fs", "df"]);
    assert!(space["total"].as_u64() >= space["free"].as_u64());
    assert_eq!(
        json(&board, &["fs", "rm", "-r", ":lib", ":x.py", ":z.py"]),
        json!({ "removed": ["lib", "x.py", "z.py"] })
    );
    assert_eq!(fs::read_dir(board.flash()).unwrap().count(), 0);
}

#[test]
fn what_is_no_text_is_base64_in_json_and_itself_without() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "a", b"\xff\x00\x04");
    must(&board, &["fs", "cp", &file, ":a"]);
    assert_eq!(
        json(&board, &["fs", "cat", ":a"]),
        json!({ "path": "a", "bytes": 3, "base64": "/wAE" })
    );
    let output = flylead(board.path(), &["fs", "cat", ":a"]).output();
    assert_eq!(output.unwrap().stdout, b"\xff\x00\x04");
}

#[test]
fn a_tree_goes_there_and_back_and_the_second_sync_sends_no_content() {
    let board = UnixBoard::start();
    let here = folder();
    for (name, size) in [
        ("src/a.py", 3),
        ("src/lib/b c.bin", 40_000),
        ("src/lib/e", 0),
    ] {
        write(&here, name, random(size));
    }
    let src = here.path().join("src").display().to_string();
    must(&board, &["fs", "cp", "-r", &src, ":"]);
    let back = here.path().join("back").display().to_string();
    must(&board, &["fs", "cp", "-r", ":src", &back]);
    for name in ["a.py", "lib/b c.bin", "lib/e"] {
        let [one, other] = [&src, &back].map(|root| fs::read(Path::new(root).join(name)).unwrap());
        assert!(one == other, "{name}");
    }
    fs::write(here.path().join("src/a.py"), "new").unwrap();
    fs::remove_file(here.path().join("src/lib/e")).unwrap();
    let first = json(&board, &["fs", "sync", "--delete", &src, ":src"]);
    assert_eq!(
        first,
        json!({ "copied": ["a.py"], "removed": ["lib/e"], "unchanged": 1 })
    );
    let trace = here.path().join("trace").display().to_string();
    let second = json(&board, &["--trace", &trace, "fs", "sync", &src, ":src"]);
    assert_eq!(second["copied"], json!([]));
    assert_eq!(second["unchanged"], 2);
    let trace = fs::read_to_string(trace).unwrap();
    assert!(!trace.contains("$ write") && trace.contains("$ tree-with-hashes"));
}

#[test]
fn removing_everything_asks_first() {
    let board = UnixBoard::start();
    fs::write(board.flash().join("a"), "a").unwrap();
    for root in [":/", ":", "://", ":/."] {
        let (code, stdout, stderr) = run(&board, &["fs", "rm", "-r", root]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{root}");
        assert!(stderr.contains("nothing was removed"), "{stderr}");
    }
    // On a terminal, which `script` gives it, it waits for a yes.
    for (answer, is_left) in [("no\n", true), ("yes\n", false)] {
        let (program, port) = (env!("CARGO_BIN_EXE_flylead"), board.path().display());
        // In the foreground, for a program behind it may not read the terminal: a shell that
        // does not replace itself by its last command would leave `timeout` in a group of its own.
        let line = format!("timeout --foreground 60 '{program}' --port '{port}' fs rm -r :");
        let mut child = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("util-linux is there");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(answer.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("Remove everything on the board?"), "{text}");
        assert_eq!(board.flash().join("a").exists(), is_left, "{text}");
    }
}

/// An editor: a script that gets the file's name.
fn editor(folder: &TempDir, script: &str) -> PathBuf {
    let path = PathBuf::from(write(folder, "editor", format!("#!/bin/sh\n{script}\n")));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn edit(board: &UnixBoard, editor: &Path) -> (i32, String, String) {
    let mut command = flylead(board.path(), &["edit", ":main.py"]);
    // One that is set to nothing is none.
    command.env("VISUAL", "").env("EDITOR", editor);
    told(command.output().expect("it starts"))
}

#[test]
fn an_edited_file_is_written_back_and_an_unchanged_one_is_not() {
    let board = UnixBoard::start();
    let here = folder();
    let add = editor(&here, "echo 'print(1)' >> \"$1\"");
    for lines in 1..=2 {
        let (code, _, stderr) = edit(&board, &add);
        assert_eq!((code, stderr.as_str()), (0, ""));
        let there = fs::read_to_string(board.flash().join("main.py")).unwrap();
        assert_eq!(there, "print(1)\n".repeat(lines));
    }
    let (code, _, stderr) = edit(&board, &editor(&here, "true"));
    assert_eq!((code, stderr.as_str()), (0, "flylead: nothing changed\n"));
    let (code, _, stderr) = edit(&board, &editor(&here, "echo x >> \"$1\"; exit 3"));
    assert_eq!(code, 2);
    assert!(stderr.contains("your version is "), "{stderr}");
    let there = fs::read_to_string(board.flash().join("main.py")).unwrap();
    assert_eq!(there, "print(1)\n".repeat(2));
}

#[test]
fn an_edit_does_not_overwrite_what_changed_meanwhile() {
    let board = UnixBoard::start();
    let here = folder();
    let theirs = board.flash().join("main.py");
    let script = format!("echo ours > \"$1\"; echo theirs > '{}'", theirs.display());
    let (code, _, stderr) = edit(&board, &editor(&here, &script));
    assert_eq!(code, 2);
    assert_eq!(fs::read_to_string(theirs).unwrap(), "theirs\n");
    let (_, ours) = stderr.trim().rsplit_once("your version is ").expect("said");
    assert_eq!(fs::read_to_string(ours).unwrap(), "ours\n");
    fs::remove_dir_all(Path::new(ours).parent().expect("a folder of its own")).unwrap();
}

/// Slow enough that no transfer of these tests gets to its end.
fn slowly(board: &UnixBoard) -> Wire {
    let faults = Faults {
        baud: Some(200_000),
        ..Faults::default()
    };
    Wire::attach(board.path(), faults)
}

/// Ctrl-C, as the terminal sends it to all of its programs.
fn press_ctrl_c(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).expect("it runs");
}

/// At its prompt, and Ctrl-C works.
fn check_board(board: &UnixBoard) {
    assert_eq!(must(board, &["exec", "print(1)"]), "1\n");
    let mut command = flylead(
        board.path(),
        &["exec", "open('on','w').close()\nwhile 1:pass"],
    );
    let child = command.spawn().unwrap();
    wait_for(&board.flash().join("on"));
    press_ctrl_c(&child);
    let (code, _, stderr) = told(child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{stderr}");
}

fn wait_for(file: &Path) {
    let give_up = Instant::now() + Duration::from_secs(60);
    while !file.exists() {
        assert!(Instant::now() < give_up, "{} never came", file.display());
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn ctrl_c_ends_an_upload_and_leaves_the_old_file() {
    let board = UnixBoard::start();
    let here = folder();
    let (old, new) = (
        write(&here, "old", "old"),
        write(&here, "new", random(4_000_000)),
    );
    must(&board, &["fs", "cp", &old, ":a"]);
    let wire = slowly(&board);
    let child = flylead(wire.path(), &["fs", "cp", &new, ":a"]).spawn();
    let child = child.unwrap();
    wait_for(&board.flash().join("a.part"));
    press_ctrl_c(&child);
    let (code, _, stderr) = told(child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{stderr}");
    drop(wire);
    assert_eq!(must(&board, &["fs", "cat", ":a"]), "old");
    assert_eq!(must(&board, &["fs", "ls"]).lines().count(), 1);
    check_board(&board);
}

/// Some of the content has come.
fn has_begun(trace: &str) -> bool {
    let mut progress = trace
        .lines()
        .filter_map(|line| line.strip_prefix("! Progress "));
    progress.any(|bytes| bytes != "0")
}

#[test]
fn ctrl_c_ends_a_download_and_leaves_the_old_file() {
    let board = UnixBoard::start();
    fs::write(board.flash().join("a"), random(4_000_000)).unwrap();
    let here = folder();
    let target = write(&here, "copy", "old");
    let wire = slowly(&board);
    let trace = here.path().join("trace").display().to_string();
    let words = ["--trace", &trace, "fs", "cp", ":a", &target];
    let child = flylead(wire.path(), &words).spawn().unwrap();
    let give_up = Instant::now() + Duration::from_secs(60);
    while !fs::read_to_string(&trace).is_ok_and(|text| has_begun(&text)) {
        assert!(Instant::now() < give_up, "the transfer does not begin");
        thread::sleep(Duration::from_millis(20));
    }
    press_ctrl_c(&child);
    let (code, _, stderr) = told(child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{stderr}");
    drop(wire);
    assert_eq!(fs::read(&target).unwrap(), b"old");
    check_board(&board);
}
