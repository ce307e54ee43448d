//! Converts errors to the exceptions of `flylead.errors`.

use std::path::PathBuf;

use flylead_core::{
    board,
    raw_repl::{CommandError, LostReason, Traceback},
};
use flylead_native::{BoardError, deploy::Fault, export, zylisp::ClientError};
use pyo3::{
    exceptions::{PyKeyboardInterrupt, PyOSError, PyValueError},
    prelude::*,
    types::PyBytes,
};

use crate::message::Failure;

/// Returns the exception for a failure of a request that had printed `output`.
pub(crate) fn to_python(py: Python<'_>, failure: Failure, output: &[u8]) -> PyErr {
    match failure {
        Failure::Open(error) => made(py, "OpenError", (error.to_string(), word(&error))),
        Failure::Board(error) => of_board(py, error, output),
        Failure::Export(error) => of_export(py, &error),
        Failure::Zylisp(error) => of_zylisp(py, &error),
        Failure::Sync(error) => of_sync(py, error),
        Failure::Recording(recording) => {
            let message = format!(
                "the run {} is being recorded at this port, and this would end it; end it first, by \
                 flylead.Device.stop() or `flylead export stop`",
                recording.run_id
            );
            made(py, "BoardBusy", (message,))
        }
        Failure::NotRestarted(error) => {
            let message = format!("the board does not answer, and was not restarted: {error}");
            made(py, "OpenError", (message, "not-restarted"))
        }
        Failure::Stopped => PyKeyboardInterrupt::new_err("the request was interrupted"),
        Failure::Stuck => stuck(py),
        Failure::Silent => stopped(py, output),
        Failure::Closed => closed(py),
    }
}

fn of_board(py: Python<'_>, error: BoardError, output: &[u8]) -> PyErr {
    let message = error.to_string();
    match error {
        BoardError::Lost(reason) => lost(py, message, &word(&reason)),
        BoardError::Over => lost(py, message, &word(&LostReason::Closed)),
        BoardError::Refused(CommandError::ControlByte { .. }) => PyValueError::new_err(message),
        BoardError::Refused(_) => made(py, "BoardBusy", (message,)),
        BoardError::Raised(traceback) => raised(py, traceback, output),
        BoardError::File(error) => file(py, message, &error),
        BoardError::TimedOut => made(py, "BoardTimeout", (message, PyBytes::new(py, output))),
        BoardError::Exited => made(py, "BoardExited", (message, PyBytes::new(py, output))),
        BoardError::Restarted => made(py, "BoardRestarted", (message, PyBytes::new(py, output))),
        BoardError::Unreadable => made(py, "FlyleadError", (message,)),
    }
}

fn of_sync(py: Python<'_>, error: Fault) -> PyErr {
    let message = error.to_string();
    match error {
        Fault::Board(_, error) => match *error {
            BoardError::File(error) => file(py, message, &error),
            error => of_board(py, error, &[]),
        },
        Fault::Here(..) | Fault::Collision(_) | Fault::Refused(_) | Fault::Stopped => {
            PyOSError::new_err(message)
        }
    }
}

fn of_export(py: Python<'_>, error: &export::Error) -> PyErr {
    let message = error.to_string();
    match error {
        export::Error::Gone => lost(py, message, "closed"),
        export::Error::Stuck => lost(py, message, "stuck"),
        export::Error::Refused(_) => made(py, "BoardBusy", (message,)),
        export::Error::Failed { .. }
        | export::Error::Recording { .. }
        | export::Error::Disk { .. } => {
            let doubts: Vec<_> = error.doubts().iter().map(|doubt| doubt.as_str()).collect();
            let kept = error.kept().cloned().map(PathBuf::into_os_string);
            let kind = error.code().replace('_', "-");
            let fields = (message, kind, doubts, kept, error.is_retryable());
            made(py, "ExportError", fields)
        }
    }
}

fn of_zylisp(py: Python<'_>, error: &ClientError) -> PyErr {
    let message = error.to_string();
    match error {
        ClientError::Connect { error, .. } => made(py, "OpenError", (message, word(&error.kind()))),
        ClientError::Unauthorized { .. } => made(py, "OpenError", (message, "unauthorized")),
        ClientError::Silent => made(py, "OpenError", (message, "timed-out")),
        ClientError::Unreadable { .. } => lost(py, message, "unreadable"),
        _ => lost(py, message, "closed"),
    }
}

/// Returns the error for a board that belongs to another process.
pub(crate) fn forked(py: Python<'_>) -> PyErr {
    let message = "it was opened before the process forked; connect again in this process, or start it with \
                   multiprocessing's method \"spawn\"";
    made(py, "BoardClosed", (message,))
}

/// Returns the error for too many waiting requests.
pub(crate) fn crowded(py: Python<'_>, limit: usize) -> PyErr {
    let message = format!("{limit} requests wait already; wait for some of them");
    made(py, "BoardBusy", (message,))
}

/// Returns the error for a request to a closed object.
pub(crate) fn closed(py: Python<'_>) -> PyErr {
    let message = "it is closed; open it again with connect()";
    made(py, "BoardClosed", (message,))
}

/// Returns the error for a program that has ended, or does not read.
pub(crate) fn not_reading(py: Python<'_>) -> PyErr {
    let message = "the program has ended, or does not read what was typed before";
    made(py, "BoardBusy", (message,))
}

/// Returns the error for a board that was silent for the time that the caller gave.
pub(crate) fn silent(py: Python<'_>) -> PyErr {
    let message = "the board was silent for that time, and its program goes on";
    made(py, "BoardTimeout", (message,))
}

/// Returns the error for a program that was stopped because it was silent for the time that the caller gave.
fn stopped(py: Python<'_>, output: &[u8]) -> PyErr {
    let message = "the program was silent for that time, and was stopped";
    made(py, "BoardTimeout", (message, PyBytes::new(py, output)))
}

/// Returns the error for a board that accepts no input.
fn stuck(py: Python<'_>) -> PyErr {
    let message = "the board did not take all of the input in that time";
    made(py, "BoardTimeout", (message,))
}

fn lost(py: Python<'_>, message: String, kind: &str) -> PyErr {
    made(py, "LinkLost", (message, kind))
}

fn raised(py: Python<'_>, traceback: Traceback, output: &[u8]) -> PyErr {
    let frames = traceback.frames.into_iter();
    let frames: Vec<_> = frames
        .map(|frame| (frame.file, frame.line, frame.function))
        .collect();
    let Traceback {
        exception,
        message,
        text,
        ..
    } = traceback;
    let output = PyBytes::new(py, output);
    made(
        py,
        "BoardRaised",
        (text, exception, message, frames, output),
    )
}

fn file(py: Python<'_>, message: String, error: &board::Error) -> PyErr {
    made(
        py,
        "FileError",
        (message, word(error.reason()), path(error)),
    )
}

/// Returns the path of the entry that caused the error, or under which new content was kept.
fn path(error: &board::Error) -> Option<String> {
    let (board::Error::Entry { path, .. } | board::Error::Kept { path, .. }) = error else {
        return None;
    };
    Some(path.clone())
}

/// Returns the name of a variant as Python programs compare it: `NotFound` is `not-found`.
fn word(variant: &impl std::fmt::Debug) -> String {
    let text = format!("{variant:?}");
    let name = text.chars().take_while(char::is_ascii_alphanumeric);
    name.enumerate().fold(String::new(), |mut word, (at, c)| {
        if at > 0 && c.is_ascii_uppercase() {
            word.push('-');
        }
        word.push(c.to_ascii_lowercase());
        word
    })
}

/// Creates an exception of `flylead.errors`.
fn made<'py, A>(py: Python<'py>, class: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let made = py
        .import("flylead.errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}
