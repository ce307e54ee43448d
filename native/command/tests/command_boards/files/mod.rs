//! `flylead fs` on real boards.

mod backups;
mod copies;
mod deployed;
mod edit;
mod interrupted;
mod mpy;
mod romfs;
mod saved;
mod states;
mod sync;

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use flylead_tests::boards::{Faults, UnixBoard, Wire};
use serde_json::{Value, json};

use crate::common::{flylead, folder, json, must, piped, random, run, told_of, write};

#[test]
fn each_command_answers_in_json() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "a b.py", "print('é')\n");
    assert_eq!(
        json(board.path(), &["fs", "cp", &file, ":x.py"]),
        json!({ "from": file, "to": ":x.py", "bytes": 12 })
    );
    let back = here.path().join("back.py").display().to_string();
    assert_eq!(
        json(board.path(), &["fs", "cp", ":x.py", &back]),
        json!({ "from": ":x.py", "to": back, "bytes": 12 })
    );
    assert_eq!(fs::read(&back).unwrap(), fs::read(&file).unwrap());
    assert_eq!(
        json(board.path(), &["fs", "cp", ":x.py", ":y.py"]),
        json!({ "from": ":x.py", "to": ":y.py", "bytes": 12 })
    );
    assert_eq!(
        json(board.path(), &["fs", "mv", ":y.py", ":z.py"]),
        json!({ "from": "y.py", "to": "z.py" })
    );
    assert_eq!(
        json(board.path(), &["fs", "mkdir", ":lib"]),
        json!({ "made": ["lib"] })
    );
    assert_eq!(
        json(board.path(), &["fs", "touch", ":lib/t"]),
        json!({ "touched": ["lib/t"] })
    );
    let content = json(board.path(), &["fs", "cat", ":x.py"]);
    assert_eq!(
        content,
        json!({ "path": "x.py", "bytes": 12, "text": "print('é')\n" })
    );
    let hash = json(board.path(), &["fs", "sha256", ":x.py"]);
    assert_eq!(hash["path"], "x.py");
    assert_eq!(hash["sha256"].as_str().map(str::len), Some(64));
    let stat = json(board.path(), &["fs", "stat", ":x.py"]);
    assert_eq!((&stat["kind"], &stat["size"]), (&json!("file"), &json!(12)));
    let names = |entries: &Value| -> Vec<String> {
        let entries = entries.as_array().expect("a list").iter();
        entries
            .map(|entry| entry["name"].as_str().expect("text").to_owned())
            .collect()
    };
    assert_eq!(
        names(&json(board.path(), &["fs", "ls", ":"])["entries"]),
        ["lib", "x.py", "z.py"]
    );
    assert_eq!(
        names(&json(board.path(), &["fs", "tree", ":"])),
        ["lib", "lib/t", "x.py", "z.py"]
    );
    let space = json(board.path(), &["fs", "df"]);
    assert!(space["total"].as_u64() >= space["free"].as_u64());
    assert_eq!(
        json(board.path(), &["fs", "rm", "-r", ":lib", ":x.py", ":z.py"]),
        json!({ "removed": ["lib", "x.py", "z.py"] })
    );
    assert_eq!(fs::read_dir(board.flash()).unwrap().count(), 0);
}

#[test]
fn what_is_no_text_is_base64_in_json_and_itself_without() {
    let board = UnixBoard::start();
    let here = folder();
    let file = write(&here, "a", b"\xff\x00\x04");
    must(board.path(), &["fs", "cp", &file, ":a"]);
    assert_eq!(
        json(board.path(), &["fs", "cat", ":a"]),
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
    must(board.path(), &["fs", "cp", "-r", &src, ":"]);
    let back = here.path().join("back").display().to_string();
    must(board.path(), &["fs", "cp", "-r", ":src", &back]);
    for name in ["a.py", "lib/b c.bin", "lib/e"] {
        let [one, other] = [&src, &back].map(|root| fs::read(Path::new(root).join(name)).unwrap());
        assert!(one == other, "{name}");
    }
    fs::write(here.path().join("src/a.py"), "new").unwrap();
    fs::remove_file(here.path().join("src/lib/e")).unwrap();
    let first = json(board.path(), &["fs", "sync", "--delete", &src, ":src"]);
    assert_eq!(
        first,
        json!({ "copied": ["a.py"], "removed": ["lib/e"], "unchanged": 1, "skipped": [] })
    );
    let trace = here.path().join("trace").display().to_string();
    let second = json(
        board.path(),
        &["--trace", &trace, "fs", "sync", &src, ":src"],
    );
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
        let (code, stdout, stderr) = run(flylead(board.path(), &["fs", "rm", "-r", root]));
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
        assert!(text.contains("Remove everything in :?"), "{text}");
        assert_eq!(board.flash().join("a").exists(), is_left, "{text}");
    }
}

#[test]
fn a_file_is_shown_as_it_comes() {
    let board = UnixBoard::start();
    let content = random(200_000);
    fs::write(board.flash().join("a"), &content).unwrap();
    let here = folder();
    let trace = here.path().join("trace");
    // So slow that the last byte is far away when the first one is here.
    let faults = Faults {
        baud: Some(115_200),
        ..Faults::default()
    };
    let wire = Wire::attach(board.path(), faults);
    let words = ["--trace", trace.to_str().unwrap(), "fs", "cat", ":a"];
    let mut child = piped(flylead(wire.path(), &words));
    let mut stdout = child.stdout.take().expect("it is piped");
    let mut first = [0; 100];
    stdout.read_exact(&mut first).unwrap();
    assert_eq!(first, content[..100]);
    let so_far = fs::read_to_string(&trace).unwrap();
    assert!(!so_far.contains("! Answered"), "all came before the first");
    let mut rest = Vec::new();
    stdout.read_to_end(&mut rest).unwrap();
    assert!(rest == content[100..]);
    assert_eq!(told_of(child).0, 0);
}
