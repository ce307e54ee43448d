//! A board's answers as Python's values.

use flylead_core::board::{Answer, Entry, EntryKind};
use pyo3::{prelude::*, types::PyBytes};

use crate::board::Value;

/// Plain values; `flylead`'s own classes are made of them in Python.
pub(crate) fn to_python(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Repr(repr) => repr.into_pyobject(py)?.into_any().unbind(),
        Value::Answer(answer) => of_board(py, answer)?,
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

/// Name, whether it is a directory, size, seconds since 1970, SHA-256.
fn of_entry(py: Python<'_>, entry: Entry) -> PyResult<Py<PyAny>> {
    let hash = entry.sha256.map(|hash| PyBytes::new(py, &hash).unbind());
    let is_directory = entry.kind == EntryKind::Directory;
    let entry = (entry.name, is_directory, entry.size, entry.modified, hash);
    Ok(entry.into_pyobject(py)?.into_any().unbind())
}

fn tuple(py: Python<'_>, numbers: (u64, u64)) -> PyResult<Py<PyAny>> {
    Ok(numbers.into_pyobject(py)?.into_any().unbind())
}
