//! Types known to both sides: Rust types from which the TypeScript declarations are generated.

#[cfg(feature = "export")]
use flylead_core::export;
use flylead_core::raw_repl;
use serde::Serialize;
use tsify::Tsify;

use crate::binding::values::words;

/// Outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Outcome {
    /// The program reached its end.
    Completed,
    /// An exception ended it.
    Raised {
        /// Exception and its place.
        traceback: Traceback,
    },
    /// The program raised `SystemExit`; the board has reset itself since.
    Exited,
    /// The board restarted, as after `machine.reset()` or a crash, and is at its normal prompt.
    Restarted,
    /// The program exceeded its time limit and was interrupted.
    TimedOut {
        /// Exception that it then raised, if any.
        traceback: Option<Traceback>,
    },
}

/// An uncaught exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct Traceback {
    /// Call stack, outermost call first.
    pub frames: Vec<Frame>,
    /// Class, such as `ZeroDivisionError`; empty if the text is not a traceback.
    pub exception: String,
    /// Text after the class; may be empty.
    pub message: String,
    /// Text as the board sent it, with `\n` as line end.
    pub text: String,
    /// Kind of fault.
    pub kind: Fault,
    /// Remedy.
    pub recovery: Recovery,
}

/// One line of a call stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct Frame {
    /// File; `<stdin>` for a program that was sent.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Function or `<module>`; a syntax error has none.
    pub function: Option<String>,
}

words! {
    /// Kind of fault behind an exception.
    Fault of raw_repl::ErrorKind {
        /// The source is not valid Python. None of it ran.
        Parse,
        /// The program raised an exception.
        Runtime,
        /// The board ran out of memory.
        Memory,
        /// The board itself failed: it reset, or it is gone.
        Hardware,
    }
}

words! {
    /// Remedy for a fault.
    Recovery of raw_repl::Recovery {
        /// Send the next program.
        Continue,
        /// Reset the interpreter first.
        SoftReset,
        /// Reset the device and reattach.
        Reconnect,
    }
}

words! {
    /// Device or program found at a link in place of a prompt.
    Peer of raw_repl::Peer {
        /// Nothing was received.
        Silent,
        /// Text was received: a program runs, and does not stop.
        Program,
        /// Bytes that are not text were received, as at a wrong speed.
        WrongSpeed,
        /// All sent bytes came back.
        Loopback,
        /// An ESP's boot ROM waits for firmware.
        EspDownload,
        /// An ESP's boot ROM finds no firmware that it can start, and restarts.
        EspNoFirmware,
        /// CircuitPython.
        CircuitPython,
        /// Another computer asks for a name or a password.
        Login,
    }
}

/// Reason why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum LostReason {
    /// The link closed: it was unplugged, its stream ended, or its process ended.
    Closed,
    /// The board did not reach raw mode, although it was interrupted several times.
    NotEntered,
    /// The board stopped answering in the middle of an exchange.
    TimedOut,
    /// The server's data is not a valid message.
    Garbage,
}

#[cfg(feature = "board")]
/// Fault of a file, or of a file request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub enum FileErrorKind {
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
    /// The name is too long for the file system.
    NameTooLong,
    /// The file system does not permit this name, or not for this purpose.
    Invalid,
    /// The directory is in use: it is the current one, or a file system is mounted there.
    Busy,
    /// The board denies it, for example because the file system is read-only.
    Denied,
    /// The board has not enough memory for this.
    NoMemory,
    /// The received data differs from the sent data.
    Damaged,
    /// The board stopped answering, and is at its prompt again.
    Stalled,
    /// The board restarted during the request.
    Restarted,
    /// The running program did not stop.
    NotStopped,
    /// This board does not support the request.
    Unsupported,
    /// The board's answer cannot be read.
    BadAnswer,
    /// The new file is complete on the board, under the name given in the message, and the old one may be gone.
    Kept,
    /// The old file was removed for the new one, which did not arrive: it may be lost.
    Overwritten,
    /// The board raised another exception.
    Raised,
}

#[cfg(feature = "export")]
words! {
    /// Fault of a log. `"device_error"`: the device reported it. `"trailing_data"`, `"short_transfer"`,
    /// `"checksum_mismatch"`, …: bytes were lost or changed in transit. `"mode_conflict"`, `"ambiguous_end"`: the
    /// device must send `SIZE=`.
    ExportErrorCode of export::Failure as "snake_case" {
        /// The device reported an error.
        DeviceError,
        /// A line looks like a header but is invalid.
        BadHeader,
        /// No header arrived.
        NoHeader,
        /// The device announced or sent more than the limit.
        TooLarge,
        /// The device fell silent inside the log, or bytes of it were lost in transit.
        ShortTransfer,
        /// The transfer took longer than its size allows.
        TimedOut,
        /// The device restarted.
        DeviceReset,
        /// The last line has other columns than the first lines.
        OddLastLine,
        /// An earlier request for another run was not answered: this may be its answer.
        LateAnswer,
        /// A line between `BEGIN` and `END` is the device's own output.
        StrayLine,
        /// Unexpected data follows the log.
        TrailingData,
        /// `BEGIN` and `END` were sent inside a sized log without being counted.
        ModeConflict,
        /// Rows, or another `END`, follow `END`.
        AmbiguousEnd,
        /// No `END` follows the announced number of lines.
        MissingEnd,
        /// The device's checksum does not match the received bytes.
        ChecksumMismatch,
        /// A checksum cannot be read.
        BrokenChecksum,
        /// A checksum was required, and the device sent none.
        MissingChecksum,
        /// The log was sent twice, and the two differ.
        Differs,
        /// The link closed.
        PortLost,
        /// The application cancelled the transfer.
        Cancelled,
    }
}

#[cfg(feature = "export")]
words! {
    /// Remedy for an invalid log.
    ExportHint of export::Hint as "snake_case" {
        /// Request the log again.
        RetryExport,
        /// The experiment still runs: stop it, then request the log again.
        SendStop,
        /// Plug the device in and open the port again.
        Reconnect,
        /// Make the device send `SIZE=` or `BEGIN LINES=`.
        UseSizeMode,
        /// Raise the limit, if this size is plausible.
        RaiseLimit,
        /// Check the device's output; requesting the log again changes nothing.
        CheckDevice,
    }
}

#[cfg(feature = "export")]
words! {
    /// Reason why a log is refused although it may be complete: an `ERROR` beside it; an earlier unanswered request; a
    /// line that may be meant as a header; a boot banner; a last line that is an answer or has other columns; a line of
    /// the device between `BEGIN` and `END`; unexpected data after the log; a damaged or unknown checksum.
    ExportDoubt of export::Doubt {
        /// A line before the header, or after the body, begins with `ERROR` or `ERR`.
        DeviceError,
        /// An earlier request for another run was not answered: this may be its answer.
        Late,
        /// A line before the header looks like a header but is invalid.
        Header,
        /// A boot banner occurs in the body or after it.
        Restart,
        /// The last line of the body is an answer of the device, or has other columns than the first lines.
        LastLine,
        /// A line between `BEGIN` and `END` is the device's own output: an `ERROR`, another `BEGIN`, a line of its
        /// logger.
        StrayLine,
        /// Unexpected data follows the body.
        Tail,
        /// The device's checksum is damaged, or does not match the body.
        Checksum,
    }
}

impl From<&raw_repl::Outcome> for Outcome {
    fn from(outcome: &raw_repl::Outcome) -> Self {
        match outcome {
            raw_repl::Outcome::Completed => Self::Completed,
            raw_repl::Outcome::Exited => Self::Exited,
            raw_repl::Outcome::BoardReset => Self::Restarted,
            raw_repl::Outcome::Raised(traceback) => Self::Raised {
                traceback: traceback.into(),
            },
            raw_repl::Outcome::TimedOut(traceback) => Self::TimedOut {
                traceback: traceback.as_ref().map(Into::into),
            },
        }
    }
}

impl From<&raw_repl::Traceback> for Traceback {
    fn from(traceback: &raw_repl::Traceback) -> Self {
        let kind = traceback.kind();
        Self {
            frames: traceback.frames.iter().map(Into::into).collect(),
            exception: traceback.exception.clone(),
            message: traceback.message.clone(),
            text: traceback.text.clone(),
            kind: (&kind).into(),
            recovery: (&kind.recovery()).into(),
        }
    }
}

impl From<&raw_repl::LostReason> for LostReason {
    fn from(reason: &raw_repl::LostReason) -> Self {
        match reason {
            raw_repl::LostReason::Closed => Self::Closed,
            raw_repl::LostReason::NotEntered { .. } => Self::NotEntered,
            raw_repl::LostReason::TimedOut { .. } => Self::TimedOut,
        }
    }
}

impl From<&raw_repl::Frame> for Frame {
    fn from(frame: &raw_repl::Frame) -> Self {
        Self {
            file: frame.file.clone(),
            line: frame.line,
            function: frame.function.clone(),
        }
    }
}

impl Traceback {
    /// Returns the last line, such as `ZeroDivisionError: divide by zero`.
    #[must_use]
    pub fn headline(&self) -> String {
        match (&*self.exception, &*self.message) {
            ("", _) => self.text.clone(),
            (exception, "") => exception.to_owned(),
            (exception, message) => format!("{exception}: {message}"),
        }
    }
}
