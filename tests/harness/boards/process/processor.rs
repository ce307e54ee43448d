//! The emulated processor, as the system sees it: a thread.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

/// The thread of an emulator that runs the firmware.
#[derive(Debug)]
pub(in crate::boards) struct Processor {
    /// `/proc/12/task/13`.
    thread: PathBuf,
    seen: Mutex<Seen>,
}

/// Processor time at the last check.
#[derive(Debug)]
struct Seen {
    when_done: Duration,
    last: Duration,
}

impl Processor {
    /// The one of this process, where the system has `/proc` and QEMU was told `debug-threads=on`, without which its
    /// threads have no names.
    pub(in crate::boards) fn of(process: u32) -> Option<Self> {
        let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
        let thread = threads
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|thread| {
                let name = fs::read_to_string(thread.join("comm")).unwrap_or_default();
                name.starts_with("CPU 0")
            })?;
        let now = run_time(&thread)?;
        let seen = Mutex::new(Seen {
            when_done: now,
            last: now,
        });
        Some(Self { thread, seen })
    }

    /// Returns true if it has run for this time since the last true, or is idle.
    pub(in crate::boards) fn has_done(&self, time: Duration) -> bool {
        let Some(now) = run_time(&self.thread) else {
            return true;
        };
        let mut seen = self.seen.lock().expect("nobody panics here");
        let is_done = now >= seen.when_done + time || (now == seen.last && self.sleeps());
        seen.last = now;
        if is_done {
            seen.when_done = now;
        }
        is_done
    }

    fn sleeps(&self) -> bool {
        let stat = fs::read_to_string(self.thread.join("stat")).unwrap_or_default();
        // `13 (CPU 0/TCG) S …`
        stat.rsplit_once(") ")
            .is_none_or(|(_, rest)| rest.starts_with('S'))
    }
}

/// The time that a thread has had a processor of the machine's, which is the first number there.
fn run_time(thread: &Path) -> Option<Duration> {
    let stat = fs::read_to_string(thread.join("schedstat")).ok()?;
    let nanoseconds = stat.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
