//! Finds and ends every process that a command has started.
//!
//! On Linux this process adopts the orphans among its descendants while a command runs, so neither `setsid` nor a
//! double fork hides anything. On other systems only the process group can be ended.

/// Processes that were ended after the command.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Killed {
    pub(super) left_behind: usize,
    pub(super) survivors: usize,
}

#[cfg(target_os = "linux")]
pub(super) use linux::Tree;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Tree;

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        collections::{HashMap, HashSet},
        fs,
        process::Child,
        thread,
        time::{Duration, Instant},
    };

    use rustix::process::{self as os, Pid, Signal, WaitOptions};

    use super::Killed;

    /// Processes that existed before the command, with their start times.
    pub(crate) struct Tree {
        before: HashSet<Process>,
    }

    /// Process by its id and start time, because ids are reused.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Process {
        pid: i32,
        started: u64,
    }

    impl Tree {
        pub(crate) fn watch() -> Self {
            // Without it, orphans go to init and no walk finds them; then only the group is killed.
            let _ = os::set_child_subreaper(Some(os::getpid()));
            Self {
                before: descendants().into_iter().collect(),
            }
        }

        /// Ends all processes: gently first, if the time limit was exceeded, then forcibly.
        pub(crate) fn kill(&self, child: &mut Child, has_ended: bool) -> Killed {
            let left = self.alive();
            let left_behind = left
                .iter()
                .filter(|process| process.pid != child.id().cast_signed())
                .count();
            if !left.is_empty() {
                signal(&left, Signal::TERM);
                self.wait(child, if has_ended { BRIEFLY } else { KINDLY });
                self.kill_surely(child);
            }
            let _ = child.try_wait();
            Killed {
                left_behind,
                survivors: self.alive().len(),
            }
        }

        fn wait(&self, child: &mut Child, patience: Duration) {
            let deadline = Instant::now() + patience;
            while Instant::now() < deadline && !self.alive().is_empty() {
                let _ = child.try_wait();
                self.reap(child);
                thread::sleep(Duration::from_millis(5));
            }
        }

        /// Stops all processes before killing them, so that none can start another meanwhile.
        fn kill_surely(&self, child: &mut Child) {
            let deadline = Instant::now() + SURELY;
            while Instant::now() < deadline {
                let alive = self.alive();
                if alive.is_empty() {
                    return;
                }
                signal(&alive, Signal::STOP);
                if self.alive().iter().all(|process| alive.contains(process)) {
                    signal(&alive, Signal::KILL);
                }
                let _ = child.try_wait();
                self.reap(child);
                thread::sleep(Duration::from_millis(1));
            }
            signal(&self.alive(), Signal::KILL);
        }

        /// Collects the exit status of orphans, for which no other process waits.
        fn reap(&self, child: &Child) {
            let ours = os::getpid().as_raw_nonzero().get();
            for (process, entry) in processes() {
                let orphan = entry.parent == ours
                    && entry.is_dead
                    && process.pid != child.id().cast_signed();
                if let Some(pid) =
                    Pid::from_raw(process.pid).filter(|_| orphan && !self.before.contains(&process))
                {
                    let _ = os::waitpid(Some(pid), WaitOptions::NOHANG);
                }
            }
        }

        /// Returns the command's processes that still run.
        fn alive(&self) -> Vec<Process> {
            descendants()
                .into_iter()
                .filter(|process| !self.before.contains(process))
                .collect()
        }
    }

    fn signal(processes: &[Process], signal: Signal) {
        for pid in processes
            .iter()
            .filter_map(|process| Pid::from_raw(process.pid))
        {
            let _ = os::kill_process(pid, signal);
        }
    }

    struct Entry {
        parent: i32,
        is_dead: bool,
    }

    /// Returns the living descendants of this process.
    fn descendants() -> Vec<Process> {
        let all = settled_processes();
        let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
        for (process, entry) in &all {
            children.entry(entry.parent).or_default().push(*process);
        }
        let mut found = Vec::new();
        let mut next = vec![os::getpid().as_raw_nonzero().get()];
        while let Some(parent) = next.pop() {
            for process in children.remove(&parent).unwrap_or_default() {
                next.push(process.pid);
                found.push(process);
            }
        }
        found.retain(|process| all.get(process).is_some_and(|entry| !entry.is_dead));
        found
    }

    /// Reads all processes, at a moment in which none was started: one that starts another and ends while `/proc` is
    /// being read would hide it.
    fn settled_processes() -> HashMap<Process, Entry> {
        let mut all = HashMap::new();
        for _ in 0..READINGS {
            let newest = newest_process();
            all = processes();
            if newest == newest_process() && has_all_parents(&all) {
                break;
            }
        }
        all
    }

    /// Returns the most recently assigned process id.
    fn newest_process() -> Option<String> {
        let load = fs::read_to_string("/proc/loadavg").ok()?;
        load.split_ascii_whitespace().last().map(str::to_owned)
    }

    /// Returns false if a process's parent is missing, as the process got another one meanwhile.
    fn has_all_parents(all: &HashMap<Process, Entry>) -> bool {
        let known: HashSet<i32> = all.keys().map(|process| process.pid).collect();
        all.values()
            .all(|entry| entry.parent == 0 || known.contains(&entry.parent))
    }

    fn processes() -> HashMap<Process, Entry> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return HashMap::new();
        };
        let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
        entries
            .flatten()
            .filter_map(pid)
            .filter_map(process)
            .collect()
    }

    /// Parses `/proc/PID/stat`: the name is in parentheses and may contain anything, so the fields are counted from its
    /// end.
    fn process(pid: i32) -> Option<(Process, Entry)> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let started = fields.nth(17)?.parse().ok()?;
        Some((
            Process { pid, started },
            Entry {
                parent,
                is_dead: matches!(state, "Z" | "X"),
            },
        ))
    }

    /// Time that leftovers have to end after a command ended by itself: they are not worth waiting for.
    const BRIEFLY: Duration = Duration::from_millis(100);
    /// Time that a process has to end itself.
    const KINDLY: Duration = Duration::from_secs(2);
    /// Limit of attempts to read the processes until a reading is complete, as one in a few is on a busy computer.
    const READINGS: usize = 100;
    /// Time limit of killing.
    const SURELY: Duration = Duration::from_millis(800);
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::process::Child;

    use super::Killed;

    pub(crate) struct Tree;

    impl Tree {
        pub(crate) const fn watch() -> Self {
            Self
        }

        /// Ends the group (Unix) or the system's process tree (Windows).
        pub(crate) fn kill(&self, child: &mut Child, _has_ended: bool) -> Killed {
            kill_group(child);
            let _ = child.kill();
            let _ = child.wait();
            Killed::default()
        }
    }

    #[cfg(unix)]
    fn kill_group(child: &Child) {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    #[cfg(windows)]
    fn kill_group(child: &Child) {
        let pid = child.id().to_string();
        let _ = std::process::Command::new("taskkill")
            .args(["/T", "/F", "/PID", &pid])
            .output();
    }
}
