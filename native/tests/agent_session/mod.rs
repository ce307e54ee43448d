//! The agent's command in a folder with a workspace and a session, as every test of its loop begins.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

/// `flylead agent` in this folder, with nobody at the keyboard.
pub(crate) fn flylead(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .current_dir(folder)
        .arg("agent")
        .args(arguments)
        .stdin(Stdio::null());
    command
}

pub(crate) fn ran(folder: &Path, arguments: &[&str]) -> Output {
    flylead(folder, arguments).output().unwrap()
}

/// What it said, the errors last.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A folder with a workspace and a session in it.
pub(crate) fn session(task: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("work")).unwrap();
    let begun = ran(
        folder.path(),
        &["new", "--task", task, "--workspace", "work"],
    );
    assert!(begun.status.success(), "{}", said(&begun));
    folder
}

/// The message that waits for its reply.
pub(crate) fn outbox(folder: &Path) -> String {
    String::from_utf8(ran(folder, &["next"]).stdout).unwrap()
}
