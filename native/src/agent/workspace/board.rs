//! A MicroPython board as the workspace: its files below the directory where it starts, and its Python.

use std::{
    fmt, io,
    path::Path,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::Duration,
};

use flylead_core::{
    agent::{FileEntry, path::WorkspacePath},
    board::{self as core, EntryKind},
    raw_repl::{Outcome, Traceback},
};
use tokio::runtime::{Builder, Runtime};

use super::{FileError, Ran, Workspace};
use crate::{Board, BoardError, link::Address};

/// The files of a board, which is held open on a thread of its own.
pub struct BoardFiles {
    address: String,
    work: Option<mpsc::Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

/// Task for the thread that owns the board.
type Work = Box<dyn FnOnce(&Runtime, &mut Board) + Send>;

impl fmt::Debug for BoardFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoardFiles").field(&self.address).finish()
    }
}

impl BoardFiles {
    /// Connects to a board. Nothing on it changes yet.
    ///
    /// # Errors
    /// There is no such board, or the link cannot be opened.
    pub fn connect(address: &Address) -> io::Result<Self> {
        let (work, todo) = mpsc::channel::<Work>();
        let (ready, opened) = mpsc::channel();
        let to = address.clone();
        let thread = thread::spawn(move || match open(&to) {
            Err(error) => drop(ready.send(Err(error))),
            Ok((runtime, mut board)) => {
                drop(ready.send(Ok(())));
                for work in todo {
                    work(&runtime, &mut board);
                }
                runtime.block_on(leave(board));
            }
        });
        opened.recv().unwrap_or_else(|_| Err(gone()))?;
        Ok(Self {
            address: address.to_string(),
            work: Some(work),
            thread: Some(thread),
        })
    }

    /// Carries out a task with the board, and waits for it.
    fn with<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut Board) -> T + Send + 'static,
    ) -> io::Result<T> {
        let (answer, answered) = mpsc::channel();
        let work: Work = Box::new(move |runtime, board| {
            drop(answer.send(runtime.block_on(work(board))));
        });
        let sender = self.work.as_ref().ok_or_else(gone)?;
        sender.send(work).map_err(|_| gone())?;
        answered.recv().map_err(|_| gone())
    }
}

impl Drop for BoardFiles {
    /// Leaves the board at its prompt.
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Workspace for BoardFiles {
    fn read(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, FileError> {
        let name = path.to_string();
        self.with(async move |board| {
            let entry = board.stat(&*name).await?;
            match (entry.kind, entry.size) {
                (EntryKind::Directory, _) => Ok(Err(FileError::Directory)),
                (EntryKind::File, bytes) if bytes > limit => Ok(Err(FileError::TooLong { bytes })),
                (EntryKind::File, _) => board.read(name, |_| ()).await.map(Ok),
            }
        })?
        .map_err(file_error)?
    }

    fn write(&self, path: &WorkspacePath, content: &[u8]) -> Result<(), FileError> {
        let (name, content) = (path.to_string(), content.to_vec());
        self.with(async move |board| {
            if let Some((path, _)) = name.rsplit_once('/') {
                let path = path.to_owned();
                let parents = core::Request::MakeDirectory {
                    path,
                    parents: true,
                };
                board.request(parents, |_| ()).await?;
            }
            board.write(name, content, |_| ()).await
        })?
        .map_err(file_error)?;
        Ok(())
    }

    fn delete(&self, path: &WorkspacePath) -> Result<(), FileError> {
        let path = path.to_string();
        self.with(async move |board| {
            if board.stat(&*path).await?.kind == EntryKind::Directory {
                return Ok(Err(FileError::Directory));
            }
            let removed = board.request(core::Request::Remove { path }, |_| ());
            removed.await.map(|_| Ok(()))
        })?
        .map_err(file_error)?
    }

    fn list(&self) -> Result<Vec<FileEntry>, FileError> {
        let entries = self.with(async |board| board.tree("", false).await)?;
        let mut files: Vec<FileEntry> = entries
            .map_err(file_error)?
            .into_iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .map(|entry| FileEntry {
                path: entry.name,
                bytes: entry.size,
            })
            .collect();
        files.sort();
        Ok(files)
    }

    fn run(&self, command: &str, _undo: &Path) -> io::Result<Ran> {
        let program = command.to_owned();
        self.with(async move |board| run(board, program).await)?
            .map_err(io::Error::other)
    }

    fn in_words(&self) -> String {
        format!(
            "commands are Python programs on the board at {}",
            self.address
        )
    }
}

fn open(address: &Address) -> io::Result<(Runtime, Board)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let board = runtime.block_on(Board::connect(address));
    Ok((runtime, board.map_err(io::Error::other)?))
}

async fn run(board: &mut Board, source: String) -> Result<Ran, BoardError> {
    let mut output = Vec::new();
    let mut dropped = 0;
    let mut program = board.start(source, Some(TIMEOUT)).await?;
    while let Some(piece) = program.next_output().await? {
        output.extend(piece);
        let excess = output.len().saturating_sub(KEPT);
        dropped += output.drain(..excess).len();
    }
    let (success, summary, traceback) = in_words(program.outcome().await?);
    output.extend(
        traceback
            .map_or_else(String::new, |traceback| traceback.text)
            .bytes(),
    );
    if dropped > 0 {
        let mark = format!("… (the {dropped} bytes before this were lost) …\n");
        output.splice(..0, mark.into_bytes());
    }
    Ok(Ran {
        success,
        summary,
        output,
        notes: Vec::new(),
    })
}

fn in_words(outcome: Outcome) -> (bool, String, Option<Traceback>) {
    match outcome {
        Outcome::Completed => (true, "Ran the program".into(), None),
        Outcome::Exited => (
            true,
            "Ran the program; it restarted the board's Python".into(),
            None,
        ),
        Outcome::Raised(traceback) => {
            let what = format!("The program raised {}", traceback.exception);
            (false, what, Some(traceback))
        }
        Outcome::TimedOut(traceback) => (false, "Command timed out (30s)".into(), traceback),
        Outcome::BoardReset => (
            false,
            "The board restarted in the middle of the program".into(),
            None,
        ),
    }
}

async fn leave(board: Board) {
    // The board may be gone; then there is nothing to leave.
    let _ = board.release().await;
}

fn file_error(error: BoardError) -> FileError {
    match error {
        BoardError::File(core::Error::NotFound) => FileError::NotFound,
        BoardError::File(core::Error::IsDirectory) => FileError::Directory,
        BoardError::File(core::Error::NotDirectory) => FileError::NotADirectory,
        BoardError::File(_)
        | BoardError::Lost(_)
        | BoardError::Refused(_)
        | BoardError::Raised(_)
        | BoardError::TimedOut
        | BoardError::Exited
        | BoardError::Restarted
        | BoardError::Unreadable
        | BoardError::Over => FileError::Io(io::Error::other(error)),
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the board is gone")
}

/// Time limit of a command in the protocol.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Number of bytes of a program's output to keep.
const KEPT: usize = 512 * 1024;
