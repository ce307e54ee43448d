//! Requests to a board, and their answers.

use alloc::{string::String, vec::Vec};
use core::{fmt, time::Duration};

use super::Capabilities;
use crate::raw_repl::{Command, Outcome};

/// Operation on a board. Paths are the board's: `/lib/a.py`, or relative to its current directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Enters raw mode, interrupting any running program: [`Answer::Done`].
    Enter,
    /// Runs a program, interrupting any other: [`Answer::Ran`], after its output as [`Event::Stdout`]. If it ended with
    /// `SystemExit`, the answer comes after the resulting reset.
    ///
    /// [`Event::Stdout`]: super::Event::Stdout
    Exec {
        /// The program.
        source: Vec<u8>,
        /// Time limit from the start, after which the program is interrupted; `None` for no limit.
        timeout: Option<Duration>,
    },
    /// Restarts the interpreter, running `boot.py` but not `main.py`: [`Answer::Done`].
    SoftReset,
    /// Returns to the normal prompt: [`Answer::Done`].
    Leave,
    /// Lists the entries of a directory by name: [`Answer::Entries`].
    List {
        /// The directory; empty for the current one.
        path: String,
        /// True for the times of change too, for which the board looks at each entry.
        times: bool,
    },
    /// Lists all entries below a directory, with names relative to it: [`Answer::Entries`].
    Tree {
        /// The directory.
        path: String,
        /// True to hash each file, which reads it whole.
        hashes: bool,
    },
    /// Looks up one entry: [`Answer::Entry`].
    Stat {
        /// The file or directory.
        path: String,
    },
    /// Reads a file: [`Answer::Bytes`].
    Read {
        /// The file.
        path: String,
    },
    /// Reads a file, delivering its content in parts as [`Event::Content`]: [`Answer::Done`], if it matches the board's
    /// hash.
    ///
    /// [`Event::Content`]: super::Event::Content
    ReadStream {
        /// The file.
        path: String,
    },
    /// Replaces or creates a file: [`Answer::Written`]. The old file stays complete until the new one is.
    Write {
        /// The file.
        path: String,
        /// Content.
        data: Vec<u8>,
    },
    /// Writes files and makes directories, in this order: [`Answer::Written`]. Directories may exist; their parents,
    /// and the directories of the files, must exist. An error caused by an entry is an
    /// [`Error::Entry`](super::Error::Entry); the entries before it are done.
    WriteTree {
        /// Entries to write.
        entries: Vec<NewEntry>,
    },
    /// Appends to a file: [`Answer::Written`]. If the board restarts in the meantime, it has either the old file or the
    /// longer one; a file of 64 KiB or more may have only a part of the addition.
    Append {
        /// The file.
        path: String,
        /// Data to append.
        data: Vec<u8>,
    },
    /// Removes a file or an empty directory: [`Answer::Done`].
    Remove {
        /// The file.
        path: String,
    },
    /// Removes a file, or a directory and everything below it: [`Answer::Done`]. The root itself is kept.
    RemoveTree {
        /// The file or directory.
        path: String,
    },
    /// Makes a directory: [`Answer::Done`].
    MakeDirectory {
        /// The directory.
        path: String,
        /// True to create missing parents as well, and to accept an existing directory.
        parents: bool,
    },
    /// Renames a file or directory: [`Answer::Done`].
    Rename {
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Makes an empty file if there is none: [`Answer::Done`].
    Touch {
        /// The file.
        path: String,
    },
    /// Reports the size of a file system: [`Answer::Space`].
    Space {
        /// Any path on the file system.
        path: String,
    },
    /// Hashes a file with SHA-256: [`Answer::Hash`].
    Hash {
        /// The file.
        path: String,
    },
    /// Queries the board's capabilities: [`Answer::Capabilities`].
    Capabilities,
}

/// A file or directory to write to the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewEntry {
    /// A directory.
    Directory {
        /// Path.
        path: String,
    },
    /// A file. The old one stays complete until the new one is.
    File {
        /// Path.
        path: String,
        /// Content.
        data: Vec<u8>,
    },
    /// A file whose old version is removed first to make room, and lost if the new one does not arrive: for file
    /// systems without space for both.
    Overwrite {
        /// Path.
        path: String,
        /// Content.
        data: Vec<u8>,
    },
}

impl NewEntry {
    /// Target path.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Directory { path } | Self::File { path, .. } | Self::Overwrite { path, .. } => {
                path
            }
        }
    }

    /// Content; empty for a directory.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        match self {
            Self::Directory { .. } => &[],
            Self::File { data, .. } | Self::Overwrite { data, .. } => data,
        }
    }
}

/// Answer of a board to a [`Request`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The request succeeded.
    Done,
    /// A program has ended.
    Ran(Outcome),
    /// A directory's entries.
    Entries(Vec<Entry>),
    /// One entry.
    Entry(Entry),
    /// A file's content, verified.
    Bytes(Vec<u8>),
    /// All content was written, verified and moved to its place.
    Written(Written),
    /// The size of a file system.
    Space(Space),
    /// A SHA-256.
    Hash([u8; 32]),
    /// Capabilities of the board.
    Capabilities(Capabilities),
}

/// A file or directory on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name, or path relative to the requested directory.
    pub name: String,
    /// Kind of entry.
    pub kind: EntryKind,
    /// Size in bytes; 0 for a directory.
    pub size: u64,
    /// Time of the last change, in seconds since 1970 by the board's clock; `None` if the board
    /// does not report it.
    pub modified: Option<i64>,
    /// Hash, if requested.
    pub sha256: Option<[u8; 32]>,
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A directory.
    Directory,
}

/// The size of a file system, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Total size.
    pub total: u64,
    /// Free space.
    pub free: u64,
}

/// Result of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Size of the written content, in bytes.
    pub bytes: u64,
    /// Number of bytes sent on the wire.
    pub on_wire: u64,
    /// Method of the transfer.
    pub method: TransferMethod,
}

/// Method of sending content to a board, from the most widely supported to the fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TransferMethod {
    /// Python literals.
    Literal,
    /// Hexadecimal, where shorter.
    Hex,
    /// Base64, where shorter.
    Base64,
    /// Deflate, in base64 or in a literal, where shorter.
    Deflate,
    /// The bytes themselves.
    Stream,
    /// Deflated blocks where shorter, on a slow link.
    StreamDeflate,
}

/// Progress of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of content already transferred.
    pub done: u64,
    /// Total bytes, if known.
    pub total: Option<u64>,
    /// Number of files and directories already in place, of those being written.
    pub entries: usize,
}

impl Request {
    /// Returns true if carrying out the request does not depend on the board's capabilities: it runs code of the
    /// application, or hands over the prompt, and code of this crate must not remain on the board then.
    pub(super) const fn is_of_the_application(&self) -> bool {
        matches!(self, Self::Exec { .. } | Self::Leave)
    }

    pub(super) const fn needs_capabilities(&self) -> bool {
        !matches!(
            self,
            Self::Enter | Self::Exec { .. } | Self::SoftReset | Self::Leave | Self::Capabilities
        )
    }
}

/// Formats the request for a trace, without a file's content.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enter => Command::Enter.fmt(f),
            Self::Exec { source, timeout } => {
                let (source, timeout) = (source.clone(), *timeout);
                Command::Exec { source, timeout }.fmt(f)
            }
            Self::SoftReset => Command::SoftReset.fmt(f),
            Self::Leave => Command::Leave.fmt(f),
            Self::List { path, .. } => write!(f, "list {path}"),
            Self::Tree { path, hashes: true } => write!(f, "tree-with-hashes {path}"),
            Self::Tree {
                path,
                hashes: false,
            } => write!(f, "tree {path}"),
            Self::Stat { path } => write!(f, "stat {path}"),
            Self::Read { path } | Self::ReadStream { path } => write!(f, "read {path}"),
            Self::Write { path, data } => write!(f, "write {} bytes to {path}", data.len()),
            Self::WriteTree { entries } => write_tree(f, entries),
            Self::Append { path, data } => write!(f, "append {} bytes to {path}", data.len()),
            Self::Remove { path } => write!(f, "remove {path}"),
            Self::RemoveTree { path } => write!(f, "remove-tree {path}"),
            Self::MakeDirectory { path, .. } => write!(f, "make-directory {path}"),
            Self::Rename { from, to } => write!(f, "rename {from} to {to}"),
            Self::Touch { path } => write!(f, "touch {path}"),
            Self::Space { path } => write!(f, "space {path}"),
            Self::Hash { path } => write!(f, "hash {path}"),
            Self::Capabilities => f.write_str("capabilities"),
        }
    }
}

fn write_tree(f: &mut fmt::Formatter<'_>, entries: &[NewEntry]) -> fmt::Result {
    let bytes: usize = entries.iter().map(|entry| entry.data().len()).sum();
    let first = entries.first().map_or("", NewEntry::path);
    write!(
        f,
        "write {bytes} bytes to {} entries, {first} first",
        entries.len()
    )
}
