//! Helpers shared by the tests of the command.

use std::{
    fs,
    io::Read as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal},
};
use serde_json::Value;
use tempfile::TempDir;

/// `flylead` for one board.
pub(crate) fn flylead(board: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("--port")
        .arg(board)
        .args(arguments)
        .stdin(Stdio::null());
    command
}

/// Runs a command; returns the exit code, stdout and stderr without what is said of waiting.
pub(crate) fn run(command: Command) -> (i32, String, String) {
    told_of(piped(command))
}

/// Like [`run`], with all of stderr.
pub(crate) fn run_with_notes(command: Command) -> (i32, String, String) {
    told_whole(piped(command).wait_with_output().expect("it is our child"))
}

pub(crate) fn told(output: Output) -> (i32, String, String) {
    let (code, stdout, stderr) = told_whole(output);
    let lines = stderr.split_inclusive('\n');
    (
        code,
        stdout,
        lines.filter(|it| !is_of_waiting(it)).collect(),
    )
}

/// True for what is said after two seconds, which a slow machine takes for anything.
fn is_of_waiting(line: &str) -> bool {
    line.starts_with("flylead: waiting for ") && line.trim_end().ends_with("Ctrl-C gives up")
}

pub(crate) fn told_whole(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("these tests speak UTF-8");
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

pub(crate) fn told_of(child: Child) -> (i32, String, String) {
    told(child.wait_with_output().expect("it is our child"))
}

/// Starts it with pipes for what it prints. It is killed when it takes too long, so that no test waits forever.
pub(crate) fn piped(mut command: Command) -> Child {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("flylead starts");
    let pid = Pid::from_child(&child);
    // A handle on the process, and not its number, which is another's after it ended.
    let handle = pidfd_open(pid, PidfdFlags::empty()).expect("it is our child");
    thread::spawn(move || {
        let mut ended = [PollFd::new(&handle, PollFlags::IN)];
        if poll(&mut ended, Some(&PATIENCE)) == Ok(0) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
        }
    });
    child
}

pub(crate) fn done(stdout: &str) -> (i32, String, String) {
    (0, stdout.to_owned(), String::new())
}

/// Starts it, and waits until the program on the board has printed a line.
pub(crate) fn started(command: Command) -> Child {
    let mut child = piped(command);
    let mut line = [0; 6];
    let stdout = child.stdout.as_mut().expect("it is piped");
    stdout.read_exact(&mut line).expect("the program prints");
    assert_eq!(&line, b"ready\n");
    child
}

pub(crate) fn press_ctrl_c(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).expect("it runs");
}

/// Runs a command that must succeed, and returns its output.
pub(crate) fn must(board: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(flylead(board, arguments));
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
    stdout
}

pub(crate) fn json(board: &Path, arguments: &[&str]) -> Value {
    let text = must(board, &[&["--json"], arguments].concat());
    serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

pub(crate) fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("it is below the folder")).unwrap();
    fs::write(&path, content).unwrap();
    path.to_str().expect("its name is text").to_owned()
}

/// Bytes that do not shrink.
pub(crate) fn random(size: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..size).map(|_| next()).collect()
}

/// Counts the entries of a directory, including nested ones.
pub(crate) fn entries(directory: &Path) -> usize {
    fs::read_dir(directory).expect("it is there").count()
}

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < give_up, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// More than anything here takes on a busy machine.
const PATIENCE: Timespec = Timespec {
    tv_sec: 90,
    tv_nsec: 0,
};
