//! A control group that limits the number of a command's processes when the administrator runs it.
//!
//! The kernel does not apply the process limit to the administrator (`RLIMIT_NPROC`: `copy_process` in Linux's
//! kernel/fork.c), and a command that starts processes endlessly outruns a program that only counts them.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use rustix::process::{Pid, geteuid, test_kill_process};

/// Group with a limit. It is removed when it is dropped, after its processes have ended.
#[derive(Debug)]
pub(super) struct ControlGroup {
    folder: PathBuf,
    processes: File,
}

impl ControlGroup {
    /// Creates a group for `most` processes of a command, and for those that hold it. `None` for other users, to whom
    /// the kernel's own limit applies, and in a container that may not create groups.
    pub(super) fn new(most: u64) -> Option<Self> {
        if !geteuid().is_root() {
            return None;
        }
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let most = most.saturating_add(HOLDERS);
        parents(&own)
            .iter()
            .find_map(|parent| Self::below(parent, most).ok())
    }

    fn below(parent: &Path, most: u64) -> io::Result<Self> {
        remove_abandoned(parent);
        let folder = parent.join(next_name());
        fs::create_dir(&folder)?;
        let opened = fs::write(folder.join("pids.max"), most.to_string()).and_then(|()| {
            OpenOptions::new()
                .write(true)
                .open(folder.join("cgroup.procs"))
        });
        match opened {
            Ok(processes) => Ok(Self { folder, processes }),
            Err(error) => {
                let _ = fs::remove_dir(&folder);
                Err(error)
            }
        }
    }

    /// Moves a process into the group. This takes the kernel 7 to 19 ms, as it waits for all processors
    /// (`cgroup_attach_lock` in Linux's kernel/cgroup/cgroup.c).
    pub(super) fn take_in(&self, process: Pid) -> io::Result<()> {
        let number = process.as_raw_nonzero().to_string();
        (&self.processes).write_all(number.as_bytes())
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            if fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            thread::sleep(REMOVAL_PAUSE);
        }
    }
}

/// Returns the places for new groups, from the kernel's description of this process's own
/// (cgroups(7), `/proc/PID/cgroup`).
fn parents(own: &str) -> Vec<PathBuf> {
    let root = Path::new("/sys/fs/cgroup");
    let parent = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let path = Path::new(path.strip_prefix('/')?);
        if controllers.split(',').any(|name| name == "pids") {
            Some(root.join("pids").join(path))
        } else if controllers.is_empty() {
            // In version 2 a group has either processes or groups. This one has processes, so another is created beside
            // it.
            Some(root.join(path.parent().unwrap_or(path)))
        } else {
            None
        }
    };
    own.lines().filter_map(parent).collect()
}

/// Removes the groups of killed agents. Groups that still have processes cannot be removed.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().and_then(maker).is_some_and(has_ended) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn has_ended(pid: Pid) -> bool {
    test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
}

/// Returns a name like `flylead-4711-0`: the process that made the group, and the group's number.
fn next_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{NAME_START}{}-{count}", process::id())
}

fn maker(name: &str) -> Option<Pid> {
    let (pid, _) = name.strip_prefix(NAME_START)?.split_once('-')?;
    Pid::from_raw(pid.parse().ok()?)
}

const NAME_START: &str = "flylead-";
/// Number of processes besides the command's: the inner bubblewrap, which becomes the shell that waits for the script,
/// and the process that the shell starts to count the others.
const HOLDERS: u64 = 2;
const REMOVALS: usize = 100;
const REMOVAL_PAUSE: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_made_below_our_own_or_beside_it() {
        for (own, expected) in [
            (
                "8:pids:/\n0::/\n",
                vec!["/sys/fs/cgroup/pids/", "/sys/fs/cgroup/"],
            ),
            (
                "3:cpu,pids:/docker/a\n",
                vec!["/sys/fs/cgroup/pids/docker/a"],
            ),
            (
                "0::/user.slice/user-0.slice/session-1.scope\n",
                vec!["/sys/fs/cgroup/user.slice/user-0.slice"],
            ),
            ("4:memory:/\nnonsense\n", vec![]),
        ] {
            let expected: Vec<PathBuf> = expected.into_iter().map(PathBuf::from).collect();
            assert_eq!(parents(own), expected, "{own}");
        }
    }

    #[test]
    fn a_group_is_known_by_who_made_it() {
        assert_eq!(
            maker(&next_name()),
            Pid::from_raw(process::id().cast_signed())
        );
        for name in ["flylead", "flylead-x-0", "flylead-0-0", "other-1-0"] {
            assert_eq!(maker(name), None, "{name}");
        }
    }

    #[test]
    fn what_a_killed_agent_left_behind_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let alive = format!("flylead-{}-0", process::id());
        for name in ["flylead-2147483647-0", &alive, "other"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        remove_abandoned(parent.path());
        let mut left: Vec<_> = fs::read_dir(parent.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [alive, "other".to_owned()]);
    }
}
