//! Answers as Python values.

use std::path::PathBuf;

use flylead_core::{
    board::{Answer, Entry, EntryKind},
    zylisp::{EvalError, Reply, ReplyOutcome, text_of},
};
use flylead_native::export::Saved;
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use serde_json::{Map, Value as Json};

use crate::message::Value;

/// Converts a value to plain Python values, from which Python code makes `flylead`'s own classes.
pub(crate) fn to_python(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
        Value::Bytes(bytes) => PyBytes::new(py, &bytes).into_any().unbind(),
        Value::Answer(answer) => of_board(py, answer)?,
        Value::Saved(saved) => of_export(py, *saved)?,
        Value::Reply(reply) => of_zylisp(py, *reply)?,
        Value::Nothing => py.None(),
    })
}

fn of_board(py: Python<'_>, answer: Answer) -> PyResult<Py<PyAny>> {
    Ok(match answer {
        Answer::Bytes(bytes) => PyBytes::new(py, &bytes).into_any().unbind(),
        Answer::Hash(hash) => PyBytes::new(py, &hash).into_any().unbind(),
        Answer::Entry(entry) => of_entry(py, entry)?,
        Answer::Entries(entries) => {
            let entries = entries.into_iter().map(|entry| of_entry(py, entry));
            let entries = entries.collect::<PyResult<Vec<_>>>()?;
            entries.into_pyobject(py)?.unbind()
        }
        Answer::Space(space) => tuple(py, (space.total, space.free))?,
        Answer::Written(written) => tuple(py, (written.bytes, written.on_wire))?,
        Answer::Done | Answer::Ran(_) | Answer::Capabilities(_) => py.None(),
    })
}

/// Converts an entry to its name, true for a directory, size, seconds since 1970 and SHA-256.
fn of_entry(py: Python<'_>, entry: Entry) -> PyResult<Py<PyAny>> {
    let hash = entry.sha256.map(|hash| PyBytes::new(py, &hash).unbind());
    let is_directory = entry.kind == EntryKind::Directory;
    let entry = (entry.name, is_directory, entry.size, entry.modified, hash);
    Ok(entry.into_pyobject(py)?.into_any().unbind())
}

fn tuple(py: Python<'_>, numbers: (u64, u64)) -> PyResult<Py<PyAny>> {
    Ok(numbers.into_pyobject(py)?.into_any().unbind())
}

/// Converts a saved log to its path, the path of the log before it, and the manifest.
fn of_export(py: Python<'_>, saved: Saved) -> PyResult<Py<PyAny>> {
    let manifest = serde_json::to_value(&saved.manifest)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let previous = saved.previous.map(PathBuf::into_os_string);
    let saved = (saved.path.into_os_string(), previous, json(py, manifest)?);
    Ok(saved.into_pyobject(py)?.into_any().unbind())
}

/// Converts a reply: the outcome, by its name and in its parts; the output; the rest.
fn of_zylisp(py: Python<'_>, reply: Reply) -> PyResult<Py<PyAny>> {
    let (outcome, value) = match reply.outcome {
        ReplyOutcome::Value { value, text } => {
            let is_plain = text.is_none();
            let text = text.unwrap_or_else(|| text_of(&value));
            let value = (json(py, value)?, is_plain, text).into_pyobject(py)?;
            ("value", value.into_any().unbind())
        }
        ReplyOutcome::Error(error) => ("error", of_error(py, error)?),
        ReplyOutcome::Interrupted => ("interrupted", py.None()),
        ReplyOutcome::Refused(why) => ("refused", why.into_pyobject(py)?.into_any().unbind()),
    };
    let reply = (outcome, value, reply.output, object(py, reply.data)?);
    Ok(reply.into_pyobject(py)?.into_any().unbind())
}

/// Converts an error to its whole text, its kind, its message, and the calls that led there: function, file, line and
/// column.
fn of_error(py: Python<'_>, error: EvalError) -> PyResult<Py<PyAny>> {
    let lines = error.trace.iter().map(|call| format!("\n  {call}"));
    let text = format!(
        "{}: {}{}",
        error.kind,
        error.message,
        lines.collect::<String>()
    );
    let calls = error.trace.into_iter().map(|call| {
        let source = call.source.as_deref().map(str::to_owned);
        (call.function, source, call.place.line, call.place.column)
    });
    let error = (text, error.kind, error.message, calls.collect::<Vec<_>>());
    Ok(error.into_pyobject(py)?.into_any().unbind())
}

/// Converts JSON to plain data.
fn json(py: Python<'_>, value: Json) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Json::Null => py.None(),
        Json::Bool(value) => value.into_pyobject(py)?.to_owned().into_any().unbind(),
        Json::Number(number) => number_of(py, &number)?,
        Json::String(text) => text.into_pyobject(py)?.into_any().unbind(),
        Json::Array(values) => {
            let values = values.into_iter().map(|value| json(py, value));
            let values = values.collect::<PyResult<Vec<_>>>()?;
            values.into_pyobject(py)?.unbind()
        }
        Json::Object(values) => object(py, values)?,
    })
}

fn number_of(py: Python<'_>, number: &serde_json::Number) -> PyResult<Py<PyAny>> {
    if let Some(whole) = number.as_i64() {
        return Ok(whole.into_pyobject(py)?.into_any().unbind());
    }
    if let Some(whole) = number.as_u64() {
        return Ok(whole.into_pyobject(py)?.into_any().unbind());
    }
    Ok(number.as_f64().into_pyobject(py)?.unbind())
}

fn object(py: Python<'_>, values: Map<String, Json>) -> PyResult<Py<PyAny>> {
    let object = PyDict::new(py);
    for (key, value) in values {
        object.set_item(key, json(py, value)?)?;
    }
    Ok(object.into_any().unbind())
}
