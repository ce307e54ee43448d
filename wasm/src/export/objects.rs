//! The machine's words as JavaScript's plain objects.

use flylead_core::export::{Event, Framing, Header, Integrity, Phase, Receipt, Warning};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;

use crate::streams::object;

/// `ExportPhase` of the declarations.
pub(super) fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Draining => "draining",
        Phase::WaitingHeader => "waitingHeader",
        Phase::Receiving => "receiving",
        Phase::Verifying => "verifying",
        _ => "closed",
    }
}

/// `ExportEvent` of the declarations.
pub(super) fn event(event: &Event) -> JsValue {
    match event {
        Event::Chatter(bytes) => tagged("chatter", &[("bytes", array(bytes))]),
        Event::Reset => tagged("reset", &[]),
        Event::Begun(header) => tagged("begun", &header_entries(header)),
        Event::Body(bytes) => tagged("body", &[("bytes", array(bytes))]),
        _ => tagged("asked", &[]),
    }
}

/// `ExportedLog` of the declarations.
pub(super) fn log(bytes: &[u8], receipt: &Receipt) -> JsValue {
    let sha256: String = receipt
        .sha256
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let warnings = receipt.warnings.iter().map(warning_name);
    object(&[
        ("bytes", array(bytes)),
        ("integrity", integrity_name(receipt.integrity).into()),
        ("crc32", format!("{:08x}", receipt.crc32).into()),
        ("sha256", sha256.into()),
        (
            "warnings",
            warnings.map(JsValue::from_str).collect::<Array>().into(),
        ),
    ])
    .into()
}

fn header_entries(header: &Header) -> [(&'static str, JsValue); 2] {
    let (framing, total) = match header.framing {
        Framing::Sized { size } => ("sized", (size as f64).into()),
        Framing::Marked { .. } => ("marked", JsValue::UNDEFINED),
    };
    [("framing", framing.into()), ("total", total)]
}

fn integrity_name(integrity: Integrity) -> &'static str {
    match integrity {
        Integrity::Sha256 => "sha256",
        Integrity::Crc32 => "crc32",
        Integrity::LengthAndTail => "lengthAndTail",
        Integrity::LinesAndMarkers => "linesAndMarkers",
        _ => "markers",
    }
}

fn warning_name(warning: &Warning) -> &'static str {
    match warning {
        Warning::Empty => "empty",
        Warning::Markers => "markers",
        _ => "resetSeen",
    }
}

fn array(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}

fn tagged(kind: &str, entries: &[(&str, JsValue)]) -> JsValue {
    object(&[&[("kind", kind.into())], entries].concat()).into()
}
