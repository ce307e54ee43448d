//! Errors of a board.

use flylead_core::{board, raw_repl::CommandError};

use crate::{
    binding::error::{Error, ErrorKind},
    types::{FileErrorKind, LostReason, Traceback},
};

impl From<CommandError> for Error {
    fn from(error: CommandError) -> Self {
        let kind = match error {
            CommandError::Busy => ErrorKind::Busy,
            CommandError::NotRunning => ErrorKind::NotRunning,
            CommandError::ControlByte { offset } => ErrorKind::ControlByte { offset },
            CommandError::Lost => return Self::lost(LostReason::Closed, None, error),
        };
        Self::new(kind, error)
    }
}

impl Error {
    /// Creates the error of a program that raised an exception.
    pub(super) fn raised(traceback: Traceback, stdout: String) -> Self {
        let message = traceback.headline();
        Self::new(ErrorKind::Program { traceback, stdout }, message)
    }

    /// Creates the error of a program that exceeded its time limit.
    pub(super) fn timed_out(traceback: Option<Traceback>, stdout: String) -> Self {
        let stdout = Some(stdout);
        Self::new(
            ErrorKind::Timeout { traceback, stdout },
            "the program exceeded its time limit and was interrupted",
        )
    }

    /// Creates the error of a program during which the board restarted.
    pub(super) fn restarted(stdout: String) -> Self {
        Self::new(
            ErrorKind::Restarted { stdout },
            "the board restarted in the middle of the program",
        )
    }

    /// Creates the error of a program that exceeded the output limit.
    pub(super) fn too_long(limit: usize, stdout: String) -> Self {
        let message = format_args!(
            "the program printed more than {limit} bytes; use run() to read them as they come"
        );
        Self::new(ErrorKind::TooLong { limit, stdout }, message)
    }

    /// Creates the error of a failed request about `path`, or about a path that the error names itself.
    pub(super) fn file(error: &board::Error, path: &str) -> Self {
        use board::Error as Core;
        let kind = match error {
            Core::Entry { path, error } => return Self::file(error, path),
            Core::Lost(reason) => return Self::lost_board(reason, None),
            Core::Cancelled => return Self::new(ErrorKind::Cancelled, about(path, error)),
            Core::NotFound => FileErrorKind::NotFound,
            Core::Exists => FileErrorKind::Exists,
            Core::IsDirectory => FileErrorKind::IsDirectory,
            Core::NotDirectory => FileErrorKind::NotDirectory,
            Core::NotEmpty => FileErrorKind::NotEmpty,
            Core::NoSpace => FileErrorKind::NoSpace,
            Core::NameTooLong => FileErrorKind::NameTooLong,
            Core::Invalid => FileErrorKind::Invalid,
            Core::Busy => FileErrorKind::Busy,
            Core::Denied => FileErrorKind::Denied,
            Core::NoMemory => FileErrorKind::NoMemory,
            Core::Damaged => FileErrorKind::Damaged,
            Core::Stalled => FileErrorKind::Stalled,
            Core::Restarted => FileErrorKind::Restarted,
            Core::NotStopped { .. } => FileErrorKind::NotStopped,
            Core::Unsupported { .. } => FileErrorKind::Unsupported,
            Core::BadAnswer => FileErrorKind::BadAnswer,
            Core::Kept { .. } => FileErrorKind::Kept,
            Core::Overwritten { .. } => FileErrorKind::Overwritten,
            Core::Raised(_) => FileErrorKind::Raised,
        };
        let traceback = if let Core::Raised(traceback) = error {
            Some(Traceback::from(traceback))
        } else {
            None
        };
        let message = traceback.as_ref().map_or_else(
            || about(path, error),
            |traceback| about(path, traceback.headline()),
        );
        let path = path.to_owned();
        let kind = ErrorKind::File {
            kind,
            path,
            traceback,
        };
        Self::new(kind, message)
    }
}

fn about(path: &str, what: impl std::fmt::Display) -> String {
    if path.is_empty() {
        return what.to_string();
    }
    format!("{path}: {what}")
}
