//! Runs lines as processes of this program, as people would start them.

use std::{
    env, fs, io,
    path::{MAIN_SEPARATOR, Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use flylead_native::link::{Address, Secret};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
    time::timeout,
};

use super::{
    check::{Line, Ran},
    suites::SOURCES,
};
use crate::{Common, board::each::children, files::scratch::Scratch};

/// A board, and the files of the checks.
pub(super) struct Bench {
    port: String,
    password: Option<String>,
    options: Vec<String>,
    folder: Scratch,
    /// Beginning of the paths of files on the board.
    pub(super) there: &'static str,
}

impl Bench {
    pub(super) fn new(common: &Common) -> io::Result<Self> {
        let folder = Scratch::make()?;
        for (path, text) in SOURCES {
            put(&folder.path().join(path), text.as_bytes())?;
        }
        put(&folder.path().join("empty"), b"")?;
        put(&folder.path().join("random.bin"), &random(3000))?;
        let adds = format!(" n += 1 # {}\n", "and a comment ".repeat(5)).repeat(25);
        let long = format!("def f():\n global f\n del f\n n = 0\n{adds} print(n)\nf()\n");
        put(&folder.path().join("long.py"), long.as_bytes())?;
        let mut options: Vec<_> = common
            .baud
            .iter()
            .map(|baud| format!("--baud={baud}"))
            .collect();
        let flags = [
            (common.no_wait, "--no-wait"),
            (common.take_over, "--take-over"),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set);
        options.extend(flags.map(|(_, flag)| (*flag).to_owned()));
        let password = match common.address() {
            Address::WebSocket { password, .. } => password.map(|Secret(text)| text),
            _ => None,
        };
        Ok(Self {
            port: common.port.to_string(),
            password,
            options,
            folder,
            there: "",
        })
    }

    /// Returns the path of a file of this computer.
    pub(super) fn here(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a line to its end.
    pub(super) async fn run(&self, line: &Line) -> Ran {
        let words: Vec<_> = line.words.iter().map(|word| self.place(word)).collect();
        let shown = line.words.iter().map(|word| quoted(&self.shown(word)));
        let shown = shown.collect::<Vec<_>>().join(" ");
        let mut ran = Ran {
            line: format!("flylead {shown}"),
            ..Ran::default()
        };
        match self.start(&words) {
            Ok(child) => attend(child, line.interrupted, &mut ran).await,
            Err(error) => ran.stderr = error.to_string(),
        }
        let here = format!("{}{}", self.folder.path().display(), MAIN_SEPARATOR);
        for text in [&mut ran.stdout, &mut ran.stderr] {
            *text = text.replace(&here, "");
        }
        ran.trace = self.trace();
        ran
    }

    fn start(&self, words: &[String]) -> io::Result<Child> {
        let mut command = Command::new(env::current_exe()?);
        command
            .args(&self.options)
            .arg("--trace")
            .arg(self.here("trace"))
            .args(words)
            // Passed in the environment, because every user of this computer can read arguments: an address may contain
            // a password.
            .env("FLYLEAD_PORT", &self.port)
            .envs(
                self.password
                    .iter()
                    .map(|text| ("FLYLEAD_WEBREPL_PASSWORD", text)),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        children::die_with_parent(&mut command);
        command.spawn()
    }

    fn place(&self, word: &str) -> String {
        let here = format!("{}{}", self.folder.path().display(), MAIN_SEPARATOR);
        word.replace("{here}", &here).replace("{there}", self.there)
    }

    fn shown(&self, word: &str) -> String {
        word.replace("{here}", "").replace("{there}", self.there)
    }

    /// Returns the end of the last conversation.
    fn trace(&self) -> String {
        let text = fs::read(self.here("trace")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<_> = text.lines().map(shortened).collect();
        lines[lines.len().saturating_sub(TRACE_LINES)..].join("\n")
    }
}

/// Waits for the end of a process, and ends one that takes too long.
async fn attend(mut child: Child, is_interrupted: bool, ran: &mut Ran) {
    let (Some(mut stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return;
    };
    let mut said = Vec::new();
    if is_interrupted {
        let _ = timeout(LIMIT, first_line(&mut stdout, &mut said)).await;
        children::press_ctrl_c(&mut child);
    }
    let mut errors = Vec::new();
    let ended = {
        let all = async {
            tokio::join!(
                read(stdout, &mut said),
                read(stderr, &mut errors),
                child.wait()
            )
        };
        timeout(LIMIT, all).await
    };
    match ended {
        Ok((_, _, status)) => ran.exit = status.ok().and_then(|status| status.code()),
        Err(_) => {
            // The process leaves the board at its prompt, if possible.
            children::press_ctrl_c(&mut child);
            if timeout(GRACE, child.wait()).await.is_err() {
                let _ = child.start_kill();
            }
            errors.extend(format!("ended after {} s\n", LIMIT.as_secs()).as_bytes());
        }
    }
    ran.stdout = String::from_utf8_lossy(&said).into_owned();
    ran.stderr = String::from_utf8_lossy(&errors).into_owned();
}

async fn first_line(stdout: &mut (impl AsyncRead + Unpin), said: &mut Vec<u8>) {
    while let Ok(byte) = stdout.read_u8().await {
        said.push(byte);
        if byte == b'\n' {
            return;
        }
    }
}

async fn read(stream: impl AsyncRead + Unpin, into: &mut Vec<u8>) {
    // Further output is dropped with the pipe.
    let _ = stream.take(MOST).read_to_end(into).await;
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}

/// Shortens a long line by omitting its middle.
fn shortened(line: &str) -> String {
    let length = line.chars().count();
    if length <= TRACE_LINE {
        return line.to_owned();
    }
    let first: String = line.chars().take(TRACE_LINE / 2).collect();
    let last: String = line.chars().skip(length - TRACE_LINE / 2).collect();
    format!("{first} … {last}")
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Returns bytes that do not compress, and are the same in every run.
fn random(size: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..size).map(|_| next()).collect()
}

/// Time limit of a line.
const LIMIT: Duration = Duration::from_secs(120);
/// Time that a line has to leave its board at the prompt.
const GRACE: Duration = Duration::from_secs(10);
/// Limit of a line's output, in bytes.
const MOST: u64 = 1 << 20;
/// Number of lines of a conversation that are kept for the report.
const TRACE_LINES: usize = 40;
/// Number of characters that are kept of such a line.
const TRACE_LINE: usize = 200;
