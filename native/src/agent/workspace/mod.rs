//! Limits an LLM to the files of a workspace.
//!
//! ```text
//!   "src\..\a.rs" ──path::judge──► WorkspacePath ──Workspace──► the file, or why not
//! ```
//!
//! A [`Workspace`] is a set of files with paths from a root, and a way to run commands there. [`Folder`] is one on this
//! computer: it holds its root by a handle, walks from handle to handle, and never opens by a path, so nothing that
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
    /// Returns the whole file.
    ///
    /// # Errors
    /// The path does not exist, is not a file, is longer than `limit` bytes, or leads outside.
    fn read(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, FileError>;

    /// Writes exactly `content` to the file, creating missing directories. A reader sees the old file or the new one,
    /// never a part.
    ///
    /// # Errors
    /// The path is protected, leads outside, names a directory or a link, or the disk refuses.
    fn write(&self, path: &WorkspacePath, content: &[u8]) -> Result<(), FileError>;

    /// Deletes the file; if it is a link, the link itself.
    ///
    /// # Errors
    /// The path does not exist, is a directory, is protected, or leads outside.
    fn delete(&self, path: &WorkspacePath) -> Result<(), FileError>;

    /// Lists all files that are not ignored, sorted by path.
    ///
    /// # Errors
    /// The root cannot be read.
    fn list(&self) -> Result<Vec<FileEntry>, FileError>;

    /// Runs the body of a RUN_COMMAND, within the protocol's time limit. Keeps the data for undoing its changes in the
    /// folder `undo`, which is created if necessary.
    ///
    /// # Errors
    /// The command could not be started, or its changes could not be applied.
    fn run(&self, command: &str, undo: &Path) -> io::Result<Ran>;

    /// Undoes the changes of a command. Returns the outcome for each path.
    ///
    /// # Errors
    /// The kept copy cannot be read.
    fn take_back(&self, _undo: &Path) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Returns a file whose name looks the same but consists of other code points: `é` as one, or as `e` and an accent.
    /// It is never used in place of the requested file, only named in the error.
    fn look_alike(&self, _path: &WorkspacePath) -> Option<String> {
        None
    }

    /// Returns the path with the links of its folders resolved; `None` if it leads outside, or the workspace has no
    /// links.
    fn resolved(&self, _path: &WorkspacePath) -> Option<String> {
        None
    }

    /// Returns the properties of a path besides its content, without following links; `None` if it
    /// does not exist, or has no others.
    fn form(&self, _path: &WorkspacePath) -> Option<Form> {
        None
    }

    /// Restores a file: its content, and the properties that [`form`](Self::form) returned.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    fn restore(&self, path: &WorkspacePath, _form: &Form, content: &[u8]) -> Result<(), FileError> {
        self.write(path, content)
    }

    /// Returns the uppermost missing folder on the way to a file at this path.
    fn missing_folder(&self, _path: &WorkspacePath) -> Option<String> {
        None
    }

    /// Removes the empty folders of a path, from its own up to `top`.
    fn remove_empty_folders(&self, _path: &WorkspacePath, _top: &str) {}

    /// Removes files left behind by a killed run, and returns their number.
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
    /// The path is a directory.
    Directory,
    /// A component of the path is a file.
    NotADirectory,
    /// The path ends in a symbolic link.
    Link,
    /// A device, a pipe or a socket.
    Special,
    /// The disk treats two spellings as one, and has the other one.
    OtherSpelling {
        /// The existing name.
        existing: String,
    },
    /// The file is longer than the limit of the reader.
    TooLong {
        /// Size in bytes.
        bytes: u64,
    },
    /// Error of the operating system.
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
