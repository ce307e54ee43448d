//! Errors: in Rust an [`Error`], in JavaScript an `Error` distinguished by its `name`.

use std::fmt;

use js_sys::{Object, TypeError};
use serde::{Serialize, Serializer};
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue};

use crate::{
    types::{LostReason, Traceback},
    values,
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

/// Kind of failure, with the known facts. JavaScript has these as properties of the error.
#[derive(Debug, Clone, Serialize, Tsify)]
#[serde(tag = "name", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument or an option is wrong.
    #[serde(rename = "TypeError")]
    Argument,
    /// Another command is still under way; one at a time.
    #[serde(rename = "BusyError")]
    Busy,
    /// The person closed the browser's chooser, or the application ended a transfer.
    #[serde(rename = "CancelledError")]
    Cancelled,
    /// The application closed the conversation.
    #[serde(rename = "ClosedError")]
    Closed,
    /// The source has a byte that the protocol takes as a command.
    #[cfg(feature = "board")]
    #[serde(rename = "ControlByteError")]
    ControlByte {
        /// Offset in bytes, from 0.
        offset: usize,
    },
    /// A question to a stopped program has no answer.
    #[cfg(feature = "debug")]
    #[serde(rename = "DebugError")]
    Debug {
        /// Reason.
        code: DebugErrorCode,
    },
    /// A range of lines that is not in the file, or a file that is no text.
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
    /// The board did not do what it was asked with a file; what there was before is still there.
    #[cfg(feature = "board")]
    #[serde(rename = "FileError")]
    File {
        /// Kind of fault.
        kind: FileErrorKind,
        /// Path that it is about; empty if there is none.
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
        /// Error that the link threw, if any.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        #[tsify(type = "unknown")]
        cause: JsValue,
    },
    /// The board does not take a folder.
    #[cfg(feature = "mount")]
    #[serde(rename = "MountError")]
    Mount,
    /// No program runs that could read what was sent.
    #[cfg(feature = "board")]
    #[serde(rename = "NotRunningError")]
    NotRunning,
    /// WebREPL wants a password and none was given, or it refused the one given.
    #[serde(rename = "PasswordError")]
    Password,
    /// A path that leaves the workspace, names no file, or is protected.
    #[cfg(feature = "agent")]
    #[serde(rename = "PathError")]
    Path,
    /// The program raised.
    #[cfg(feature = "board")]
    #[serde(rename = "ProgramError")]
    Program {
        /// Exception and its place.
        traceback: Traceback,
        /// Output so far.
        stdout: String,
    },
    /// The server does not do what it was asked.
    #[serde(rename = "RefusedError")]
    Refused,
    /// A reply of an LLM of which nothing was done.
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
    /// A session of the agent that cannot be read, or is from a later version.
    #[cfg(feature = "agent")]
    #[serde(rename = "SessionError")]
    Session,
    /// A program that is no Python.
    #[cfg(feature = "debug")]
    #[serde(rename = "SourceError")]
    Source {
        /// Name of the file, as the application knows it.
        file: String,
        /// Line without code, from 1.
        line: u32,
        /// In characters, from 1.
        column: u32,
    },
    /// It took too long.
    #[serde(rename = "TimeoutError")]
    Timeout {
        /// Exception that the program raised when it was interrupted.
        #[tsify(optional)]
        traceback: Option<Traceback>,
        /// Output so far.
        #[tsify(optional)]
        stdout: Option<String>,
    },
    /// The program printed more than anybody wanted to collect.
    #[cfg(feature = "board")]
    #[serde(rename = "TooLongError")]
    TooLong {
        /// Limit in bytes.
        limit: usize,
        /// The first bytes of it.
        stdout: String,
    },
    /// This browser does not have it, or not on this page.
    #[serde(rename = "UnsupportedError")]
    Unsupported,
}

impl Error {
    /// An error of this kind; the message is for people.
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        let message = message.to_string();
        Self { message, kind }
    }

    /// Kind of failure.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// An argument or an option is wrong.
    pub(crate) fn argument(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Argument, message)
    }

    /// The application closed the conversation itself.
    pub(crate) fn closed() -> Self {
        Self::new(ErrorKind::Closed, "the conversation was closed")
    }

    /// The connection is over; `cause` is what the link threw, if it did.
    pub(crate) fn lost(
        reason: LostReason,
        cause: Option<JsValue>,
        message: impl fmt::Display,
    ) -> Self {
        let cause = cause.unwrap_or_default();
        Self::new(ErrorKind::Lost { reason, cause }, message)
    }

    /// A link could not be opened; `cause` is what the browser threw, if it did.
    pub(crate) fn link(message: impl fmt::Display, cause: impl Into<JsValue>) -> Self {
        let cause = cause.into();
        Self::new(ErrorKind::Link { cause }, message)
    }

    /// It took too long.
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

/// A JavaScript `Error` with the kind as its `name` and what is known of it as properties; for an argument, a `TypeError`.
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
