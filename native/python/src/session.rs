//! A board as Python holds it.

use std::process;

use flylead::link::Address;
use pyo3::{exceptions::PyValueError, prelude::*};
use tokio::{
    runtime::Handle,
    sync::mpsc::{self, Sender, error::TrySendError},
};

use crate::{
    board::{self, Work},
    errors,
    job::Job,
    request::Request,
    runtime,
};

/// A board's task, which does what it is asked, one request after the other.
#[pyclass(frozen, module = "flylead._flylead")]
#[derive(Debug)]
pub(crate) struct Session {
    inbox: Sender<Work>,
    runtime: Handle,
    process: u32,
}

#[pymethods]
impl Session {
    /// Nothing is opened yet.
    #[new]
    fn new(address: &str) -> PyResult<Self> {
        let address: Address = address
            .parse()
            .map_err(|error| PyValueError::new_err(format!("{error}")))?;
        let runtime = runtime::handle()?;
        let (inbox, work) = mpsc::channel(QUEUE);
        runtime.spawn(board::serve(address, work));
        Ok(Self {
            inbox,
            runtime,
            process: process::id(),
        })
    }

    /// Puts a request into the queue.
    fn start(&self, py: Python<'_>, request: &Request) -> PyResult<Job> {
        if self.process != process::id() {
            return Err(errors::forked(py));
        }
        let (messages, received) = mpsc::channel(MESSAGES);
        let (pressed, keys) = mpsc::channel(KEYS);
        let task = request.0.clone();
        let work = Work {
            task,
            messages,
            keys,
        };
        match self.inbox.try_send(work) {
            Ok(()) => Ok(Job::new(received, pressed, self.runtime.clone())),
            Err(TrySendError::Full(_)) => Err(errors::crowded(py, QUEUE)),
            Err(TrySendError::Closed(_)) => Err(errors::closed(py)),
        }
    }

    /// Does a request and waits for its end. Gives what it printed, and its value.
    #[pyo3(signature = (request, on_output=None, on_progress=None))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        request: &Request,
        on_output: Option<Bound<'py, PyAny>>,
        on_progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Vec<u8>, Py<PyAny>)> {
        self.start(py, request)?
            .to_the_end(py, on_output.as_ref(), on_progress.as_ref())
    }
}

/// How many requests may wait for their turn.
const QUEUE: usize = 1024;
/// How many pieces of output may wait for Python; the board waits then.
const MESSAGES: usize = 64;
/// How many keys may wait for a program.
const KEYS: usize = 64;
