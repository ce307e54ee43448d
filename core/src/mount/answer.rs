//! Encodes answers to the board as frames.

use alloc::{format, string::String, vec::Vec};

use miniz_oxide::deflate::compress_to_vec;

use crate::channel::{START, crc32};

/// Content of an answer, or the error for the board.
pub type Answer = Result<Content, Errno>;

/// An answer to a [`Question`](super::Question).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Confirmation.
    Done,
    /// Entry at a path, for `Stat`.
    Found {
        /// Entry at the path; `None` if there is none.
        entry: Option<Found>,
        /// Module that an `import` of the path would read, which it requests next; `None` for a file.
        module: Option<Module>,
        /// Paths that the board requests next while it imports that module. Modules among them are complete. Missing
        /// paths are listed as often as they are requested.
        along: Vec<Along>,
        /// True if the board may use these paths after the import of that module, too: the program requests them itself.
        is_for_program: bool,
        /// True if a new program may run there: the board forgets the paths that were for the one before.
        is_new_program: bool,
    },
    /// Entries of a folder, for `List`.
    Entries {
        /// Entries.
        entries: Vec<(String, Found)>,
        /// Index of the next entry, if there are more.
        next: Option<u32>,
    },
    /// An opened file, for `Open`.
    Opened {
        /// Size in bytes.
        size: u32,
        /// Beginning of the file, if it is opened for reading.
        data: Vec<u8>,
    },
    /// Bytes of a file, for `Read`; empty at its end.
    Data(Vec<u8>),
}

/// A file or a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// True for a folder.
    pub is_directory: bool,
    /// Size in bytes.
    pub size: u32,
    /// Time of the last change, in seconds since 1970.
    pub modified: u32,
}

/// Path that another module imports, sent before the board requests it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Along {
    /// Path without its suffix, at most 255 bytes.
    pub path: String,
    /// Entry of exactly this name; `None` if there is none.
    pub entry: Option<Found>,
    /// Module at the path.
    pub module: Module,
}

/// File that an `import` reads if no entry has exactly this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Module {
    /// No module exists.
    Missing,
    /// A file.
    File {
        /// Suffix after the requested path: `.py`, `.mpy`, `/__init__.py` or `/__init__.mpy`.
        ending: &'static str,
        /// Entry of the module.
        found: Found,
        /// Content of the whole file, if it is short enough.
        data: Option<Vec<u8>>,
    },
}

/// Error number of MicroPython, which is the same as Linux's (MicroPython v1.29, `py/mperrno.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub u8);

impl Errno {
    /// `EPERM`: the path leads out of the folder.
    pub const OUTSIDE: Self = Self(1);
    /// `ENOENT`: the file does not exist.
    pub const NOT_FOUND: Self = Self(2);
    /// `EIO`: the disk failed.
    pub const IO: Self = Self(5);
    /// `EACCES`: the operating system refuses.
    pub const DENIED: Self = Self(13);
    /// `EEXIST`: the file already exists.
    pub const EXISTS: Self = Self(17);
    /// `ENODEV`: the mounted folder itself is gone.
    pub const GONE: Self = Self(19);
    /// `ENOTDIR`: a folder is required, but this is a file.
    pub const NOT_DIRECTORY: Self = Self(20);
    /// `EISDIR`: a file is required, but this is a folder.
    pub const IS_DIRECTORY: Self = Self(21);
    /// `EINVAL`: the operation is impossible.
    pub const INVALID: Self = Self(22);
    /// `EFBIG`: the file is larger than 4 GiB.
    pub const TOO_LARGE: Self = Self(27);
    /// `ENOSPC`: the disk is full.
    pub const NO_SPACE: Self = Self(28);
    /// `EROFS`: the disk is read-only.
    pub const READ_ONLY: Self = Self(30);
    /// `ENOTEMPTY`: the folder is not empty.
    pub const NOT_EMPTY: Self = Self(39);
}

/// Returns the complete frame of an answer. `inflates` is true if the board unpacks.
pub(super) fn frame(number: u8, answer: &Answer, inflates: bool) -> Vec<u8> {
    let (errno, content) = match answer {
        Ok(content) => (0, payload(content)),
        Err(Errno(errno)) => (*errno, Vec::new()),
    };
    let packed = inflates.then(|| compress_to_vec(&content, DEFLATE_LEVEL));
    let packed = packed.filter(|packed| packed.len() < content.len());
    let (window, escaped) = match packed {
        Some(packed) => (window(content.len()), escape(&packed)),
        None => (0, escape(&content)),
    };
    if escaped.len() > LONGEST {
        return frame(number, &Err(Errno::TOO_LARGE), inflates);
    }
    let sum = crc32(&escaped);
    let length = escaped.len();
    let header = format!("{number:02x}{errno:02x}{window:x}{length:04x}{sum:08x}");
    // The board must not trust a length damaged in transit: it would wait for bytes that never arrive.
    let check = header.bytes().fold(0, u8::wrapping_add);
    let header = format!("{header}{check:02x}");
    [&START, header.as_bytes(), &escaped].concat()
}

fn payload(content: &Content) -> Vec<u8> {
    let mut bytes = Vec::new();
    match content {
        Content::Done => {}
        Content::Found {
            entry,
            module,
            along,
            is_for_program,
            is_new_program,
        } => {
            write_found(*entry, module.as_ref(), &mut bytes);
            bytes[0] |= u8::from(*is_for_program) * FOR_PROGRAM;
            bytes[0] |= u8::from(*is_new_program) * NEW_PROGRAM;
            for Along {
                path,
                entry,
                module,
            } in along
            {
                // Longer paths never become an `Along`.
                bytes.push(path.len() as u8);
                bytes.extend(path.as_bytes());
                write_found(*entry, Some(module), &mut bytes);
            }
        }
        Content::Entries { entries, next } => write_entries(entries, *next, &mut bytes),
        Content::Opened { size, data } => {
            bytes.extend(size.to_le_bytes());
            bytes.extend(data);
        }
        Content::Data(data) => bytes.extend(data),
    }
    bytes
}

fn write_found(entry: Option<Found>, module: Option<&Module>, bytes: &mut Vec<u8>) {
    bytes.push(entry.map_or(0, Found::kind));
    entry.unwrap_or_default().write(bytes);
    write_module(module, bytes);
}

fn write_module(module: Option<&Module>, bytes: &mut Vec<u8>) {
    match module {
        None => bytes.push(u8::MAX),
        Some(Module::Missing) => bytes.push(0),
        Some(Module::File {
            ending,
            found,
            data,
        }) => {
            // There are four suffixes, all of them short.
            bytes.push(ending.len() as u8);
            bytes.extend(ending.as_bytes());
            // The bytes actually read count: the file may have changed since its look-up.
            let size = data.as_ref().map(|data| data.len() as u32);
            let size = size.unwrap_or(found.size);
            Found { size, ..*found }.write(bytes);
            bytes.push(data.is_some().into());
            bytes.extend(data.iter().flatten());
        }
    }
}

/// Writes the number of entries and the position of the rest; `0` if there is none.
fn write_entries(entries: &[(String, Found)], next: Option<u32>, bytes: &mut Vec<u8>) {
    let count = u16::try_from(entries.len()).unwrap_or(u16::MAX);
    bytes.extend(count.to_le_bytes());
    bytes.extend(next.unwrap_or_default().to_le_bytes());
    for (name, found) in &entries[..count.into()] {
        bytes.push(found.kind());
        bytes.extend(found.size.to_le_bytes());
        let length = u16::try_from(name.len()).unwrap_or_default();
        bytes.extend(length.to_le_bytes());
        bytes.extend(&name.as_bytes()[..length.into()]);
    }
}

impl Found {
    const fn kind(self) -> u8 {
        if self.is_directory { 1 } else { 2 }
    }

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.size.to_le_bytes());
        bytes.extend(self.modified.to_le_bytes());
    }
}

/// Returns the logarithm of the window that unpacks this many bytes: no distance exceeds their number.
const fn window(length: usize) -> u32 {
    let mut bits = 8;
    while bits < 15 && length > 1 << bits {
        bits += 1;
    }
    bits
}

/// Escapes Ctrl-C, which would interrupt the board, as two bytes.
fn escape(bytes: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(bytes.len() + bytes.len() / 64);
    for &byte in bytes {
        match byte {
            ESCAPE => escaped.extend([ESCAPE, b'1']),
            INTERRUPT => escaped.extend([ESCAPE, b'2']),
            byte => escaped.push(byte),
        }
    }
    escaped
}

/// Bits beside the kind of the first entry.
const FOR_PROGRAM: u8 = 4;
const NEW_PROGRAM: u8 = 8;
const ESCAPE: u8 = 0x1b;
const INTERRUPT: u8 = 0x03;
/// Compression level, as in transfers: the host's extra time costs less than extra bytes on the
/// slow line.
const DEFLATE_LEVEL: u8 = 8;
/// Largest value of four hexadecimal digits.
const LONGEST: usize = 0xffff;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_has_a_ctrl_c_in_it() {
        let data: Vec<u8> = (0..=255).cycle().take(4096).collect();
        for inflates in [false, true] {
            let sent = frame(3, &Ok(Content::Data(data.clone())), inflates);
            assert!(!sent.contains(&INTERRUPT));
        }
    }

    #[test]
    fn a_window_is_no_smaller_than_what_it_unpacks() {
        assert_eq!([1, 256, 257, 40_000].map(window), [8, 8, 9, 15]);
    }
}
