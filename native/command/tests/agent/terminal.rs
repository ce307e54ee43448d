//! Programs that a person sits at: on a terminal, with keys and a screen.
#![allow(dead_code, reason = "most tests that use it are for Linux")]

use std::{
    fs::File,
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

use crate::session;

/// Starts the command with its output for us to read while it runs.
pub(crate) fn flylead(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = session::flylead(folder, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A child that is killed when it is not wanted any more, so that no test leaves one behind.
pub(crate) struct Kept(pub(crate) Child);

impl Kept {
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        wait_for("the end of the program", || self.0.try_wait().unwrap()).code()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Polls until `look` finds something.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A program on a terminal, and all that it showed.
pub(crate) struct Terminal {
    pub(crate) child: Kept,
    keyboard: File,
    shown: Arc<Mutex<String>>,
}

impl Terminal {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::of(|| flylead(folder, arguments))
    }

    pub(crate) fn of(command: impl FnOnce() -> Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs =
            rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let theirs = || Stdio::from(theirs.try_clone().unwrap());
        let child = command()
            .stdin(theirs())
            .stdout(theirs())
            .stderr(theirs())
            .spawn()
            .unwrap();
        let keyboard = File::from(ours);
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut screen, seen) = (keyboard.try_clone().unwrap(), Arc::clone(&shown));
        thread::spawn(move || {
            let mut piece = [0; 1024];
            while let Ok(length @ 1..) = screen.read(&mut piece) {
                let text = String::from_utf8_lossy(&piece[..length]);
                seen.lock().unwrap().push_str(&text);
            }
        });
        Self {
            child: Kept(child),
            keyboard,
            shown,
        }
    }

    /// Waits until a text is shown, and answers all that was shown.
    pub(crate) fn until(&self, text: &str) -> String {
        let seen = || {
            let shown = self.shown.lock().unwrap().clone();
            shown.contains(text).then_some(shown)
        };
        wait_for(text, seen)
    }

    /// Counts the times that a text was shown.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.shown.lock().unwrap().matches(text).count()
    }

    /// All that was shown, when the program has ended.
    pub(crate) fn all(&self) -> String {
        let (mut last, mut quiet) = (usize::MAX, 0);
        wait_for("the end of what is shown", || {
            let length = self.shown.lock().unwrap().len();
            quiet = if length == last { quiet + 1 } else { 0 };
            last = length;
            (quiet > 5).then_some(())
        });
        self.shown.lock().unwrap().clone()
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }
}

const PATIENCE: Duration = Duration::from_secs(60);
