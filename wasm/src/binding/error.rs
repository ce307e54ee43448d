//! Errors: in Rust an [`Error`], in JavaScript an `Error` distinguished by its `name`.

use std::fmt;

use flylead_core::raw_repl;
use js_sys::{Object, TypeError};
use serde::{Serialize, Serializer};
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue};

use crate::{
    binding::values,
    types::{LostReason, Peer, Traceback},
};

#[cfg(feature = "debug")]
use crate::debug::DebugErrorCode;
#[cfg(feature = "board")]
use crate::types::FileErrorKind;
#[cfg(feature = "export")]
use crate::types::{ExportDoubt, ExportErrorCode, ExportHint};

/// Reason for a failure.
#[derive(Debug, Clone)]
pub struct Error {
    message: String,
    kind: ErrorKind,
}

/// Kind of failure, with its details. JavaScript has these as properties of the error.
#[derive(Debug, Clone, Serialize, Tsify)]
#[serde(tag = "name", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument or an option is wrong.
    #[serde(rename = "TypeError")]
    Argument,
    /// Another command is in progress; only one is possible.
    #[serde(rename = "BusyError")]
    Busy,
    /// The user closed the browser's chooser, or the application cancelled a transfer.
    #[serde(rename = "CancelledError")]
    Cancelled,
    /// The application closed the conversation.
    #[serde(rename = "ClosedError")]
    Closed,
    /// The source has a byte that the protocol interprets as a command.
    #[cfg(feature = "board")]
    #[serde(rename = "ControlByteError")]
    ControlByte {
        /// Offset in bytes, from 0.
        offset: usize,
    },
    /// A request to a stopped program failed.
    #[cfg(feature = "debug")]
    #[serde(rename = "DebugError")]
    Debug {
        /// Reason.
        code: DebugErrorCode,
    },
    /// A range of lines does not exist in the file, or the file is not text.
    #[cfg(feature = "agent")]
    #[serde(rename = "EditError")]
    Edit,
    /// No complete log was received.
    #[cfg(feature = "export")]
    #[serde(rename = "ExportError")]
    Export {
        /// Code of the failure, as in [`Failure::code`](flylead_core::export::Failure::code).
        code: ExportErrorCode,
        /// Remedy, as in [`Hint::as_str`](flylead_core::export::Hint::as_str).
        hint: ExportHint,
        /// True if a retry may help without any other action.
        retryable: bool,
        /// Doubts to accept for the log to be accepted; empty if nothing helps.
        doubts: Vec<ExportDoubt>,
    },
    /// A file request failed; an existing file is unchanged.
    #[cfg(feature = "board")]
    #[serde(rename = "FileError")]
    File {
        /// Kind of fault.
        kind: FileErrorKind,
        /// Path concerned; empty if there is none.
        path: String,
        /// For [`FileErrorKind::Raised`].
        traceback: Option<Traceback>,
    },
    /// A link could not be opened.
    #[serde(rename = "LinkError")]
    Link {
        /// Error that the browser threw, if any.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "unknown")]
        cause: JsValue,
    },
    /// The connection has closed.
    #[serde(rename = "LostError")]
    Lost {
        /// Reason for the loss.
        reason: LostReason,
        /// Peer at the link if no board answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        peer: Option<Peer>,
        /// Error that the link threw, if any.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "unknown")]
        cause: JsValue,
    },
    /// The board cannot mount the folder.
    #[cfg(feature = "mount")]
    #[serde(rename = "MountError")]
    Mount,
    /// No running program could read the sent data.
    #[cfg(feature = "board")]
    #[serde(rename = "NotRunningError")]
    NotRunning,
    /// WebREPL requires a password, and none was given or the given one was refused.
    #[serde(rename = "PasswordError")]
    Password,
    /// A path leaves the workspace, names no file, or is protected.
    #[cfg(feature = "agent")]
    #[serde(rename = "PathError")]
    Path,
    /// The program raised an exception.
    #[cfg(feature = "board")]
    #[serde(rename = "ProgramError")]
    Program {
        /// Exception and its place.
        traceback: Traceback,
        /// Output so far.
        stdout: String,
    },
    /// The server refused the request.
    #[serde(rename = "RefusedError")]
    Refused,
    /// An LLM's reply was rejected, and nothing was done.
    #[cfg(feature = "agent")]
    #[serde(rename = "RejectedError")]
    Rejected,
    /// The board restarted in the middle of the program.
    #[cfg(feature = "board")]
    #[serde(rename = "RestartedError")]
    Restarted {
        /// Output so far.
        stdout: String,
    },
    /// A session of the agent cannot be read, or is from a later version.
    #[cfg(feature = "agent")]
    #[serde(rename = "SessionError")]
    Session,
    /// A program is not valid Python.
    #[cfg(feature = "debug")]
    #[serde(rename = "SourceError")]
    Source {
        /// Name of the file in the application.
        file: String,
        /// Line of the syntax error, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
    },
    /// A time limit was exceeded.
    #[serde(rename = "TimeoutError")]
    Timeout {
        /// Exception that the program raised when it was interrupted.
        #[tsify(optional)]
        traceback: Option<Traceback>,
        /// Output so far.
        #[tsify(optional)]
        stdout: Option<String>,
    },
    /// The program exceeded the output limit.
    #[cfg(feature = "board")]
    #[serde(rename = "TooLongError")]
    TooLong {
        /// Limit in bytes.
        limit: usize,
        /// Beginning of the output.
        stdout: String,
    },
    /// This browser lacks the feature, or denies it to this page.
    #[serde(rename = "UnsupportedError")]
    Unsupported,
}

impl Error {
    /// Creates an error of this kind; the message is for the user.
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        let message = message.to_string();
        Self { message, kind }
    }

    /// Returns the kind of failure.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Creates an error about an argument or an option.
    pub(crate) fn argument(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Argument, message)
    }

    /// Creates the error of a conversation that the application closed itself.
    pub(crate) fn closed() -> Self {
        Self::new(ErrorKind::Closed, "the conversation was closed")
    }

    /// Creates the error of a closed connection; `cause` is the value that the link threw, if any.
    pub(crate) fn lost(
        reason: LostReason,
        cause: Option<JsValue>,
        message: impl fmt::Display,
    ) -> Self {
        let cause = cause.unwrap_or_default();
        let kind = ErrorKind::Lost {
            reason,
            peer: None,
            cause,
        };
        Self::new(kind, message)
    }

    /// Creates the error of a lost board; `cause` is the value that the link threw, if any.
    pub(crate) fn lost_board(reason: &raw_repl::LostReason, cause: Option<JsValue>) -> Self {
        let peer = match reason {
            raw_repl::LostReason::NotEntered { peer, .. } => Some(peer.into()),
            raw_repl::LostReason::Closed | raw_repl::LostReason::TimedOut { .. } => None,
        };
        let kind = ErrorKind::Lost {
            reason: reason.into(),
            peer,
            cause: cause.unwrap_or_default(),
        };
        Self::new(kind, reason)
    }

    /// Creates the error of a link that could not be opened; `cause` is the value that the browser threw, if any.
    pub(crate) fn link(message: impl fmt::Display, cause: impl Into<JsValue>) -> Self {
        let cause = cause.into();
        Self::new(ErrorKind::Link { cause }, message)
    }

    /// Creates the error of an exceeded time limit.
    pub(crate) fn timeout(message: impl fmt::Display) -> Self {
        let (traceback, stdout) = (None, None);
        Self::new(ErrorKind::Timeout { traceback, stdout }, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Serializes the error as JavaScript throws it.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_wasm_bindgen::preserve::serialize(&JsValue::from(self.clone()), serializer)
    }
}

/// Converts the error to a JavaScript `Error` with the kind as its `name` and the details as properties; for an
/// argument, to a `TypeError`.
impl From<Error> for JsValue {
    fn from(error: Error) -> Self {
        if matches!(error.kind, ErrorKind::Argument) {
            return TypeError::new(&error.message).into();
        }
        let thrown = js_sys::Error::new(&error.message);
        let properties = values::to_js(&error.kind).unchecked_into();
        Object::assign(&thrown, &properties).into()
    }
}
