//! Child processes that do not outlive their test, however it ends.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::setup::command;

/// A running program. It ends when this is dropped, and also when this process is killed: a shell beside it waits
/// for the end of a pipe that only we hold.
#[derive(Debug)]
pub(in crate::boards) struct Leash {
    shell: Child,
    hold: Option<ChildStdin>,
}

/// `$@` is the program. What it prints goes to the log.
const HOLD: &str = r#"exec 3<&0; "$@" </dev/null 3<&- & program=$!
trap '' INT HUP; read -r _ <&3; kill "$program" 2>/dev/null; wait "$program""#;

impl Leash {
    /// Starts a program, writing what it prints into `log`.
    pub(in crate::boards) fn start<A: AsRef<OsStr>>(
        program: &str,
        arguments: &[A],
        log: &Path,
    ) -> Self {
        let output = File::create(log).expect("the log is in our own folder");
        let errors = output.try_clone().expect("a file can be opened twice");
        let mut shell = Command::new("/bin/sh")
            .args(["-c", HOLD, "leash"])
            .arg(command(program))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .unwrap_or_else(|fault| panic!("{program} does not start: {fault}"));
        let hold = shell.stdin.take();
        Self { shell, hold }
    }
}

/// Looking for a program below ours, where the system has `/proc`.
impl Leash {
    /// The process below this one whose program has this name, if there is one.
    pub(in crate::boards) fn descendant(&self, name: &str) -> Option<u32> {
        let mut descendants = self.descendants().into_iter();
        Some(descendants.find(|process| process.name == name)?.id)
    }

    fn descendants(&self) -> Vec<Process> {
        let mut others: Vec<Process> = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| Process::read(entry.ok()?.file_name().to_str()?.parse().ok()?))
            .collect();
        let mut known = vec![self.shell.id()];
        let mut found = Vec::new();
        while let Some(parent) = known.pop() {
            let children = others.extract_if(.., |process| process.parent == parent);
            let children: Vec<_> = children.collect();
            known.extend(children.iter().map(|child| child.id));
            found.extend(children);
        }
        found
    }
}

struct Process {
    id: u32,
    parent: u32,
    name: String,
}

impl Process {
    /// Reads `12 (name) S 1 …`.
    fn read(id: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (start, rest) = text.rsplit_once(") ")?;
        let name = start.split_once('(')?.1.to_owned();
        let parent = rest.split(' ').nth(1)?.parse().ok()?;
        Some(Self { id, parent, name })
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        drop(self.hold.take());
        let give_up = Instant::now() + PATIENCE;
        while matches!(self.shell.try_wait(), Ok(None)) {
            if Instant::now() > give_up {
                // A program that does not end when it is asked to, such as an emulator that is caught in a call.
                for process in self.descendants() {
                    let id = process.id.to_string();
                    let _ = Command::new("kill").args(["-9", &id]).status();
                }
                let _ = self.shell.wait();
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Time that a program has to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for something that takes a moment on a quiet machine and longer on a busy one.
///
/// # Panics
///
/// After half a minute, with what `explain` says.
pub(in crate::boards) fn wait_for<T>(
    mut look: impl FnMut() -> Option<T>,
    explain: impl FnOnce() -> String,
) -> T {
    let give_up = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < give_up, "{}", explain());
        thread::sleep(Duration::from_millis(10));
    }
}
