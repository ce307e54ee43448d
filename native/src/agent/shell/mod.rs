//! Runs untrusted commands, within limits of the computer's time, memory and processes.
//!
//! ```text
//!   script ──/bin/sh -c──► processes ──one bounded buffer──► text
//!                             │
//!                deadline, flood or end: every descendant is killed, and looked for again until there is none
//! ```

#[cfg(target_os = "linux")]
mod before;
mod bounds;
mod capture;
#[cfg(target_os = "linux")]
mod control_group;
mod environment;
mod group;
mod sandbox;
mod tree;
mod watch;

use std::{
    io::{self, PipeWriter},
    panic,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bounds::Usage;
use capture::Capture;
use group::Group;
use watch::Watch;

pub use bounds::{Bound, Bounds};
pub use sandbox::{Layer, Mounts, Options, Sandbox};

/// Limits of a command.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time limit.
    pub timeout: Duration,
    /// Limit of its output in bytes, after which the command is stopped. Far fewer are kept.
    pub output: u64,
    /// Limits of the computer's resources, if the command runs in a sandbox.
    pub bounds: Bounds,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            output: 256 * 1024 * 1024,
            bounds: Bounds::default(),
        }
    }
}

/// Result of a command.
#[derive(Debug)]
pub struct Ran {
    /// Way in which the command ended.
    pub end: End,
    /// Output on both streams, in order; the middle of a long output is missing.
    pub output: Vec<u8>,
    /// Number of bytes missing from the output.
    pub dropped: u64,
    /// Number of processes that the command left behind; they were stopped.
    pub left_behind: usize,
    /// Number of processes that could not be stopped.
    pub survivors: usize,
}

/// Way in which a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The command ended by itself.
    Exited(ExitStatus),
    /// The command was stopped because it exceeded its time limit.
    TimedOut,
    /// The command was stopped because it printed too much.
    Flooded,
    /// The command was stopped by [`interrupt`].
    Interrupted,
    /// The command was stopped because it exceeded a limit of its sandbox.
    Exceeded(Bound),
}

/// Ends the running command, with all of its processes. Returns true if one is running.
pub fn interrupt() -> bool {
    INTERRUPTED.store(true, Ordering::SeqCst);
    RUNNING.load(Ordering::SeqCst)
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Describes to the user which environment variables reach commands.
#[must_use]
pub fn environment_in_words() -> String {
    environment::in_words()
}

/// Runs a script in a folder, without input and with only the environment variables that tools need. All processes that
/// it starts have ended when this returns. One command runs at a time.
///
/// # Errors
/// The shell cannot be started.
pub fn run(script: &str, folder: &Path, limits: Limits) -> io::Result<Ran> {
    run_in(script, folder, limits, None)
}

/// Like [`run`], in a sandbox if one is given, with parts of the folder hidden.
///
/// # Errors
/// The shell cannot be started, or the sandbox cannot be closed.
pub fn run_in(
    script: &str,
    folder: &Path,
    limits: Limits,
    sandbox: Option<(&Sandbox, &Mounts)>,
) -> io::Result<Ran> {
    run_when(|| Ok(()), script, folder, limits, sandbox)
}

/// Like [`run_in`], but starts the script only when `ready` returns, while the sandbox is set up.
///
/// # Errors
/// Those of [`run_in`], and the error of `ready`; then nothing has run.
pub(crate) fn run_when(
    ready: impl FnOnce() -> io::Result<()> + Send,
    script: &str,
    folder: &Path,
    limits: Limits,
    sandbox: Option<(&Sandbox, &Mounts)>,
) -> io::Result<Ran> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // A thread stays confined, and a sandbox ends with the thread that made it.
    let run = || run_here(ready, script, folder, limits, sandbox);
    thread::scope(|scope| scope.spawn(run).join()).unwrap_or_else(|why| panic::resume_unwind(why))
}

fn run_here(
    ready: impl FnOnce() -> io::Result<()>,
    script: &str,
    folder: &Path,
    limits: Limits,
    sandbox: Option<(&Sandbox, &Mounts)>,
) -> io::Result<Ran> {
    let running = Running::begin();
    let (output_end, outputs) = io::pipe()?;
    let prepare = |command: &mut Command| prepare(command, folder, outputs);
    let (mut child, mut group) = match sandbox {
        Some(sandbox) => Group::confined(shell(script), (prepare, ready), sandbox, limits.bounds)?,
        None => {
            ready()?;
            Group::free(shell(script), prepare)?
        }
    };
    let deadline = Instant::now() + limits.timeout;
    let capture = Capture::of(output_end);
    let view = sandbox.and_then(|(_, mounts)| mounts.view.as_ref());
    let watch = Watch::of(view.map(Layer::written));
    let end = wait(&mut child, &group, (&capture, watch), deadline, &limits);
    let killed = group.kill(&mut child, matches!(end, Ok(End::Exited(_))));
    drop(running);
    capture.finish(AFTER_THE_END);
    let (output, dropped) = capture.take();
    if !group.has_started() {
        let said = String::from_utf8_lossy(&output).trim().to_owned();
        return Err(io::Error::other(format!(
            "the sandbox cannot be set up: {said}"
        )));
    }
    Ok(Ran {
        end: end?,
        output,
        dropped,
        left_behind: killed.left_behind,
        survivors: killed.survivors,
    })
}

/// Guard that lives from before a command starts until all of its processes have ended.
struct Running;

impl Running {
    fn begin() -> Self {
        INTERRUPTED.store(false, Ordering::SeqCst);
        RUNNING.store(true, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.store(false, Ordering::SeqCst);
    }
}

fn wait(
    child: &mut Child,
    group: &Group,
    (capture, mut watch): (&Capture, Watch<'_>),
    deadline: Instant,
    limits: &Limits,
) -> io::Result<End> {
    let started = Instant::now();
    let mut look = started + LOOK;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exited(status));
        }
        if INTERRUPTED.load(Ordering::SeqCst) {
            return Ok(End::Interrupted);
        }
        if capture.total() > limits.output {
            return Ok(End::Flooded);
        }
        let now = Instant::now();
        let left = deadline.saturating_duration_since(now);
        if left.is_zero() {
            return Ok(End::TimedOut);
        }
        if now >= look {
            let usage = Usage {
                view: watch.bytes(limits.bounds.view),
                ..group.usage(limits.bounds.processes)
            };
            if let Some(bound) = limits.bounds.exceeded_by(usage) {
                return Ok(End::Exceeded(bound));
            }
            look = Instant::now() + LOOK;
        }
        thread::sleep(pause(now - started).min(left));
    }
}

/// Returns the pause between checks for the end of a command: short for new commands, and longer for long-running ones.
fn pause(running: Duration) -> Duration {
    (running / 16).clamp(Duration::from_millis(1), Duration::from_millis(20))
}

/// Prepares the shell. The script is a single argument, so no quoting changes it.
#[cfg(unix)]
fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(script);
    command
}

#[cfg(windows)]
fn shell(script: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd.exe");
    command.arg("/c").raw_arg(script);
    command
}

/// Sends both outputs into one pipe, which keeps their order.
fn prepare(command: &mut Command, folder: &Path, outputs: PipeWriter) -> io::Result<()> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(outputs.try_clone()?)
        .stderr(outputs);
    environment::set(command);
    Ok(())
}

/// Interval between checks of a command's use of resources.
const LOOK: Duration = Duration::from_millis(50);
/// Time to go on reading after the last process has ended.
const AFTER_THE_END: Duration = Duration::from_millis(500);
