//! Tests what stays on this computer when a folder is sent, and files with peculiar sources and names.

use std::fs;

use flylead_tests::boards::UnixBoard;
use serde_json::json;

use crate::common::{flylead, folder, json as answer, must, run, write};

#[test]
fn what_belongs_to_this_computer_is_not_sent_and_its_copy_is_not_removed() {
    let board = UnixBoard::start();
    let here = folder();
    for file in [
        "main.py",
        "secrets.py",
        "key.pem",
        "__pycache__/main.pyc",
        ".git/config",
        "build/x",
        "typings/machine.pyi",
        "names.pyi",
    ] {
        write(&here, &format!("src/{file}"), "x = 1\n");
    }
    write(&here, "src/.gitignore", "build/\n");
    fs::create_dir_all(board.flash().join("app")).unwrap();
    fs::write(board.flash().join("app/key.pem"), "the board's own").unwrap();
    let src = here.path().join("src").display().to_string();
    let synced = answer(board.path(), &["fs", "sync", "--delete", &src, ":app"]);
    assert_eq!(synced["copied"], json!(["main.py", "secrets.py"]));
    assert_eq!(synced["removed"], json!([]));
    let (code, _, stderr) = run(flylead(board.path(), &["cp", "-r", &src, ":copy"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("key.pem (it looks like a secret)"),
        "{stderr}"
    );
    assert!(stderr.contains("build (git ignores it)"), "{stderr}");
    for stubs in ["typings", "names.pyi"] {
        let told = format!("{stubs} (stubs are for editors)");
        assert!(stderr.contains(&told), "{stderr}");
    }
    let sent = || {
        let names = fs::read_dir(board.flash().join("copy")).unwrap();
        names.count()
    };
    assert_eq!(sent(), 2);
    must(board.path(), &["cp", "-r", "--all", &src, ":copy"]);
    // Into the folder, which exists by now.
    assert!(board.flash().join("copy/src/.git/config").is_file());
    // A file that is named is sent, whatever it is.
    let key = here.path().join("src/key.pem").display().to_string();
    must(board.path(), &["cp", &key, ":"]);
}

#[test]
fn a_device_without_an_end_is_refused() {
    let board = UnixBoard::start();
    let (code, _, stderr) = run(flylead(board.path(), &["cp", "/dev/zero", ":"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("is longer than 64 MiB"), "{stderr}");
}

#[test]
fn a_line_of_a_list_is_one_entry() {
    let board = UnixBoard::start();
    fs::write(board.flash().join("n\nl"), "").unwrap();
    assert_eq!(must(board.path(), &["ls"]).lines().count(), 1);
    // As JSON it has its own name.
    assert!(must(board.path(), &["--json", "ls"]).contains(r#""name":"n\nl""#));
}

#[test]
fn a_folder_is_not_moved_into_itself() {
    let board = UnixBoard::start();
    must(board.path(), &["mkdir", ":t"]);
    let (code, _, stderr) = run(flylead(board.path(), &["mv", ":t", ":t/sub"]));
    assert_eq!(code, 2);
    assert!(
        stderr.contains(":t cannot be moved into itself"),
        "{stderr}"
    );
}
