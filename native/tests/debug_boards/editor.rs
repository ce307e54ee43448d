//! Editors' own clients: Visual Studio Code's, which holds every message against the protocol's schema, and Emacs'.

use std::{path::Path, process::Command};

use flylead_tests::boards::{UnixBoard, command};

use crate::run::{is_free, program};

#[test]
fn an_editors_own_client_debugs_programs() {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients/debug");
    let modules = client.join("node_modules");
    assert!(
        modules.exists(),
        "{} is missing: run `cargo xtask setup`",
        modules.display()
    );
    let board = UnixBoard::start();
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let output = Command::new("node")
        .args(["--test", "--test-timeout=200000", "session.test.js"])
        .current_dir(client)
        .env("FLYLEAD", env!("CARGO_BIN_EXE_flylead"))
        .env("BOARD", board.path())
        .env("FOLDER", folder.path())
        .output()
        .expect("Node can be started");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("pass 17"), "{said}");
    is_free(board.path());
}

#[test]
fn emacs_debugs_a_program() {
    let board = UnixBoard::start();
    let (folder, path) = program("def f(n):\n    m = n + 1  # here\n    return m\n\nprint(f(1))\n");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/clients/debug/session.el");
    let output = Command::new(command("emacs"))
        .args(["--batch", "--load"])
        .arg(script)
        .env("FLYLEAD", env!("CARGO_BIN_EXE_flylead"))
        .env("BOARD", board.path())
        .env("PROGRAM", path)
        .env("HOME", folder.path())
        .output()
        .expect("Emacs can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    for word in ["stopped in f\n", "stepped\n", "over\n"] {
        assert!(said.contains(word), "{said}");
    }
    assert!(output.status.success(), "{said}");
    is_free(board.path());
}
