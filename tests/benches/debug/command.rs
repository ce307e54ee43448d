//! `flylead debug` and `flylead run`, as a person has them.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use flylead_tests::bench::{fail, flylead};
use tempfile::TempDir;

use crate::programs::{Program, RESULT};

/// Time limit of any step.
const LIMIT: Duration = Duration::from_secs(120);
/// Start of the line that shows the place of a stop.
const STOPPED: &str = "-> ";

/// A program under the debugger.
pub(crate) struct Debugged {
    child: Child,
    lines: Receiver<String>,
    seen: String,
    started: Instant,
    _folder: TempDir,
}

impl Debugged {
    pub(crate) fn start(board: &Path, program: &Program, options: &[&str]) -> Self {
        let folder = written(program);
        let mut command = Command::new(flylead());
        command.arg("-p").arg(board).arg("debug");
        command.args(options);
        command.arg(folder.path().join("main.py"));
        let started = Instant::now();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|fault| fail(&format!("flylead: {fault}")));
        let lines = lines(&mut child);
        Self {
            child,
            lines,
            seen: String::new(),
            started,
            _folder: folder,
        }
    }

    /// Milliseconds since the command was started.
    pub(crate) fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1000.0
    }

    pub(crate) fn type_in(&mut self, commands: &str) {
        let stdin = self.child.stdin.as_mut();
        // One that has ended says itself why.
        let _ = stdin.map(|stdin| stdin.write_all(commands.as_bytes()));
    }

    /// Waits until the program is stopped. Milliseconds since the command was started.
    pub(crate) fn until_stopped(&mut self) -> f64 {
        self.until(STOPPED);
        self.elapsed()
    }

    /// Runs these commands, and the program to its end, with a breakpoint that is never reached; the number that it prints.
    pub(crate) fn with(mut self, commands: &str, program: &Program) -> f64 {
        self.type_in(&format!("{commands}b {}\nc\n", program.elsewhere));
        self.result()
    }

    /// The number that the program prints.
    pub(crate) fn result(mut self) -> f64 {
        let result = number(&self.until(RESULT));
        self.end();
        result
    }

    fn until(&mut self, start: &str) -> String {
        loop {
            let Ok(line) = self.lines.recv_timeout(LIMIT) else {
                self.fail(start)
            };
            if line.starts_with(start) {
                return line;
            }
            self.seen += &format!("{line}\n");
        }
    }

    fn fail(&mut self, wanted: &str) -> ! {
        let _ = self.child.kill();
        let mut errors = String::new();
        let stderr = self.child.stderr.as_mut();
        let _ = stderr.map(|stderr| stderr.read_to_string(&mut errors));
        fail(&format!(
            "no `{wanted}` comes, after:\n{}{errors}",
            self.seen
        ))
    }

    pub(crate) fn end(mut self) {
        self.type_in("q\n");
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Runs a program without a debugger, with its modules on the board: the number that it prints.
pub(crate) fn run(board: &Path, program: &Program, reset: bool) -> f64 {
    let folder = written(program);
    if let Some(text) = &program.module {
        flylead_on(
            board,
            &["exec", &format!("open('lib.py','w').write({text:?})")],
        );
    }
    if reset {
        flylead_on(board, &["reset"]);
    }
    let path = folder.path().join("main.py").display().to_string();
    let printed = flylead_on(board, &["run", &path]);
    if program.module.is_some() {
        let forget = "import os,sys\nos.remove('lib.py')\nsys.modules.pop('lib',0)";
        flylead_on(board, &["exec", forget]);
    }
    let line = printed.lines().find(|line| line.starts_with(RESULT));
    number(line.unwrap_or_else(|| fail(&format!("no result in:\n{printed}"))))
}

fn flylead_on(board: &Path, words: &[&str]) -> String {
    let output = Command::new(flylead())
        .arg("-p")
        .arg(board)
        .args(words)
        .output()
        .unwrap_or_else(|fault| fail(&format!("flylead: {fault}")));
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        fail(&format!("flylead {}: {errors}", words[0]));
    }
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn written(program: &Program) -> TempDir {
    let folder = tempfile::tempdir().unwrap_or_else(|fault| fail(&fault.to_string()));
    let files = [
        ("main.py", Some(&program.text)),
        ("lib.py", program.module.as_ref()),
    ];
    for (name, text) in files {
        let written = text.map_or(Ok(()), |text| fs::write(folder.path().join(name), text));
        written.unwrap_or_else(|fault| fail(&fault.to_string()));
    }
    folder
}

fn lines(child: &mut Child) -> Receiver<String> {
    let stdout = child.stdout.take();
    let stdout = stdout.unwrap_or_else(|| fail("the command has no stdout"));
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        lines.try_for_each(|line| sender.send(line))
    });
    lines
}

fn number(line: &str) -> f64 {
    let number = line.trim_start_matches(RESULT).trim().parse();
    number.unwrap_or_else(|_| fail(&format!("{line} is no result")))
}
