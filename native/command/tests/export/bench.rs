//! A device on a pseudo-terminal, a folder for its logs, and the command between them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use flylead_tests::boards::{Line, Recorder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const LOG: &str = "time,value\n0,1\n1,4\n2,9\n3,16\n";

/// A device, and a folder for its logs.
pub(crate) struct Bench {
    pub(crate) device: Recorder,
    pub(crate) artifacts: TempDir,
    /// Of the person, and no other bench's: ports are used again.
    pub(crate) state: TempDir,
}

impl Bench {
    pub(crate) fn new(device: Recorder) -> Self {
        Self {
            device,
            artifacts: tempfile::tempdir().expect("the system has a temporary folder"),
            state: tempfile::tempdir().expect("the system has a temporary folder"),
        }
    }

    /// A device that answers `EXPORT` with these in turn, and then with the last of them.
    pub(crate) fn answering(answers: &[&[u8]]) -> Self {
        let answers: Vec<Vec<u8>> = answers.iter().map(|answer| answer.to_vec()).collect();
        let mut count = 0;
        Self::new(Recorder::start(move |line, port: &mut Line| {
            if line.starts_with("EXPORT") {
                port.say(&answers[count.min(answers.len() - 1)]);
                count += 1;
            }
        }))
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
        command
            .arg("--port")
            .arg(self.device.path())
            .arg("export")
            .arg("--artifacts")
            .arg(self.artifacts.path())
            .args(words)
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", self.state.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The exit code, stdout and stderr.
    pub(crate) fn run(&self, words: &[&str]) -> (i32, String, String) {
        finished(self.command(words).spawn().expect("flylead starts"))
    }

    /// The exit code, and each line of stdout as JSON.
    pub(crate) fn json(&self, words: &[&str]) -> (i32, Vec<Value>) {
        let words = [words, &["--json"]].concat();
        let (code, stdout, _) = self.run(&words);
        let lines = stdout.lines().map(serde_json::from_str);
        (
            code,
            lines.collect::<Result<_, _>>().expect("JSON on stdout"),
        )
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.artifacts.path().join("run001").join(name)
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.file("sd/log.csv")).unwrap_or_default()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.file("sd"))
    }
}

/// The exit code, stdout and stderr of a child that has ended by itself.
pub(crate) fn finished(mut child: Child) -> (i32, String, String) {
    let limit = Instant::now() + PATIENCE;
    while child.try_wait().expect("it is our child").is_none() {
        if Instant::now() > limit {
            let _ = child.kill();
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("it is our child");
    let text = |bytes| String::from_utf8(bytes).expect("these tests speak UTF-8");
    let code = output
        .status
        .code()
        .expect("it ends by itself, and in time");
    (code, text(output.stdout), text(output.stderr))
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it runs");
}

/// Waits for something to become true.
pub(crate) fn wait_until(what: &str, is: impl Fn() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < limit, "{what}: a minute is over");
        thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
