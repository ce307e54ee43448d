//! Requests from Python to a board.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use flylead_core::board::{self, NewEntry};
use flylead_native::link::Recovery;
use pyo3::{exceptions::PyValueError, prelude::*};

/// A request to a board; made by its static methods, and used once or repeatedly.
#[pyclass(frozen, module = "flylead._flylead")]
#[derive(Debug, Clone)]
pub(crate) struct Request(pub(crate) Task);

/// Task for the board.
#[derive(Debug, Clone)]
pub(crate) enum Task {
    /// Opens the link.
    Open(Opening),
    /// Closes the link until the next request.
    Rest,
    /// Begins or ends a block in which no other tool gets a turn.
    Keep(bool),
    /// Runs a program; its output is delivered as it is written.
    Exec(Program),
    /// Returns the `repr` of an expression's value; anything that the expression prints is output.
    Eval {
        expression: String,
        timeout: Option<Duration>,
    },
    /// Types at the board's own prompt.
    Type { data: Vec<u8>, within: Duration },
    /// Returns the board's next output at its prompt; nothing after the time limit.
    Hear { within: Duration },
    /// Sends the modules of this computer that differ from those on the board, by their paths there.
    Sync { modules: BTreeMap<String, PathBuf> },
    /// Makes any other request of the core.
    Ask(board::Request),
    /// Stops the running program, returns to the normal prompt and closes the link; or only closes the link, and the
    /// board runs on.
    Close { leaves: bool },
}

/// Way to open the link to a board.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    /// Time limit, which includes the wait for the turn.
    pub(crate) within: Duration,
    /// Name shown to others who wait for the board.
    pub(crate) who: String,
    /// Way to restart a board that does not answer.
    pub(crate) recover: Option<Recovery>,
}

/// A program, and its limits of running time and silence.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) source: Vec<u8>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) silence: Option<Duration>,
}

#[pymethods]
impl Request {
    #[staticmethod]
    #[pyo3(signature = (within, who, recover=None))]
    fn open(within: f64, who: String, recover: Option<&str>) -> PyResult<Self> {
        let recover = recover.map(str::parse::<Recovery>).transpose();
        Ok(Self(Task::Open(Opening {
            within: duration(within)?,
            who,
            recover: recover.map_err(PyValueError::new_err)?,
        })))
    }

    #[staticmethod]
    const fn rest() -> Self {
        Self(Task::Rest)
    }

    #[staticmethod]
    const fn keep(keeps: bool) -> Self {
        Self(Task::Keep(keeps))
    }

    #[staticmethod]
    #[pyo3(signature = (leaves=false))]
    const fn close(leaves: bool) -> Self {
        Self(Task::Close { leaves })
    }

    #[staticmethod]
    #[pyo3(signature = (source, timeout=None, silence=None))]
    fn exec(source: Vec<u8>, timeout: Option<f64>, silence: Option<f64>) -> PyResult<Self> {
        Ok(Self(Task::Exec(Program {
            source,
            timeout: seconds(timeout)?,
            silence: seconds(silence)?,
        })))
    }

    #[staticmethod]
    #[pyo3(signature = (expression, timeout=None))]
    fn eval(expression: String, timeout: Option<f64>) -> PyResult<Self> {
        let timeout = seconds(timeout)?;
        Ok(Self(Task::Eval {
            expression,
            timeout,
        }))
    }

    #[staticmethod]
    fn type_at_prompt(data: Vec<u8>, within: f64) -> PyResult<Self> {
        let within = duration(within)?;
        Ok(Self(Task::Type { data, within }))
    }

    #[staticmethod]
    fn hear(within: f64) -> PyResult<Self> {
        let within = duration(within)?;
        Ok(Self(Task::Hear { within }))
    }

    #[staticmethod]
    const fn soft_reset() -> Self {
        Self(Task::Ask(board::Request::SoftReset))
    }

    #[staticmethod]
    const fn enter() -> Self {
        Self(Task::Ask(board::Request::Enter))
    }

    #[staticmethod]
    const fn leave() -> Self {
        Self(Task::Ask(board::Request::Leave))
    }

    #[staticmethod]
    const fn list(path: String) -> Self {
        let times = true;
        Self(Task::Ask(board::Request::List { path, times }))
    }

    #[staticmethod]
    const fn tree(path: String, hashes: bool) -> Self {
        Self(Task::Ask(board::Request::Tree { path, hashes }))
    }

    #[staticmethod]
    const fn stat(path: String) -> Self {
        Self(Task::Ask(board::Request::Stat { path }))
    }

    #[staticmethod]
    const fn read(path: String) -> Self {
        Self(Task::Ask(board::Request::Read { path }))
    }

    #[staticmethod]
    const fn write(path: String, data: Vec<u8>) -> Self {
        Self(Task::Ask(board::Request::Write { path, data }))
    }

    /// Writes files and makes directories, which are entries without data.
    #[staticmethod]
    fn write_tree(entries: Vec<(String, Option<Vec<u8>>)>) -> Self {
        let entry = |(path, data)| match data {
            Some(data) => NewEntry::File { path, data },
            None => NewEntry::Directory { path },
        };
        let entries = entries.into_iter().map(entry).collect();
        Self(Task::Ask(board::Request::WriteTree { entries }))
    }

    #[staticmethod]
    const fn append(path: String, data: Vec<u8>) -> Self {
        Self(Task::Ask(board::Request::Append { path, data }))
    }

    #[staticmethod]
    fn remove(path: String, tree: bool) -> Self {
        Self(Task::Ask(match tree {
            true => board::Request::RemoveTree { path },
            false => board::Request::Remove { path },
        }))
    }

    #[staticmethod]
    const fn make_directory(path: String, parents: bool) -> Self {
        Self(Task::Ask(board::Request::MakeDirectory { path, parents }))
    }

    #[staticmethod]
    const fn rename(source: String, target: String) -> Self {
        Self(Task::Ask(board::Request::Rename {
            from: source,
            to: target,
        }))
    }

    #[staticmethod]
    const fn touch(path: String) -> Self {
        Self(Task::Ask(board::Request::Touch { path }))
    }

    #[staticmethod]
    const fn space(path: String) -> Self {
        Self(Task::Ask(board::Request::Space { path }))
    }

    #[staticmethod]
    const fn sha256(path: String) -> Self {
        Self(Task::Ask(board::Request::Hash { path }))
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            Task::Ask(request) => format!("<Request {request}>"),
            Task::Exec(program) => format!("<Request exec of {} bytes>", program.source.len()),
            Task::Type { data, .. } => format!("<Request type {} bytes>", data.len()),
            task @ (Task::Open(_)
            | Task::Rest
            | Task::Keep(_)
            | Task::Eval { .. }
            | Task::Hear { .. }
            | Task::Sync { .. }
            | Task::Close { .. }) => format!("<Request {task:?}>"),
        }
    }
}

/// Converts Python's number of seconds.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        PyValueError::new_err(format!(
            "{seconds} is not a valid time; give a number of seconds from 0"
        ))
    })
}

/// Converts an optional number of seconds; `None` means no limit.
pub(crate) fn seconds(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    seconds.map(duration).transpose()
}
