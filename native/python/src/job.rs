//! Waiting for the messages of a request.

use std::{
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyBytes};
use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, Receiver, Sender},
        oneshot,
    },
};

use crate::{
    answer, errors,
    message::{Key, Message},
    request::seconds,
};

/// A request in progress. Dropping it stops the request.
#[pyclass(frozen, module = "flylead._flylead")]
#[derive(Debug)]
pub(crate) struct Job {
    /// State of the receiver, which is absent while somebody waits, and after the last message.
    state: Mutex<State>,
    keys: Sender<Key>,
    runtime: Handle,
}

#[derive(Debug)]
enum State {
    Idle(Receiver<Message>),
    /// A thread is waiting.
    Waiting,
    /// An asyncio task is waiting; dropping the sender ends that.
    Awaited(#[allow(dead_code)] oneshot::Sender<()>),
    Ended,
}

impl Job {
    /// Creates a job, and its worker's ends of the channels.
    pub(crate) fn new(runtime: Handle) -> (Self, Sender<Message>, Receiver<Key>) {
        let (messages, received) = mpsc::channel(MESSAGES);
        let (keys, pressed) = mpsc::channel(KEYS);
        let job = Self {
            state: Mutex::new(State::Idle(received)),
            keys,
            runtime,
        };
        (job, messages, pressed)
    }

    /// Takes the receiver out, leaving `instead`.
    fn take(&self, instead: State) -> PyResult<Receiver<Message>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Ended) {
            State::Idle(messages) => {
                *state = instead;
                Ok(messages)
            }
            State::Ended => Err(PyRuntimeError::new_err("this request has ended")),
            waited @ (State::Waiting | State::Awaited(_)) => {
                *state = waited;
                Err(PyRuntimeError::new_err(
                    "another thread or task waits for this request's output; let one of them read it",
                ))
            }
        }
    }

    fn put(&self, next: State) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // The job may have been closed meanwhile.
        if !matches!(*state, State::Ended) {
            *state = next;
        }
    }
}

#[pymethods]
impl Job {
    /// Waits for the end; returns all output that nobody else takes, and the value.
    #[pyo3(signature = (on_output=None, on_progress=None))]
    pub(crate) fn wait(
        &self,
        py: Python<'_>,
        on_output: Option<Bound<'_, PyAny>>,
        on_progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(Vec<u8>, Py<PyAny>)> {
        let mut messages = self.take(State::Waiting)?;
        let mut output = Vec::new();
        loop {
            let Some(message) = wait(py, &mut messages, None)? else {
                continue;
            };
            match message {
                Message::Output(bytes) => match &on_output {
                    Some(on_output) => drop(on_output.call1((PyBytes::new(py, &bytes),))?),
                    None => output.extend(bytes),
                },
                Message::Progress(progress) => {
                    if let Some(report) = &on_progress {
                        report.call1((progress.done, progress.total, progress.entries))?;
                    }
                }
                Message::NeedsInput => {}
                Message::Ended(Ok(value)) => return Ok((output, answer::to_python(py, value)?)),
                Message::Ended(Err(failure)) => {
                    return Err(errors::to_python(py, failure, &output));
                }
            }
        }
    }

    /// Returns the next message: `("output", bytes)`, `("progress", …)`, `("input", None)` or, once, `("done", value)`.
    /// Raises `BoardTimeout` if none arrives within `timeout` seconds; the request continues.
    #[pyo3(signature = (timeout=None))]
    fn next(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<(&'static str, Py<PyAny>)> {
        let timeout = seconds(timeout)?;
        let mut messages = self.take(State::Waiting)?;
        let message = wait(py, &mut messages, timeout);
        // A request that is interrupted here is stopped: nobody will read its output.
        let ended = matches!(message, Ok(Some(Message::Ended(_))) | Err(_));
        self.put(match ended {
            true => State::Ended,
            false => State::Idle(messages),
        });
        match message? {
            Some(message) => to_python(py, message),
            None => Err(errors::silent(py)),
        }
    }

    /// Calls `callback` with the next message, or with an exception, from another thread.
    fn request_next(slf: Py<Self>, py: Python<'_>, callback: Py<PyAny>) -> PyResult<()> {
        let (waiting, given_up) = oneshot::channel();
        let job = slf.get();
        let mut messages = job.take(State::Awaited(waiting))?;
        let owner = slf.clone_ref(py);
        job.runtime.spawn(async move {
            let message = tokio::select! {
                message = messages.recv() => message,
                _ = given_up => return,
            };
            // After the end of the interpreter nobody receives the message.
            Python::try_attach(|py| {
                let ended = matches!(message, Some(Message::Ended(_)) | None);
                owner.get().put(match ended {
                    true => State::Ended,
                    false => State::Idle(messages),
                });
                tell(py, &callback, message);
                drop((owner, callback));
            });
        });
        Ok(())
    }

    /// Presses Ctrl-C.
    fn interrupt(&self) {
        // A request that has ended needs no Ctrl-C; one with a full queue has enough of them.
        let _ = self.keys.try_send(Key::Interrupt);
    }

    /// Types into the program's stdin.
    fn send(&self, py: Python<'_>, data: Vec<u8>) -> PyResult<()> {
        self.keys
            .try_send(Key::Type(data))
            .map_err(|_| errors::not_reading(py))
    }

    /// Ends the request, but lets its program continue.
    fn detach(&self) {
        // A request that has ended, or accepts no keys, is stopped like any other.
        let _ = self.keys.try_send(Key::Detach);
    }

    /// Stops the request, if it has not ended.
    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State::Ended;
    }
}

/// Waits for the next message without the interpreter lock, checking for Ctrl-C; `None` after the time limit.
fn wait(
    py: Python<'_>,
    messages: &mut Receiver<Message>,
    timeout: Option<Duration>,
) -> PyResult<Option<Message>> {
    let start = Instant::now();
    loop {
        let left = timeout.map_or(SIGNAL_CHECK, |timeout| {
            SIGNAL_CHECK.min(timeout.saturating_sub(start.elapsed()))
        });
        match py.detach(|| receive(messages, left)) {
            Poll::Ready(Some(message)) => return Ok(Some(message)),
            Poll::Ready(None) => return Err(errors::closed(py)),
            Poll::Pending if timeout.is_some_and(|timeout| start.elapsed() >= timeout) => {
                return Ok(None);
            }
            Poll::Pending => py.check_signals()?,
        }
    }
}

/// Waits for a message for this long, asleep. A timer of the runtime would wake its thread for every wait.
fn receive(messages: &mut Receiver<Message>, within: Duration) -> Poll<Option<Message>> {
    let end = Instant::now() + within;
    let waker = Waker::from(Arc::new(Sleeper(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        let received = messages.poll_recv(&mut context);
        let left = end.saturating_duration_since(Instant::now());
        if received.is_ready() || left.is_zero() {
            return received;
        }
        thread::park_timeout(left);
    }
}

/// A thread that is waiting.
struct Sleeper(Thread);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn to_python(py: Python<'_>, message: Message) -> PyResult<(&'static str, Py<PyAny>)> {
    Ok(match message {
        Message::Output(bytes) => ("output", PyBytes::new(py, &bytes).into_any().unbind()),
        Message::Progress(progress) => {
            let numbers = (progress.done, progress.total, progress.entries);
            ("progress", numbers.into_pyobject(py)?.into_any().unbind())
        }
        Message::NeedsInput => ("input", py.None()),
        Message::Ended(Ok(value)) => ("done", answer::to_python(py, value)?),
        Message::Ended(Err(failure)) => return Err(errors::to_python(py, failure, &[])),
    })
}

/// Passes a message to asyncio. A loop that was closed meanwhile needs none.
fn tell(py: Python<'_>, callback: &Py<PyAny>, message: Option<Message>) {
    let message = message.ok_or_else(|| errors::closed(py));
    let message = message.and_then(|message| to_python(py, message));
    let _ = match message {
        Ok(message) => callback.call1(py, (message,)),
        Err(error) => callback.call1(py, (error.into_value(py),)),
    };
}

/// Interval at which a waiting thread checks for Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);
/// Limit of output pieces that wait for Python; the board waits beyond that.
const MESSAGES: usize = 64;
/// Limit of keys that wait for a program.
const KEYS: usize = 64;
