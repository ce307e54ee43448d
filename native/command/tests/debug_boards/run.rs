//! The command with a script at its stdin.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use tempfile::TempDir;

/// Time limit of any step; a busy machine is not a fault.
const LIMIT: Duration = Duration::from_secs(120);

/// A debugger that waits for commands.
pub(crate) struct Debugging {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// Result of a debugger.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Debugging {
    pub(crate) fn start(board: &Path, words: &[&str]) -> Self {
        let mut child = flylead(board)
            .arg("debug")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command was built");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = stdout.lines().map_while(Result::ok);
            lines.try_for_each(|line| sender.send(line))
        });
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            lines,
        }
    }

    pub(crate) fn type_in(&mut self, commands: &str) {
        let stdin = self.stdin.as_mut().expect("it is open");
        // One that has ended already says itself why.
        let _ = stdin.write_all(commands.as_bytes());
    }

    /// Waits for a line with this in it.
    pub(crate) fn until(&self, wanted: &str) {
        while !self.next_line(wanted).contains(wanted) {}
    }

    fn next_line(&self, wanted: &str) -> String {
        let line = self.lines.recv_timeout(LIMIT);
        line.unwrap_or_else(|error| panic!("{wanted}: {error}"))
    }

    pub(crate) fn interrupt(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill is there").success());
    }

    /// The end, after the end of its stdin.
    pub(crate) fn end(mut self) -> Ended {
        drop(self.stdin.take());
        let mut stdout = String::new();
        while let Ok(line) = self.lines.recv_timeout(LIMIT) {
            stdout += &format!("{line}\n");
        }
        let mut stderr = String::new();
        let mut errors = self.child.stderr.take().expect("it is piped");
        errors.read_to_string(&mut stderr).expect("it is text");
        let code = self.child.wait().expect("it is our child").code();
        Ended {
            code,
            stdout,
            stderr,
        }
    }
}

/// The command for a board.
pub(crate) fn flylead(board: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command.arg("--port").arg(board);
    command
}

/// Debugs a program with these commands.
pub(crate) fn debug(board: &Path, program: &Path, commands: &str, more: &[&str]) -> Ended {
    let program = program.display().to_string();
    debug_words(board, commands, &[more, &[&program]].concat())
}

/// Debugs with these commands what the words of the command line name.
pub(crate) fn debug_words(board: &Path, commands: &str, words: &[&str]) -> Ended {
    let mut debugging = Debugging::start(board, words);
    debugging.type_in(commands);
    debugging.end()
}

/// Runs a program without a debugger.
pub(crate) fn plain(board: &Path, program: &Path, words: &[&str]) -> Ended {
    let output = flylead(board)
        .arg("run")
        .arg(program)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .expect("the command was built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\r', "");
    Ended {
        code: output.status.code(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// A program in a folder of its own.
pub(crate) fn program(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = folder.path().join("main.py");
    fs::write(&path, text).expect("the folder is ours");
    (folder, path)
}

/// Asserts that the board is at its prompt and holds no file that was not there.
pub(crate) fn is_free(board: &Path) {
    let program = "import os\nprint('free', [one for one in os.listdir() if one.endswith('.py')])";
    let output = flylead(board)
        .args(["exec", program])
        .output()
        .expect("the command was built");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.trim_end(), "free []", "{output:?}");
}
