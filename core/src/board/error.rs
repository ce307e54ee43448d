//! Reasons why a request fails.

use alloc::{boxed::Box, string::String};
use core::{fmt, time::Duration};

use crate::raw_repl::{LostReason, Outcome, Traceback};

/// Reason why a board did not carry out a request. The previous state is kept: a file that was to be replaced is
/// unchanged, except for [`Kept`](Self::Kept) and [`Overwritten`](Self::Overwritten).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The file or directory does not exist.
    NotFound,
    /// A file or directory of this name already exists.
    Exists,
    /// The path is a directory.
    IsDirectory,
    /// The path is not a directory.
    NotDirectory,
    /// The directory is not empty.
    NotEmpty,
    /// The board's file system is full.
    NoSpace,
    /// The name is longer than the file system allows.
    NameTooLong,
    /// The file system does not accept this name, or not for this operation.
    Invalid,
    /// The directory is in use: it is the current directory, or a file system is mounted there.
    Busy,
    /// The board's rules forbid the operation, for example on a read-only file system.
    Denied,
    /// The board does not have enough memory.
    NoMemory,
    /// The hash of the received data differs from that of the sent data.
    Damaged,
    /// The application cancelled the request.
    Cancelled,
    /// The board stopped responding during the request, and is at its prompt again.
    Stalled,
    /// The board restarted during the request.
    Restarted,
    /// The board did not end the running program in time.
    NotStopped {
        /// Time limit that passed.
        within: Duration,
    },
    /// This board does not support the request.
    Unsupported {
        /// Feature that the board lacks.
        what: &'static str,
    },
    /// The board's answer could not be read.
    BadAnswer,
    /// The board raised another exception.
    Raised(Traceback),
    /// One of several entries could not be written, for this reason.
    Entry {
        /// Path.
        path: String,
        /// Underlying error.
        error: Box<Self>,
    },
    /// The new content is complete on the board, beside its place, but could not be moved there. The old file may be
    /// gone.
    Kept {
        /// Path of the new content.
        path: String,
        /// Underlying error.
        error: Box<Self>,
    },
    /// The old file was removed to make room for the new one, which did not arrive: it may be lost.
    Overwritten {
        /// Underlying error.
        error: Box<Self>,
    },
    /// The board has disconnected.
    Lost(LostReason),
}

impl Error {
    /// Returns the underlying error, without the entry and its state.
    #[must_use]
    pub fn reason(&self) -> &Self {
        if let Self::Entry { error, .. } | Self::Kept { error, .. } | Self::Overwritten { error } =
            self
        {
            error.reason()
        } else {
            self
        }
    }

    /// Converts the end of a request's program to an error, unless it succeeded.
    pub(crate) fn from_outcome(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Completed => None,
            Outcome::Raised(traceback) => Some(Self::from_traceback(traceback)),
            Outcome::TimedOut(_) => Some(Self::Stalled),
            Outcome::Exited | Outcome::BoardReset => Some(Self::Restarted),
        }
    }

    fn from_traceback(traceback: &Traceback) -> Self {
        match traceback.exception.as_str() {
            "OSError" => Self::from_errno(traceback),
            "MemoryError" => Self::NoMemory,
            "KeyboardInterrupt" => Self::Cancelled,
            "ValueError" if traceback.message == "sha256" => Self::Damaged,
            // Without a traceback, a program of this crate has written this.
            "" => Self::BadAnswer,
            _ => match traceback.message.strip_prefix("kept ") {
                Some(path) => Self::Kept {
                    path: path.into(),
                    error: Box::new(Self::Denied),
                },
                None => Self::Raised(traceback.clone()),
            },
        }
    }

    /// Converts `OSError: 2`, `OSError: [Errno 2] ENOENT` or `OSError: [Errno 2] ENOENT: name`, as boards write it.
    fn from_errno(traceback: &Traceback) -> Self {
        let number = traceback.message.trim_start_matches("[Errno ");
        let digits = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        match number[..digits].parse() {
            Ok(2 | 19) => Self::NotFound,
            Ok(1 | 13 | 30) => Self::Denied,
            Ok(17) => Self::Exists,
            Ok(20) => Self::NotDirectory,
            Ok(21) => Self::IsDirectory,
            Ok(28) => Self::NoSpace,
            Ok(36) => Self::NameTooLong,
            Ok(22) => Self::Invalid,
            Ok(16) => Self::Busy,
            Ok(39 | 66) => Self::NotEmpty,
            Ok(110) => Self::Stalled,
            Ok(125) => Self::Cancelled,
            Ok(12) => Self::NoMemory,
            // micro:bit: "file not found", or no message at all.
            _ if traceback.message.contains("not found") => Self::NotFound,
            Ok(_) | Err(_) => Self::Raised(traceback.clone()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "no such file or directory on the board",
            Self::Exists => "already exists on the board",
            Self::IsDirectory => "is a directory",
            Self::NotDirectory => "is not a directory",
            Self::NotEmpty => "the directory is not empty",
            Self::NoSpace => "the board's file system is full",
            Self::NameTooLong => "the name is too long for the board's file system",
            Self::Invalid => "the board's file system does not allow this name",
            Self::Busy => "is in use on the board",
            Self::Denied => "the board refused this; its file system may be read-only, as CircuitPython's is until the CIRCUITPY drive is ejected",
            Self::NoMemory => "not enough free memory on the board; a soft reset frees some",
            Self::Damaged => {
                "the data that arrived differs from the data sent; the old file is untouched, so try again"
            }
            Self::Cancelled => "cancelled",
            Self::Stalled => "the board stopped answering, and no file was replaced; reset it and try again",
            Self::Restarted => {
                "the board restarted during the operation, and no file was replaced; try again"
            }
            Self::NotStopped { within } => {
                return write!(
                    f,
                    "the program on the board did not stop within {} s; press the board's reset button",
                    within.as_secs_f32()
                );
            }
            Self::Unsupported { what } => return write!(f, "this board has no {what}"),
            Self::BadAnswer => {
                "the board's answer is invalid; a thread or a timer on the board may be printing: soft-reset the board and try again"
            }
            Self::Raised(traceback) => return write!(f, "{traceback}"),
            Self::Entry { path, error } => return write!(f, "{path}: {error}"),
            Self::Kept { path, error } => {
                return write!(
                    f,
                    "{}; the new file is complete on the board as {path}, but did not replace the old one",
                    WithoutOld(error)
                );
            }
            Self::Overwritten { error } => {
                return write!(
                    f,
                    "{}; the old file was removed first to make room and may be lost",
                    WithoutOld(error)
                );
            }
            Self::Lost(reason) => return write!(f, "{reason}"),
        })
    }
}

impl core::error::Error for Error {}

/// Displays an error in words that promise nothing about the old file.
struct WithoutOld<'a>(&'a Error);

impl fmt::Display for WithoutOld<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (
                Error::Damaged,
                "the data that arrived differs from the data sent",
            ),
            (Error::Stalled, "the board stopped answering"),
            (Error::Restarted, "the board restarted during the operation"),
        ];
        match words.iter().find(|(error, _)| error == self.0) {
            Some((_, words)) => f.write_str(words),
            None => self.0.fmt(f),
        }
    }
}

/// Numbers of file errors on a WebAssembly system, and the numbers of the same errors on a board.
const WASI_ERRORS: [(&str, &str); 10] = [
    ("2", "13"),  // EACCES
    ("20", "17"), // EEXIST
    ("31", "21"), // EISDIR
    ("44", "2"),  // ENOENT
    ("48", "12"), // ENOMEM
    ("51", "28"), // ENOSPC
    ("54", "20"), // ENOTDIR
    ("55", "39"), // ENOTEMPTY
    ("63", "1"),  // EPERM
    ("69", "30"), // EROFS
];

/// Translates an outcome to the error numbers that boards use.
pub(super) fn from_wasi(mut outcome: Outcome) -> Outcome {
    if let Outcome::Raised(traceback) = &mut outcome
        && traceback.exception == "OSError"
        && let Some((_, number)) = WASI_ERRORS
            .iter()
            .find(|(wasi, _)| *wasi == traceback.message)
    {
        traceback.message = String::from(*number);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_errno_of_the_browsers_board_is_read_as_what_it_means_there() {
        for (text, expected) in [
            ("OSError: 44", Error::NotFound),
            ("OSError: 20", Error::Exists),
            ("OSError: 54", Error::NotDirectory),
        ] {
            let outcome = from_wasi(Outcome::Raised(Traceback::parse(text.as_bytes())));
            assert_eq!(Error::from_outcome(&outcome), Some(expected), "{text}");
        }
    }

    #[test]
    fn every_spelling_of_an_errno_is_read() {
        for (text, expected) in [
            ("OSError: 2", Error::NotFound),
            ("OSError: [Errno 28] ENOSPC", Error::NoSpace),
            ("OSError: [Errno 39] ENOTEMPTY: lib", Error::NotEmpty),
            ("OSError: file not found", Error::NotFound),
            (
                "MemoryError: memory allocation failed, allocating 4096 bytes",
                Error::NoMemory,
            ),
            ("ValueError: sha256", Error::Damaged),
        ] {
            let outcome = Outcome::Raised(Traceback::parse(text.as_bytes()));
            assert_eq!(Error::from_outcome(&outcome), Some(expected), "{text}");
        }
    }
}
