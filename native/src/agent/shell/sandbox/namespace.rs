//! The processes of one sandbox, as seen from outside.

use std::{
    fs,
    io::{self, BufRead, BufReader, PipeReader, Read},
    path::{Path, PathBuf},
    process::Child,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::Deserialize;

use crate::agent::shell::{bounds::Usage, control_group::ControlGroup, tree::Killed};

/// Processes that all end with the first of them.
#[derive(Debug)]
pub(crate) struct Namespace {
    status: BufReader<PipeReader>,
    left: PipeReader,
    first: Option<First>,
    group: Option<ControlGroup>,
}

/// First process, by its number outside.
#[derive(Debug)]
struct First {
    pid: Pid,
    handle: rustix::fd::OwnedFd,
    processes: PathBuf,
}

/// Status line of bubblewrap, in JSON.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Status {
    child_pid: Option<i32>,
    exit_code: Option<i32>,
}

impl Namespace {
    pub(super) fn of(status: PipeReader, left: PipeReader, group: Option<ControlGroup>) -> Self {
        let mut namespace = Self {
            status: BufReader::new(status),
            left,
            first: None,
            group,
        };
        let pid = namespace.next_status().and_then(|status| status.child_pid);
        namespace.first = pid.and_then(Pid::from_raw).and_then(|pid| {
            Some(First {
                pid,
                handle: pidfd_open(pid, PidfdFlags::empty()).ok()?,
                processes: Path::new("/proc").join(pid.to_string()).join("root/proc"),
            })
        });
        namespace
    }

    /// Moves the first process into the control group, before it has started others.
    pub(super) fn enter_group(&self) -> io::Result<()> {
        match (&self.group, &self.first) {
            (Some(group), Some(first)) => group.take_in(first.pid),
            _ => Ok(()),
        }
    }

    /// Returns true if bubblewrap has started a process that can be limited.
    pub(super) const fn has_first(&self) -> bool {
        self.first.is_some()
    }

    fn next_status(&mut self) -> Option<Status> {
        let mut line = String::new();
        self.status.by_ref().take(LINE).read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    /// Returns true if the command was started: only then does bubblewrap report its exit code.
    pub(crate) fn has_started(&mut self) -> bool {
        while let Some(status) = self.next_status() {
            if status.exit_code.is_some() {
                return true;
            }
        }
        false
    }

    /// Returns the total use of resources by all processes. If there are more than `enough`, they are only counted: a
    /// command that starts processes endlessly has twice as many by the time that each has been examined.
    pub(crate) fn usage(&self, enough: u64) -> Usage {
        let mut usage = Usage::default();
        let Some(first) = &self.first else {
            return usage;
        };
        let processes = processes(&first.processes);
        if processes.len() as u64 > enough {
            usage.processes = processes.len() as u64;
            return usage;
        }
        for process in processes {
            let (threads, pages) = size(&process);
            usage.processes += threads;
            usage.memory += pages * rustix::param::page_size() as u64;
        }
        usage
    }

    /// Ends all processes, and waits for their end.
    pub(crate) fn kill(&mut self, child: &mut Child) -> Killed {
        if let Some(first) = &self.first {
            let _ = pidfd_send_signal(&first.handle, Signal::KILL);
        }
        let deadline = Instant::now() + PATIENCE;
        let mut has_ended = false;
        while !has_ended && Instant::now() < deadline {
            has_ended = child.try_wait().is_ok_and(|status| status.is_some());
            thread::sleep(Duration::from_millis(if has_ended { 0 } else { 1 }));
        }
        if !has_ended {
            let _ = child.kill();
        }
        Killed {
            left_behind: if has_ended { self.left_behind() } else { 0 },
            survivors: usize::from(!has_ended),
        }
    }

    /// Returns the number of processes that remained when the script ended.
    fn left_behind(&mut self) -> usize {
        let mut said = String::new();
        let _ = self.left.by_ref().take(LINE).read_to_string(&mut said);
        said.trim()
            .parse::<usize>()
            .map_or(0, |count| count.min(MOST_COUNTED))
    }
}

fn processes(proc: &Path) -> Vec<PathBuf> {
    let is_process =
        |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit();
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries
        .filter(is_process)
        .map(|entry| entry.path())
        .collect()
}

/// Returns the number of a process's threads, and its private memory in pages.
fn size(process: &Path) -> (u64, u64) {
    let read = |name| fs::read_to_string(process.join(name)).unwrap_or_default();
    // proc(5): fields after the parenthesized name are counted from the state, which is the third.
    let stat = read("stat");
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields);
    let threads = fields.and_then(|fields| fields.split_ascii_whitespace().nth(17)?.parse().ok());
    let pages: Vec<u64> = read("statm")
        .split_ascii_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect();
    let own = match pages[..] {
        [_, resident, shared, ..] => resident.saturating_sub(shared),
        _ => 0,
    };
    (threads.unwrap_or(1), own)
}

const LINE: u64 = 4096;
const MOST_COUNTED: usize = 1_000_000;
/// Time that the kernel has to end many processes.
const PATIENCE: Duration = Duration::from_secs(10);
