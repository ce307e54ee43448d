//! Reads the board's questions from the payloads of frames.

use alloc::{string::String, vec::Vec};

/// Look-up of the entry at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Query for the entry at a path.
    Stat {
        /// The path.
        path: String,
        /// Limit of bundled modules, in bytes.
        limit: u32,
        /// Folder in which programs search for modules, with a trailing slash; empty on a board that accepts only
        /// requested data.
        root: String,
    },
    /// Listing of a folder, without the first `from` entries.
    List {
        /// The folder's path.
        path: String,
        /// Number of entries already sent.
        from: u32,
        /// Limit of the answer, in bytes.
        limit: u32,
    },
    /// Opening of a file: its size, and its beginning if it is read.
    Open {
        /// The path.
        path: String,
        /// Mode.
        mode: OpenMode,
        /// Limit of the data, in bytes.
        limit: u32,
    },
    /// Reading of a part of a file.
    Read {
        /// The path.
        path: String,
        /// Offset in bytes.
        offset: u32,
        /// Limit of the data, in bytes.
        limit: u32,
    },
    /// Change of a part of a file, or an addition to it.
    Write {
        /// The path.
        path: String,
        /// Offset in bytes.
        offset: u32,
        /// The bytes.
        data: Vec<u8>,
    },
    /// Removal of a file.
    Remove {
        /// The path.
        path: String,
    },
    /// Renaming of a file or folder.
    Rename {
        /// Old path.
        from: String,
        /// New path.
        to: String,
    },
    /// Creation of a folder.
    MakeDirectory {
        /// Path.
        path: String,
    },
    /// Removal of an empty folder.
    RemoveDirectory {
        /// Path.
        path: String,
    },
}

/// Mode in which a file is opened, as in Python's `open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenMode {
    /// Treatment of an existing or missing file.
    pub access: Access,
    /// True if the file is read: its beginning comes with the answer.
    pub reads: bool,
    /// True if the file is written.
    pub writes: bool,
}

/// Treatment of an existing or missing file when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `r`: the file must exist.
    Existing,
    /// `w`: empties the file, or creates it.
    Empty,
    /// `a`: keeps the file, or creates it.
    Keep,
    /// `x`: creates the file, which must not exist.
    New,
}

impl OpenMode {
    fn parse(text: &str) -> Option<Self> {
        let (letter, plus) = match text.strip_suffix('+') {
            Some(letter) => (letter, true),
            None => (text, false),
        };
        let access = match letter {
            "r" => Access::Existing,
            "w" => Access::Empty,
            "a" => Access::Keep,
            "x" => Access::New,
            _ => return None,
        };
        let is_read = access == Access::Existing;
        Some(Self {
            access,
            reads: plus || is_read,
            writes: plus || !is_read,
        })
    }
}

/// Parses a question, and the number that identifies its answer.
pub(super) fn parse(payload: &[u8]) -> Option<(u8, Option<Question>)> {
    let (&[number, letter], rest) = payload.split_first_chunk::<2>()?;
    let mut words = Words(rest);
    let question = words.question(letter).filter(|_| words.0.is_empty());
    Some((number, question))
}

struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn question(&mut self, letter: u8) -> Option<Question> {
        let path = self.text()?;
        Some(match letter {
            b's' => Question::Stat {
                path,
                limit: self.number()?,
                root: self.text()?,
            },
            b'l' => Question::List {
                path,
                from: self.number()?,
                limit: self.number()?,
            },
            b'o' => Question::Open {
                path,
                mode: OpenMode::parse(&self.text()?)?,
                limit: self.number()?,
            },
            b'r' => Question::Read {
                path,
                offset: self.number()?,
                limit: self.number()?,
            },
            b'w' => Question::Write {
                path,
                offset: self.number()?,
                data: self.bytes()?.to_vec(),
            },
            b'x' => Question::Remove { path },
            b'm' => Question::Rename {
                from: path,
                to: self.text()?,
            },
            b'd' => Question::MakeDirectory { path },
            b'D' => Question::RemoveDirectory { path },
            _ => return None,
        })
    }

    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&[u8]> {
        let (length, rest) = self.0.split_first_chunk::<2>()?;
        let (bytes, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}
