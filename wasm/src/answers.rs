//! What a board answers about its files, as JavaScript's plain objects.

use flylead_core::board::{
    Answer, Capabilities, Entry, EntryKind, Progress, Space, TransferMethod, Written,
};
use js_sys::{Array, Date, Uint8Array};
use wasm_bindgen::JsValue;

use crate::streams::object;

/// What a request resolves to.
pub(crate) fn answer(answer: Answer) -> JsValue {
    match answer {
        Answer::Entries(entries) => entries.iter().map(entry).collect::<Array>().into(),
        Answer::Entry(one) => entry(&one),
        Answer::Bytes(bytes) => Uint8Array::from(&bytes[..]).into(),
        Answer::Written(it) => written(&it),
        Answer::Space(it) => space(&it),
        Answer::Hash(hash) => hex(&hash),
        Answer::Capabilities(it) => capabilities(&it),
        Answer::Done | Answer::Ran(_) => JsValue::UNDEFINED,
    }
}

/// `Progress` of the declarations.
pub(crate) fn progress(progress: &Progress) -> JsValue {
    let total = progress.total.map_or(JsValue::UNDEFINED, count);
    let entries = count(progress.entries as u64);
    object(&[
        ("done", count(progress.done)),
        ("total", total),
        ("entries", entries),
    ])
    .into()
}

fn entry(entry: &Entry) -> JsValue {
    let kind = match entry.kind {
        EntryKind::File => "file",
        EntryKind::Directory => "directory",
    };
    let modified = entry.modified.map_or(JsValue::UNDEFINED, date);
    let sha256 = entry.sha256.as_ref().map_or(JsValue::UNDEFINED, hex);
    object(&[
        ("name", (&*entry.name).into()),
        ("kind", kind.into()),
        ("size", count(entry.size)),
        ("modified", modified),
        ("sha256", sha256),
    ])
    .into()
}

fn written(written: &Written) -> JsValue {
    object(&[
        ("bytes", count(written.bytes)),
        ("onWire", count(written.on_wire)),
        ("rung", method_name(written.method).into()),
    ])
    .into()
}

fn method_name(method: TransferMethod) -> &'static str {
    match method {
        TransferMethod::Hex => "hex",
        TransferMethod::Base64 => "base64",
        TransferMethod::Deflate => "deflate",
        TransferMethod::Stream => "stream",
        TransferMethod::StreamDeflate => "streamDeflate",
        TransferMethod::Literal => "literal",
    }
}

fn space(space: &Space) -> JsValue {
    object(&[("total", count(space.total)), ("free", count(space.free))]).into()
}

fn capabilities(board: &Capabilities) -> JsValue {
    object(&[
        ("readsBinary", board.reads_binary.into()),
        ("writesBinary", board.writes_binary.into()),
        ("sha256", board.sha256.into()),
        ("base64", board.base64.into()),
        ("hex", board.hex.into()),
        ("inflate", board.inflate.into()),
        ("deflate", board.deflate.into()),
        ("directories", board.stat.into()),
        ("rename", board.rename.into()),
        ("freeMemory", (board.free_memory as f64).into()),
    ])
    .into()
}

/// No board's file is so large that a JavaScript number could not count its bytes.
fn count(number: u64) -> JsValue {
    (number as f64).into()
}

fn date(seconds: i64) -> JsValue {
    Date::new(&(seconds as f64 * 1000.0).into()).into()
}

fn hex(hash: &[u8; 32]) -> JsValue {
    hash.iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>()
        .into()
}
