//! A board's session, as Python holds it.

use flylead_native::link::Address;
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    board::Worker,
    job::Job,
    outbox::Wants,
    request::{Request, Task},
    work::Inbox,
};

/// A board's task, which carries out one request after the other.
#[pyclass(frozen, module = "flylead._flylead")]
#[derive(Debug)]
pub(crate) struct Session(Inbox<Task>);

#[pymethods]
impl Session {
    /// Creates the session without opening anything yet.
    #[new]
    fn new(address: &str) -> PyResult<Self> {
        let worker = Worker::new(self::address(address)?);
        Ok(Self(Inbox::of(worker)?))
    }

    /// Puts a request into the queue.
    fn start(&self, py: Python<'_>, request: &Request) -> PyResult<Job> {
        self.begin(py, request, Wants::ALL)
    }

    /// Makes a request and waits for its end. Returns the printed output, and the value.
    #[pyo3(signature = (request, on_output=None, on_progress=None))]
    fn call<'py>(
        &self,
        py: Python<'py>,
        request: &Request,
        on_output: Option<Bound<'py, PyAny>>,
        on_progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Vec<u8>, Py<PyAny>)> {
        let wants = Wants {
            output: on_output.is_some(),
            progress: on_progress.is_some(),
        };
        let job = self.begin(py, request, wants)?;
        job.wait(py, on_output, on_progress)
    }
}

impl Session {
    fn begin(&self, py: Python<'_>, request: &Request, wants: Wants) -> PyResult<Job> {
        let task = request.0.clone();
        if matches!(task, Task::Close { .. }) {
            return self.0.close(py, task);
        }
        self.0.start(py, task, wants)
    }
}

/// Parses an address as people write it.
pub(crate) fn address(text: &str) -> PyResult<Address> {
    text.parse()
        .map_err(|error| PyValueError::new_err(format!("{error}")))
}
