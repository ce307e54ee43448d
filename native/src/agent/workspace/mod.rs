//! Files that an LLM may touch, and nothing else.
//!
//! ```text
//!   "src\..\a.rs" ──path::judge──► WorkspacePath ──Workspace──► the file, or why not
//! ```
//!
//! A [`Workspace`] is a set of files with paths from a root, and something that runs commands there. [`Folder`] is one on
//! this computer: it holds its root by a handle, walks from handle to handle, and never opens by a path, so nothing that
//! happens to the tree meanwhile leads it outside. [`BoardFiles`] is a MicroPython board.

mod board;
mod changed;
mod commands;
mod ended;
mod folder;
mod form;
mod list;
mod place;
#[cfg(target_os = "linux")]
mod repository;
mod runs;
#[cfg(target_os = "linux")]
mod view;

use std::{fmt, io, path::Path};

pub use board::BoardFiles;
pub use changed::{Accept, Changed, How, unseen};
pub use commands::{Confinement, GitChange, Review, Rights};
pub use folder::Folder;
pub(crate) use folder::{OWN, random_name, sync_directory};
pub use form::Form;
pub(crate) use place::reading;
pub(crate) use runs::kept;
pub use runs::{Runner, runs_by_itself};

pub use flylead_core::agent::Ran;
use flylead_core::agent::{FileEntry, path::WorkspacePath};

/// Place in which the agent's commands work.
pub trait Workspace: fmt::Debug {
    /// The whole file.
    ///
    /// # Errors
    /// It is not there, is no file, is longer than `limit` bytes, or leads outside.
    fn read(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, FileError>;

    /// Makes the file hold exactly `content`, and its directories if they are missing. A reader sees the old file or
    /// the new one, never a part.
    ///
    /// # Errors
    /// The path is protected, leads outside, names a directory or a link, or the disk refuses.
    fn write(&self, path: &WorkspacePath, content: &[u8]) -> Result<(), FileError>;

    /// Deletes the file. Of a link, the link.
    ///
    /// # Errors
    /// It is not there, is a directory, is protected, or leads outside.
    fn delete(&self, path: &WorkspacePath) -> Result<(), FileError>;

    /// All files that are not ignored, in the order of their paths.
    ///
    /// # Errors
    /// The root cannot be read.
    fn list(&self) -> Result<Vec<FileEntry>, FileError>;

    /// Runs what the LLM wrote into RUN_COMMAND, within the protocol's time. What is needed to take its changes back is kept
    /// in the folder `undo`, which is made for that.
    ///
    /// # Errors
    /// It could not be started, or its changes could not be taken over.
    fn run(&self, command: &str, undo: &Path) -> io::Result<Ran>;

    /// Takes back what a command changed. Answers what became of each path.
    ///
    /// # Errors
    /// The kept copy cannot be read.
    fn take_back(&self, _undo: &Path) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// A file of that name in other code points, which looks the same: `é` as one, or as `e` and an accent. Nothing is
    /// taken for another; but whoever does not find a file should know.
    fn look_alike(&self, _path: &WorkspacePath) -> Option<String> {
        None
    }

    /// The path with all links of its folders resolved. `None`: it leads outside, or the workspace has no links.
    fn resolved(&self, _path: &WorkspacePath) -> Option<String> {
        None
    }

    /// Returns the properties of a path besides its content, without following links; `None` if it
    /// does not exist, or has no others.
    fn form(&self, _path: &WorkspacePath) -> Option<Form> {
        None
    }

    /// Puts back what was there: content, and what [`form`](Self::form) told of it.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn restore(&self, path: &WorkspacePath, _form: &Form, content: &[u8]) -> Result<(), FileError> {
        self.write(path, content)
    }

    /// The uppermost folder that a file at this path needs and that is not there.
    fn missing_folder(&self, _path: &WorkspacePath) -> Option<String> {
        None
    }

    /// Removes the folders of a path, from its own up to `top`, as far as they are empty.
    fn remove_empty_folders(&self, _path: &WorkspacePath, _top: &str) {}

    /// Removes what an earlier run left behind when it was killed. Answers how many files that were.
    fn tidy(&self) -> usize {
        0
    }

    /// Describes the workspace and its restrictions to a person.
    fn in_words(&self) -> String;
}

/// Reason why a file is not read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The file does not exist.
    NotFound,
    /// A link or a race leads out of the workspace.
    Outside,
    /// `.git` or the agent's own folders.
    Protected,
    /// A directory is where a file should be.
    Directory,
    /// A file is where a directory should be.
    NotADirectory,
    /// The path ends in a symbolic link.
    Link,
    /// A device, a pipe or a socket.
    Special,
    /// The disk takes two spellings for one, and has the other one.
    OtherSpelling {
        /// The name that is there.
        existing: String,
    },
    /// Longer than the reader wants.
    TooLong {
        /// Size in bytes.
        bytes: u64,
    },
    /// The operating system's own words.
    Io(io::Error),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("not found"),
            Self::Outside => f.write_str("REJECTED: Path is outside workspace"),
            Self::Protected => {
                f.write_str("REJECTED: Path is protected (.git and the agent's own folders)")
            }
            Self::Directory => f.write_str("names a directory"),
            Self::NotADirectory => f.write_str("a file is where a directory would have to be"),
            Self::Link => f.write_str("is a symbolic link"),
            Self::Special => f.write_str("is a device, a pipe or a socket"),
            Self::OtherSpelling { existing } => {
                write!(f, "exists as '{existing}'; use that spelling")
            }
            Self::TooLong { bytes } => write!(f, "has {bytes} bytes, which is too long"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::NotADirectory => Self::NotADirectory,
            io::ErrorKind::IsADirectory => Self::Directory,
            _ => Self::Io(error),
        }
    }
}
