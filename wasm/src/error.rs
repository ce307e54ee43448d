//! What is thrown into JavaScript: plain `Error`s that a page tells apart by their `name`.

use flylead_core::{
    board, export,
    raw_repl::{CommandError, LostReason, Traceback},
};
use js_sys::Error;
use wasm_bindgen::JsValue;

use crate::{events::traceback_object, streams::set};

/// An `Error` with a stable name and what else it carries.
pub(crate) fn named(name: &str, message: &str, entries: &[(&str, JsValue)]) -> JsValue {
    let error = Error::new(message);
    error.set_name(name);
    for (key, value) in entries {
        set(&error, key, value);
    }
    error.into()
}

/// The application asked for what cannot be done now.
pub(crate) fn refused(error: CommandError) -> JsValue {
    let message = error.to_string();
    match error {
        CommandError::Busy => named("BusyError", &message, &[]),
        CommandError::NotRunning => named("NotRunningError", &message, &[]),
        CommandError::ControlByte { offset } => named(
            "ControlByteError",
            &message,
            &[("offset", (offset as f64).into())],
        ),
        CommandError::Lost => named("LostError", &message, &[("reason", "closed".into())]),
    }
}

/// The board is gone; `cause` is what the link threw, if it did.
pub(crate) fn lost(reason: LostReason, cause: Option<JsValue>) -> JsValue {
    let cause = cause.unwrap_or(JsValue::UNDEFINED);
    let name = reason_name(&reason).into();
    named(
        "LostError",
        &reason.to_string(),
        &[("reason", name), ("cause", cause)],
    )
}

/// The page closed the board itself.
pub(crate) fn closed() -> JsValue {
    named("ClosedError", "this board was closed", &[])
}

/// The page closed the recorder itself.
pub(crate) fn recorder_closed() -> JsValue {
    named("ClosedError", "this recorder was closed", &[])
}

/// A log is still on its way.
pub(crate) fn export_busy() -> JsValue {
    named("BusyError", &export::CommandError::Busy.to_string(), &[])
}

/// The application asked a recorder for what cannot be done now.
pub(crate) fn export_refused(error: export::CommandError) -> JsValue {
    match error {
        export::CommandError::Closed => lost(LostReason::Closed, None),
        _ => export_busy(),
    }
}

/// There is no log.
pub(crate) fn export_failed(failure: &export::Failure) -> JsValue {
    let hint = failure.hint();
    let message = format!("{failure}; {hint}");
    match failure {
        export::Failure::Cancelled => named("CancelledError", &failure.to_string(), &[]),
        _ => named(
            "ExportError",
            &message,
            &[
                ("code", failure.code().into()),
                ("hint", hint.as_str().into()),
                ("retryable", failure.is_retryable().into()),
            ],
        ),
    }
}

/// The connection to a REPL is over; `why` if the server said so.
pub(crate) fn disconnected(why: Option<&str>, cause: Option<JsValue>) -> JsValue {
    let message = why.unwrap_or("the connection to the server is over");
    let cause = cause.unwrap_or(JsValue::UNDEFINED);
    let entries = [("reason", "closed".into()), ("cause", cause)];
    named("LostError", message, &entries)
}

/// What a server sends cannot be read.
pub(crate) fn unreadable(reason: &str) -> JsValue {
    let message = format!("the server sends something else than this client reads: {reason}");
    named("LostError", &message, &[("reason", "garbage".into())])
}

/// The page closed the session itself.
pub(crate) fn closed_session() -> JsValue {
    named("ClosedError", "this session was closed", &[])
}

/// The server does not do what it was asked.
pub(crate) fn refused_by_server(why: &str) -> JsValue {
    named("RefusedError", why, &[])
}

/// A connection could not be made.
pub(crate) fn unreachable(message: &str, cause: JsValue) -> JsValue {
    named("LinkError", message, &[("cause", cause)])
}

/// A connection took too long to be made.
pub(crate) fn slow(message: &str) -> JsValue {
    named("TimeoutError", message, &[])
}

/// This JavaScript does not have it.
pub(crate) fn unsupported(message: &str) -> JsValue {
    named("UnsupportedError", message, &[])
}

/// The program raised.
pub(crate) fn raised(traceback: &Traceback, stdout: &str) -> JsValue {
    named(
        "ProgramError",
        &headline(traceback),
        &[
            ("traceback", traceback_object(traceback)),
            ("stdout", stdout.into()),
        ],
    )
}

/// The program ran past its time.
pub(crate) fn timed_out(traceback: Option<&Traceback>, stdout: &str) -> JsValue {
    let traceback = traceback.map_or(JsValue::UNDEFINED, traceback_object);
    let entries = [("traceback", traceback), ("stdout", stdout.into())];
    named(
        "TimeoutError",
        "the program ran past its time and was interrupted",
        &entries,
    )
}

/// The board restarted while the program ran.
pub(crate) fn restarted(stdout: &str) -> JsValue {
    let entries = [("stdout", stdout.into())];
    let message = "the board restarted in the middle of the program";
    named("RestartedError", message, &entries)
}

/// The program printed more than anybody wanted to collect.
pub(crate) fn too_long(limit: usize, stdout: &str) -> JsValue {
    let message =
        format!("the program printed more than {limit} bytes; use run() to read them as they come");
    let entries = [("limit", (limit as f64).into()), ("stdout", stdout.into())];
    named("TooLongError", &message, &entries)
}

/// The board did not do what it was asked with the file or directory at `path`, or at a path of its own.
pub(crate) fn file(error: &board::Error, path: &str) -> JsValue {
    let (error, path) = match error {
        board::Error::Entry { path, error } => (&**error, &**path),
        error => (error, path),
    };
    let what = match error {
        board::Error::Raised(traceback) => headline(traceback),
        error => error.to_string(),
    };
    let message = if path.is_empty() {
        what
    } else {
        format!("{path}: {what}")
    };
    match error {
        board::Error::Cancelled => named("CancelledError", &message, &[]),
        board::Error::Lost(reason) => lost(reason.clone(), None),
        error => named("FileError", &message, &file_entries(error, path)),
    }
}

fn file_entries(error: &board::Error, path: &str) -> [(&'static str, JsValue); 3] {
    let traceback = match error {
        board::Error::Raised(traceback) => traceback_object(traceback),
        _ => JsValue::UNDEFINED,
    };
    let kind = file_error_kind(error).into();
    [
        ("kind", kind),
        ("path", path.into()),
        ("traceback", traceback),
    ]
}

fn file_error_kind(error: &board::Error) -> &'static str {
    match error {
        board::Error::NotFound => "notFound",
        board::Error::Exists => "exists",
        board::Error::IsDirectory => "isDirectory",
        board::Error::NotDirectory => "notDirectory",
        board::Error::NotEmpty => "notEmpty",
        board::Error::NoSpace => "noSpace",
        board::Error::Denied => "denied",
        board::Error::NoMemory => "noMemory",
        board::Error::Damaged => "damaged",
        board::Error::Stalled => "stalled",
        board::Error::Unsupported { .. } => "unsupported",
        board::Error::BadAnswer => "badAnswer",
        board::Error::Restarted => "restarted",
        board::Error::NotStopped { .. } => "notStopped",
        board::Error::NameTooLong => "nameTooLong",
        board::Error::Invalid => "invalid",
        board::Error::Busy => "busy",
        board::Error::Kept { .. } => "kept",
        board::Error::Overwritten { .. } => "overwritten",
        board::Error::Raised(_)
        | board::Error::Cancelled
        | board::Error::Entry { .. }
        | board::Error::Lost(_) => "raised",
    }
}

fn headline(traceback: &Traceback) -> String {
    match (&*traceback.exception, &*traceback.message) {
        ("", _) => traceback.text.clone(),
        (exception, "") => exception.to_owned(),
        (exception, message) => format!("{exception}: {message}"),
    }
}

fn reason_name(reason: &LostReason) -> &'static str {
    match reason {
        LostReason::Closed => "closed",
        LostReason::NotEntered { .. } => "notEntered",
        LostReason::TimedOut { .. } => "timedOut",
    }
}
