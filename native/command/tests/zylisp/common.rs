//! The command, its servers and a terminal, as the tests use them.

use std::{path::Path, process::Stdio, time::Duration};

use flylead_native::zylisp::{Address, Client};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

pub(crate) const FOREVER: &str = "(println \"ready\") (define f (lambda () (f))) (f)";

pub(crate) fn flylead(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command
        .arg("zylisp")
        .args(words)
        .env_remove("FLYLEAD_ZYLISP_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// The exit code, stdout, stderr.
pub(crate) type Told = (i32, String, String);

pub(crate) async fn run(words: &[&str]) -> Told {
    ended(flylead(words).spawn().unwrap()).await
}

pub(crate) async fn ended(child: Child) -> Told {
    let output = timeout(PATIENCE, child.wait_with_output())
        .await
        .expect("it ends by itself")
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().expect("it was not killed"),
        text(output.stdout),
        text(output.stderr),
    )
}

pub(crate) fn said(code: i32, stdout: &str, stderr: &str) -> Told {
    (code, stdout.into(), stderr.into())
}

pub(crate) fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id().expect("it runs")).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// A server of the command line.
pub(crate) struct Serving {
    pub(crate) child: Child,
    _stdout: Lines<BufReader<ChildStdout>>,
    pub(crate) addresses: Vec<String>,
}

impl Serving {
    pub(crate) async fn start(addresses: &[&str], options: &[&str]) -> Self {
        let mut child = flylead(&[&["serve"], addresses, options].concat())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut listening = Vec::new();
        for _ in addresses {
            let line = timeout(PATIENCE, stdout.next_line())
                .await
                .unwrap()
                .unwrap();
            let line = line.expect("it says where it listens");
            listening.push(line.strip_prefix("listening on ").unwrap().to_owned());
        }
        Self {
            child,
            _stdout: stdout,
            addresses: listening,
        }
    }

    pub(crate) fn address(&self) -> &str {
        &self.addresses[0]
    }

    pub(crate) async fn client(&self) -> Client {
        let address: Address = self.address().parse().unwrap();
        Client::connect(&address).await.unwrap()
    }

    /// Stops it, and says how it ended.
    pub(crate) async fn stop(self) -> Told {
        signal(&self.child, Signal::TERM);
        ended(self.child).await
    }
}

/// A person's terminal with `flylead zylisp repl` in it.
pub(crate) struct Terminal {
    pty: pty_process::Pty,
    child: Child,
    seen: String,
}

impl Terminal {
    pub(crate) fn open(address: &str, history: &Path) -> Self {
        let (pty, pts) = pty_process::open().unwrap();
        pty.resize(pty_process::Size::new(24, 200)).unwrap();
        let child = pty_process::Command::new(env!("CARGO_BIN_EXE_flylead"))
            .args(["zylisp", "repl", address, "--history"])
            .arg(history)
            .env("TERM", "xterm")
            .kill_on_drop(true)
            .spawn(pts)
            .unwrap();
        Self {
            pty,
            child,
            seen: String::new(),
        }
    }

    pub(crate) async fn type_(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).await.unwrap();
    }

    /// Waits until this has come; what came before it is forgotten.
    pub(crate) async fn see(&mut self, text: &str) {
        let mut chunk = [0; 4096];
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let read = timeout(PATIENCE, self.pty.read(&mut chunk)).await;
            let length = read
                .unwrap_or_else(|_| panic!("{text:?} does not come after {:?}", self.seen))
                .unwrap();
            self.seen += &String::from_utf8_lossy(&chunk[..length]);
        }
    }

    pub(crate) async fn exit_code(mut self) -> i32 {
        let status = timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap();
        status.code().unwrap()
    }
}

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);
