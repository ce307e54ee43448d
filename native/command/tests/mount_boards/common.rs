//! Helpers shared by these tests.

use std::{
    fs,
    io::Read as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use flylead_native::{
    link::{self, Address},
    mount::{Folder, News, Options, Session},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::timeout,
};

/// More than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    for (name, content) in files {
        write(&folder, name, content);
    }
    folder
}

pub(crate) fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("it is below the folder")).unwrap();
    fs::write(path, content).unwrap();
}

pub(crate) fn mount(board: &Path, folder: &Path, then: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command.arg("--port").arg(board).arg("mount").arg(folder);
    command.arg("--").args(then).stdin(Stdio::null());
    command
}

pub(crate) fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("it ends by itself");
    (code, text(&output.stdout), text(&output.stderr))
}

/// Runs a program without a folder, and returns its output.
pub(crate) fn exec(board: &Path, program: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flylead"));
    command.arg("--port").arg(board).args(["exec", program]);
    let (code, stdout, stderr) = told(&command.output().expect("flylead starts"));
    assert_eq!((code, stderr.as_str()), (0, ""), "{program}: {stdout}");
    stdout
}

/// Runs a program with the folder, and returns its output.
pub(crate) fn run(board: &Path, folder: &TempDir, program: &str) -> String {
    let output = mount(board, folder.path(), &["exec", program]).output();
    let (code, stdout, stderr) = told(&output.expect("flylead starts"));
    assert_eq!((code, stderr.as_str()), (0, ""), "{program}: {stdout}");
    stdout
}

pub(crate) fn address(path: &Path) -> Address {
    path.to_str().expect("its name is text").parse().unwrap()
}

/// Lines of a child's output, as they arrive.
pub(crate) struct Lines {
    said: mpsc::Receiver<Vec<u8>>,
    pub(crate) seen: String,
}

impl Lines {
    pub(crate) fn of(child: &mut Child) -> Self {
        let mut stdout = child.stdout.take().expect("it is piped");
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut chunk) {
                if sender.send(chunk[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let seen = String::new();
        Self { said, seen }
    }

    /// Waits for a text, and takes all up to its end.
    pub(crate) fn until(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let piece = self.said.recv_timeout(PATIENCE);
            let piece = piece.unwrap_or_else(|_| panic!("no {text:?} in {:?}", self.seen));
            self.seen += &String::from_utf8_lossy(&piece);
        }
    }
}

/// A session that tells its news, which looks for the board again.
pub(crate) async fn session(path: &Path, folder: &TempDir) -> (Session, mpsc::Receiver<News>) {
    let (sender, news) = mpsc::channel();
    let mut options = Options::default();
    options.again = Some(address(path));
    options.news = Some(std::sync::Arc::new(move |told: &News| {
        let _ = sender.send(told.clone());
    }));
    let link = link::open(&address(path)).await.unwrap();
    let folder = Folder::open(folder.path()).unwrap();
    (Session::start(link, folder, options).await.unwrap(), news)
}

pub(crate) async fn until(link: &mut link::Link, text: &str) {
    let mut seen = Vec::new();
    let reading = async {
        while !seen.ends_with(text.as_bytes()) {
            seen.push(link.read_u8().await.expect("the link is open"));
        }
    };
    let read = timeout(PATIENCE, reading).await;
    assert!(
        read.is_ok(),
        "no {text:?} in {:?}",
        String::from_utf8_lossy(&seen)
    );
}

/// Waits for the prompt, and not for one that came before.
pub(crate) async fn ready(link: &mut link::Link) {
    link.write_all(b"print('re'+'ady')\r").await.unwrap();
    until(link, "ready\n>>> ").await;
}
