//! The machine's words as JavaScript's.

use flylead_core::raw_repl::{ErrorKind, Frame, Mode, Outcome, Recovery, Traceback};
use js_sys::Array;
use wasm_bindgen::JsValue;

use crate::streams::object;

/// `Mode` of the declarations.
pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Normal => "normal",
        Mode::Entering => "entering",
        Mode::Raw => "raw",
        Mode::Running => "running",
        Mode::Resetting => "resetting",
        Mode::Lost => "lost",
    }
}

/// `Outcome` of the declarations.
pub(crate) fn outcome_object(outcome: &Outcome) -> JsValue {
    match outcome {
        Outcome::Completed => tagged("completed", &[]),
        Outcome::Raised(traceback) => {
            tagged("raised", &[("traceback", traceback_object(traceback))])
        }
        Outcome::TimedOut(traceback) => {
            let traceback = traceback
                .as_ref()
                .map_or(JsValue::UNDEFINED, traceback_object);
            tagged("timedOut", &[("traceback", traceback)])
        }
        Outcome::Exited => tagged("exited", &[]),
        Outcome::BoardReset => tagged("restarted", &[]),
    }
}

/// `Traceback` of the declarations.
pub(crate) fn traceback_object(traceback: &Traceback) -> JsValue {
    let kind = traceback.kind();
    object(&[
        (
            "frames",
            traceback
                .frames
                .iter()
                .map(frame_object)
                .collect::<Array>()
                .into(),
        ),
        ("exception", (&*traceback.exception).into()),
        ("message", (&*traceback.message).into()),
        ("text", (&*traceback.text).into()),
        ("kind", kind_name(kind).into()),
        ("recovery", recovery_name(kind.recovery()).into()),
    ])
    .into()
}

fn frame_object(frame: &Frame) -> JsValue {
    let function = frame
        .function
        .as_deref()
        .map_or(JsValue::UNDEFINED, JsValue::from_str);
    object(&[
        ("file", (&*frame.file).into()),
        ("line", frame.line.into()),
        ("function", function),
    ])
    .into()
}

fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Parse => "parse",
        ErrorKind::Memory => "memory",
        ErrorKind::Hardware => "hardware",
        ErrorKind::Runtime => "runtime",
    }
}

fn recovery_name(recovery: Recovery) -> &'static str {
    match recovery {
        Recovery::SoftReset => "softReset",
        Recovery::Reconnect => "reconnect",
        Recovery::Continue => "continue",
    }
}

fn tagged(kind: &str, entries: &[(&str, JsValue)]) -> JsValue {
    object(&[&[("kind", kind.into())], entries].concat()).into()
}
