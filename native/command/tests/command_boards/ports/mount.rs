//! Tests the remains of a killed `mpremote mount`: a file system whose peer is gone.

use std::{
    io::Read as _,
    path::Path,
    process::{Child, Command, Stdio},
};

use flylead_tests::boards::{UnixBoard, venv};

use crate::common::{folder, must};

/// Mounts a folder of this computer, and waits until it is there. The board's user has names that our programs look for.
fn mount(board: &Path, folder: &Path) -> Child {
    let mut child = Command::new(venv().join("bin/mpremote"))
        .arg("connect")
        .arg(board)
        // At a soft reset the unix port leaves.
        .args(["resume", "mount"])
        .arg(folder)
        .args(["exec", "q = b = 1; print('ready')", "sleep", "300"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("mpremote starts");
    let stdout = child.stdout.as_mut().expect("it is piped");
    let mut told = Vec::new();
    while !told.windows(5).any(|piece| piece == b"ready") {
        let mut byte = [0];
        stdout.read_exact(&mut byte).expect("it says when it is");
        told.extend(byte);
    }
    child
}

#[test]
fn a_board_goes_on_after_a_mount_was_killed() {
    for command in [&["fs", "ls"][..], &["info"], &["fs", "tree", "/flash"]] {
        let board = UnixBoard::start();
        std::fs::write(board.flash().join("kept.py"), "").unwrap();
        let here = folder();
        let mut mpremote = mount(board.path(), here.path());
        mpremote.kill().expect("it is our child");
        mpremote.wait().expect("it is our child");
        let told = must(board.path(), command);
        assert!(
            told.contains("kept.py") || told.contains("platform"),
            "{command:?}: {told}"
        );
    }
}
