//! The agent's command in a folder with a workspace and a session, as every test of its loop begins.
#![allow(dead_code, reason = "most tests that use it are for Linux")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// `flylead agent` in this folder, with nobody at the keyboard.
pub(crate) fn flylead(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .arg("agent")
        .args(arguments)
        .stdin(Stdio::null());
    command
}

pub(crate) fn ran(folder: &Path, arguments: &[&str]) -> Output {
    flylead(folder, arguments).output().unwrap()
}

/// Returns the output, the errors last.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A folder with a workspace and a session in it.
pub(crate) fn session(task: &str) -> tempfile::TempDir {
    session_with(task, &[])
}

/// Starts a session with choices of the person.
pub(crate) fn session_with(task: &str, choices: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("work")).unwrap();
    let new = ["new", "--task", task, "--workspace", "work"];
    let begun = ran(folder.path(), &[&new, choices].concat());
    assert!(begun.status.success(), "{}", said(&begun));
    folder
}

/// Returns the folder of the agent's own files about the only workspace used from here.
pub(crate) fn home(folder: &Path) -> PathBuf {
    let homes = fs::read_dir(folder.join("state/flylead/agent")).unwrap();
    let paths = homes.map(|home| home.unwrap().path());
    let mut homes = paths.filter(|home| home.join("workspace.json").exists());
    homes.next().unwrap()
}

/// The message that waits for its reply.
pub(crate) fn outbox(folder: &Path) -> String {
    String::from_utf8(ran(folder, &["next"]).stdout).unwrap()
}
