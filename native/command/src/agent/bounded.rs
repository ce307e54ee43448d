//! Runs programs that have a deadline: git, and the tools for the clipboard.

use std::{
    io::{self, Read, Write},
    process::{Child, Command, Output, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// Runs a program to its end, and kills it and its whole process group at the deadline.
///
/// # Errors
/// When the program cannot be started, takes too long, or prints more than [`LIMIT`].
pub(super) fn output(
    command: &mut Command,
    input: Vec<u8>,
    patience: Duration,
) -> io::Result<Output> {
    let deadline = Instant::now() + patience;
    let mut child = in_own_group(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut to) = child.stdin.take() {
        // A program may have its reasons not to read all of its input.
        thread::spawn(move || {
            let _ = to.write_all(&input);
        });
    }
    let outputs = (child.stdout.take().map(read), child.stderr.take().map(read));
    let done = outcome(&mut child, outputs, deadline);
    if done.is_err() {
        end(&mut child);
    }
    done
}

type Reader = Option<Receiver<io::Result<Vec<u8>>>>;

fn outcome(
    child: &mut Child,
    (stdout, stderr): (Reader, Reader),
    deadline: Instant,
) -> io::Result<Output> {
    let taken = |from: Reader| {
        let left = deadline.saturating_duration_since(Instant::now());
        from.map_or(Ok(Vec::new()), |from| {
            from.recv_timeout(left).unwrap_or_else(|_| Err(too_slow()))
        })
    };
    let (stdout, stderr) = (taken(stdout)?, taken(stderr)?);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Output {
                status,
                stdout,
                stderr,
            });
        }
        if Instant::now() >= deadline {
            return Err(too_slow());
        }
        thread::sleep(PAUSE);
    }
}

/// Reads all output in a thread, so that a process that holds a pipe open cannot block this program.
fn read(from: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (to, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = from.take(LIMIT + 1).read_to_end(&mut bytes);
        let read = read.and_then(|_| match bytes.len() as u64 > LIMIT {
            true => Err(io::Error::other(format!(
                "it printed more than {LIMIT} bytes"
            ))),
            false => Ok(bytes),
        });
        let _ = to.send(read);
    });
    receiver
}

fn too_slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it took too long and was stopped")
}

#[cfg(unix)]
fn in_own_group(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0)
}

#[cfg(not(unix))]
fn in_own_group(command: &mut Command) -> &mut Command {
    command
}

/// Ends a program and the processes that it started. On a first, polite signal git removes its locks.
#[cfg(unix)]
fn end(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = Pid::from_child(child);
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + KINDLY;
    while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(PAUSE);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

#[cfg(not(unix))]
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Limit of a program's output, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;
const PAUSE: Duration = Duration::from_millis(5);
#[cfg(unix)]
const KINDLY: Duration = Duration::from_secs(2);

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], patience: Duration) -> io::Result<Output> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        output(&mut command, input.to_vec(), patience)
    }

    #[test]
    fn a_program_reads_its_input_and_is_ended_when_it_or_its_child_takes_too_long() {
        let long = Duration::from_secs(60);
        let done = shell("cat; echo no >&2; exit 3", &[b'x'; 200_000], long).unwrap();
        assert_eq!((done.stdout.len(), &*done.stderr), (200_000, &b"no\n"[..]));
        assert_eq!(done.status.code(), Some(3));
        let begun = Instant::now();
        for script in ["sleep 50", "sleep 50 &", "trap '' TERM; sleep 50; sleep 50"] {
            let error = shell(script, b"", Duration::from_millis(200)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{script}");
        }
        assert!(begun.elapsed() < Duration::from_secs(40));
    }
}
