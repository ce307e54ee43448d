//! Running a command of someone who is not trusted with the time, the memory or the processes of this computer.
//!
//! ```text
//!   script ──/bin/sh -c──► processes ──one bounded buffer──► text
//!                             │
//!                deadline, flood or end: every descendant is killed, and looked for again until there is none
//! ```

mod capture;
mod environment;
mod sandbox;
mod tree;

use std::{
    io::{self, PipeWriter},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use capture::Capture;

pub use sandbox::Sandbox;

/// How a command is run.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may take.
    pub timeout: Duration,
    /// How many bytes it may print before it is stopped. Far fewer are kept.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            output: 256 * 1024 * 1024,
        }
    }
}

/// What became of a command.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it printed on both of its outputs, in its order; the middle of a long output is missing.
    pub output: Vec<u8>,
    /// How many bytes of the output are missing.
    pub dropped: u64,
    /// How many processes it left behind. They were stopped.
    pub left_behind: usize,
    /// How many processes could not be stopped.
    pub survivors: usize,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It was stopped after the time it may take.
    TimedOut,
    /// It was stopped because it printed too much.
    Flooded,
    /// It was stopped by [`interrupt`].
    Interrupted,
}

/// Ends the command that runs, with all of its processes. Answers whether there is one.
pub fn interrupt() -> bool {
    INTERRUPTED.store(true, Ordering::SeqCst);
    RUNNING.load(Ordering::SeqCst)
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Runs a script in a folder: without input, without secrets in its environment, and with every process that it
/// starts ended when it returns. One command runs at a time.
///
/// # Errors
/// The shell cannot be started.
pub fn run(script: &str, folder: &Path, limits: Limits) -> io::Result<Ran> {
    run_in(script, folder, limits, None)
}

/// The same inside of a sandbox, if there is one.
///
/// # Errors
/// The shell cannot be started, or the sandbox does not close.
pub fn run_in(
    script: &str,
    folder: &Path,
    limits: Limits,
    sandbox: Option<&Sandbox>,
) -> io::Result<Ran> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let deadline = Instant::now() + limits.timeout;
    let running = Running::begin();
    let tree = tree::Tree::watch();
    let (output_end, outputs) = io::pipe()?;
    let mut command = shell(script, folder, outputs)?;
    let (mut child, _temporary) = match sandbox {
        Some(sandbox) => {
            let (child, temporary) = sandbox.spawn(&mut command)?;
            (child, Some(temporary))
        }
        None => (command.spawn()?, None),
    };
    // Its own ends of the pipe go, or the output would never end.
    drop(command);
    let capture = Capture::of(output_end);
    let end = wait(&mut child, &capture, deadline, limits.output);
    let killed = tree.kill(&mut child, matches!(end, Ok(End::Exited(_))));
    drop(running);
    capture.finish(AFTER_THE_END);
    let (output, dropped) = capture.take();
    Ok(Ran {
        end: end?,
        output,
        dropped,
        left_behind: killed.left_behind,
        survivors: killed.survivors,
    })
}

/// From before a command starts until all of its processes have ended.
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

fn wait(child: &mut Child, capture: &Capture, deadline: Instant, output: u64) -> io::Result<End> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exited(status));
        }
        if INTERRUPTED.load(Ordering::SeqCst) {
            return Ok(End::Interrupted);
        }
        if capture.total() > output {
            return Ok(End::Flooded);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(End::TimedOut);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The script is one argument, so no quoting changes it.
#[cfg(unix)]
fn shell(script: &str, folder: &Path, outputs: PipeWriter) -> io::Result<Command> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(script).process_group(0);
    prepare(command, folder, outputs)
}

#[cfg(windows)]
fn shell(script: &str, folder: &Path, outputs: PipeWriter) -> io::Result<Command> {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd.exe");
    command.arg("/c").raw_arg(script);
    prepare(command, folder, outputs)
}

/// Both outputs go into one pipe, which keeps the order of what was printed.
fn prepare(mut command: Command, folder: &Path, outputs: PipeWriter) -> io::Result<Command> {
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(outputs.try_clone()?)
        .stderr(outputs);
    environment::set(&mut command);
    Ok(command)
}

/// How long to read on after the last process ended.
const AFTER_THE_END: Duration = Duration::from_millis(500);
