//! Process of one board, and its output.

use std::{env, io, path::PathBuf, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader},
    process::{Child, Command},
    sync::mpsc::Sender,
    time,
};
use tokio_util::sync::CancellationToken;

use super::{
    boards::Board,
    event::{Ended, Event, Output},
};
use crate::{Common, Exit, Failure, board::each::children};

/// Instructions for each board's process.
pub(super) struct Orders {
    program: PathBuf,
    words: Vec<String>,
    interrupted: CancellationToken,
}

impl Orders {
    /// Creates the instructions, in which several boards must not share a file that they write.
    pub(super) fn new(
        common: &Common,
        command: Vec<String>,
        boards: usize,
    ) -> Result<Self, Failure> {
        let mut words = options(common, boards)?;
        words.extend(command);
        Ok(Self {
            program: env::current_exe()?,
            words,
            interrupted: CancellationToken::new(),
        })
    }

    /// Ends the running commands, as Ctrl-C would.
    pub(super) fn interrupt(&self) {
        self.interrupted.cancel();
    }

    /// Starts the command for a board, and follows it to its end.
    pub(super) fn start(
        &self,
        at: usize,
        board: &Board,
        tell: Sender<Event>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let words = self
            .words
            .iter()
            .map(|word| word.replace("{}", &board.slug));
        let mut command = Command::new(&self.program);
        // These precede the words: those after -- belong to another command.
        children::die_with_parent(&mut command);
        command
            .args(words)
            // Passed in the environment, because every user of this computer can read arguments: an address may contain
            // a password.
            .env("FLYLEAD_PORT", &board.address)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let interrupted = self.interrupted.clone();
        async move {
            let ended = match command.spawn() {
                Ok(child) => attend(at, child, &tell, &interrupted).await,
                Err(error) => Err(error),
            };
            let ended = ended.unwrap_or_else(|error| Ended::Failed(error.to_string()));
            // The receiver is gone once the whole command has ended.
            let _ = tell.send(Event::Ended(at, ended)).await;
        }
    }
}

/// Returns the options of ours that also apply to each board's command.
fn options(common: &Common, boards: usize) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    if let Some(baud) = common.baud {
        words.push(format!("--baud={baud}"));
    }
    if let Some(timeout) = common.timeout {
        words.push(format!("--timeout={}", timeout.as_secs_f64()));
    }
    if let Some(recover) = &common.recover {
        words.push(format!("--recover={recover}"));
    }
    if let Some(trace) = &common.trace {
        let trace = trace.display().to_string();
        if boards > 1 && !trace.contains("{}") {
            let message = format!(
                "--trace {trace} names one file for {boards} boards; write {{}} where each board's name should go"
            );
            return Err(Failure::new(Exit::Usage, message));
        }
        words.push(format!("--trace={trace}"));
    }
    let flags = [
        (common.json, "--json"),
        (common.verbose, "--verbose"),
        (common.no_wait, "--no-wait"),
        (common.take_over, "--take-over"),
        (common.acquire, "--acquire"),
    ];
    let flags = flags.iter().filter(|(is_set, _)| *is_set);
    words.extend(flags.map(|(_, flag)| (*flag).to_owned()));
    Ok(words)
}

async fn attend(
    at: usize,
    mut child: Child,
    tell: &Sender<Event>,
    interrupted: &CancellationToken,
) -> io::Result<Ended> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let lines = async {
        tokio::join!(
            lines(at, Output::Stdout, stdout, tell),
            lines(at, Output::Stderr, stderr, tell),
        );
    };
    // A command that is interrupted leaves its board at the prompt, and is killed if that takes too long.
    let too_late = time::sleep(GRACE);
    tokio::pin!(lines, too_late);
    let (mut is_read, mut is_interrupted) = (false, false);
    let status = loop {
        tokio::select! {
            () = &mut lines, if !is_read => is_read = true,
            status = child.wait() => break status?,
            () = interrupted.cancelled(), if !is_interrupted => {
                is_interrupted = true;
                too_late.as_mut().reset(time::Instant::now() + GRACE);
                children::press_ctrl_c(&mut child);
            }
            () = &mut too_late, if is_interrupted => {
                child.start_kill()?;
                break child.wait().await?;
            }
        }
    };
    if !is_read {
        // A process that the command left behind may hold its outputs open.
        let _ = time::timeout(LAST_WORDS, &mut lines).await;
    }
    Ok(Ended::of(status))
}

/// Passes lines on as they arrive. Overlong lines arrive in pieces.
async fn lines(
    at: usize,
    output: Output,
    stream: Option<impl AsyncRead + Unpin>,
    tell: &Sender<Event>,
) {
    let Some(stream) = stream else { return };
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        let mut most = (&mut stream).take(LONGEST_LINE);
        let read = most.read_until(b'\n', &mut line);
        if !matches!(read.await, Ok(1..)) {
            return;
        }
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = String::from_utf8_lossy(line).into_owned();
        if tell.send(Event::Line(at, output, line)).await.is_err() {
            return;
        }
    }
}

/// Time that a command has to leave its board at the prompt.
const GRACE: Duration = Duration::from_secs(10);
/// Time to read the rest from the pipes of a command that has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Limit of a line, in bytes.
const LONGEST_LINE: u64 = 64 << 10;
