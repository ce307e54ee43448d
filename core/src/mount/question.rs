//! What the board asks for, read from a frame's payload.

use alloc::{string::String, vec::Vec};

/// What a program on the board wants of the mounted folder. Paths begin with `/`, which is the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// What the path names.
    Stat {
        /// The path.
        path: String,
        /// How many bytes of modules are wanted at most.
        limit: u32,
        /// The folder in which programs look for modules, with a slash at its end; empty on a board that takes nothing but
        /// what it asks for.
        root: String,
    },
    /// The entries of a folder, but for the first `from`.
    List {
        /// The folder's path.
        path: String,
        /// How many have been told.
        from: u32,
        /// How many bytes the answer may have.
        limit: u32,
    },
    /// To open a file: its size, and its beginning where it is read.
    Open {
        /// The path.
        path: String,
        /// How.
        mode: OpenMode,
        /// How many bytes are wanted at most.
        limit: u32,
    },
    /// A part of a file.
    Read {
        /// The path.
        path: String,
        /// Where it begins, in bytes.
        offset: u32,
        /// How many bytes are wanted at most.
        limit: u32,
    },
    /// To change a part of a file, or to add to it.
    Write {
        /// The path.
        path: String,
        /// Where it goes, in bytes.
        offset: u32,
        /// The bytes.
        data: Vec<u8>,
    },
    /// To remove a file.
    Remove {
        /// The path.
        path: String,
    },
    /// To give something another name.
    Rename {
        /// Its path.
        from: String,
        /// Its new path.
        to: String,
    },
    /// To make a folder.
    MakeDirectory {
        /// Its path.
        path: String,
    },
    /// To remove an empty folder.
    RemoveDirectory {
        /// Its path.
        path: String,
    },
}

/// How a file is opened, as Python's `open` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenMode {
    /// What becomes of a file that is there or not.
    pub access: Access,
    /// Whether it is read: its beginning comes with the answer.
    pub reads: bool,
    /// Whether it is written.
    pub writes: bool,
}

/// What becomes of a file when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `r`: it must be there.
    Existing,
    /// `w`: it is emptied, or made.
    Empty,
    /// `a`: it is kept, or made.
    Keep,
    /// `x`: it must not be there, and is made.
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

/// A question, and the number by which its answer is known.
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
