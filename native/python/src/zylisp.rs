//! A session of a Zylisp REPL, as Python holds it.

use std::{
    future::Future,
    process,
    sync::{Arc, Mutex, PoisonError},
};

use flylead_native::zylisp::{Address, Client, ClientOptions, Evaluation, Printed, Program, Reply};
use pyo3::{exceptions::PyValueError, prelude::*};
use tokio::{
    runtime::Handle,
    sync::{Semaphore, mpsc::Sender, watch},
};

use crate::{
    errors,
    job::Job,
    message::{Failure, Message, Value},
    request::duration,
    runtime,
    work::QUEUE,
};

/// A connection. Its requests do not wait for each other: one can interrupt the evaluation of another.
#[pyclass(frozen, module = "flylead._flylead")]
#[derive(Debug)]
pub(crate) struct ZylispSession {
    address: Address,
    options: ClientOptions,
    client: Slot,
    /// Set once the session is closed, after which no work continues.
    closed: watch::Sender<bool>,
    /// Limit of requests in progress.
    room: Arc<Semaphore>,
    runtime: Handle,
    process: u32,
}

/// The client, while the session is open.
#[derive(Debug, Clone, Default)]
struct Slot(Arc<Mutex<Option<Client>>>);

#[pymethods]
impl ZylispSession {
    /// Creates the session without opening anything yet.
    #[new]
    #[pyo3(signature = (address, token, codec))]
    fn new(address: &str, token: Option<String>, codec: &str) -> PyResult<Self> {
        let address = address
            .parse()
            .map_err(|error| PyValueError::new_err(format!("{address:?}: {error}")))?;
        let mut options = ClientOptions::default();
        options.token = token;
        options.encoding = codec
            .parse()
            .map_err(|error| PyValueError::new_err(format!("{codec:?}: {error}")))?;
        Ok(Self {
            address,
            options,
            client: Slot::default(),
            closed: watch::Sender::new(false),
            room: Arc::new(Semaphore::new(QUEUE)),
            runtime: runtime::handle()?,
            process: process::id(),
        })
    }

    fn open(&self, py: Python<'_>, within: f64) -> PyResult<Job> {
        let (address, slot) = (self.address.clone(), self.client.clone());
        let mut options = self.options.clone();
        options.connect_timeout = duration(within)?;
        self.spawn(py, |_| async move {
            slot.put(Some(Client::connect_with(&address, options).await?));
            Ok(Value::Nothing)
        })
    }

    /// Evaluates code; output is reported as it is produced, and so is a need for `input`.
    #[pyo3(signature = (code, file=None, page=None))]
    fn eval(
        &self,
        py: Python<'_>,
        code: &str,
        file: Option<String>,
        page: Option<usize>,
    ) -> PyResult<Job> {
        let mut program = Program::from(code);
        program.file = file;
        program.page = page;
        self.ask(py, |client, messages| async move {
            to_the_end(client.start(program).await?, &messages).await
        })
    }

    /// Evaluates a file on the server's side.
    fn load_file(&self, py: Python<'_>, path: String) -> PyResult<Job> {
        self.ask(py, |client, messages| async move {
            to_the_end(client.start_file(path).await?, &messages).await
        })
    }

    fn more(&self, py: Python<'_>, page: usize) -> PyResult<Job> {
        self.ask(py, move |client, _| async move {
            Ok(replied(client.more(page).await?))
        })
    }

    /// Sends input to the program; an empty text is the end of the input.
    fn input(&self, py: Python<'_>, text: String) -> PyResult<Job> {
        self.ask(py, |client, _| async move {
            Ok(replied(client.input(text).await?))
        })
    }

    fn complete(&self, py: Python<'_>, prefix: String) -> PyResult<Job> {
        self.ask(py, |client, _| async move {
            Ok(replied(client.complete(prefix).await?))
        })
    }

    fn look_up(&self, py: Python<'_>, name: String) -> PyResult<Job> {
        self.ask(py, |client, _| async move {
            Ok(replied(client.look_up(name).await?))
        })
    }

    fn describe(&self, py: Python<'_>) -> PyResult<Job> {
        self.ask(py, |client, _| async move {
            Ok(replied(client.describe().await?))
        })
    }

    fn interrupt(&self, py: Python<'_>) -> PyResult<Job> {
        self.ask(py, |client, _| async move {
            Ok(replied(client.interrupt().await?))
        })
    }

    /// Cancels all requests in progress.
    fn close(&self) {
        // A task informs the server of the cancellation.
        let _entered = self.runtime.enter();
        self.closed.send_replace(true);
        drop(self.client.put(None));
    }
}

impl ZylispSession {
    /// Sends a request to the server.
    fn ask<W>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Client, Sender<Message>) -> W + Send + 'static,
    ) -> PyResult<Job>
    where
        W: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        let client = self.client.get().ok_or_else(|| errors::closed(py))?;
        self.spawn(py, |messages| work(client, messages))
    }

    /// Starts work that is dropped, and thereby cancelled, when nobody waits for it any more.
    fn spawn<W>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Sender<Message>) -> W + Send + 'static,
    ) -> PyResult<Job>
    where
        W: Future<Output = Result<Value, Failure>> + Send + 'static,
    {
        if self.process != process::id() {
            return Err(errors::forked(py));
        }
        let room = Arc::clone(&self.room).try_acquire_owned();
        let room = room.map_err(|_| errors::crowded(py, QUEUE))?;
        let (job, messages, _) = Job::new(self.runtime.clone());
        let mut closed = self.closed.subscribe();
        let work = work(messages.clone());
        self.runtime.spawn(async move {
            let ended = tokio::select! {
                ended = work => ended,
                _ = closed.wait_for(|closed| *closed) => Err(Failure::Closed),
                () = messages.closed() => Err(Failure::Stopped),
            };
            // The caller may have stopped waiting.
            let _ = messages.send(Message::Ended(ended)).await;
            drop(room);
        });
        Ok(job)
    }
}

impl Slot {
    fn get(&self) -> Option<Client> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces the client, and returns the previous one.
    fn put(&self, client: Option<Client>) -> Option<Client> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, client)
    }
}

async fn to_the_end(
    mut evaluation: Evaluation,
    messages: &Sender<Message>,
) -> Result<Value, Failure> {
    while let Some(printed) = evaluation.next().await {
        let message = match printed {
            Printed::Output(text) => Message::Output(text.into_bytes()),
            Printed::NeedsInput => Message::NeedsInput,
        };
        let _ = messages.send(message).await;
    }
    Ok(replied(evaluation.reply().await?))
}

fn replied(reply: Reply) -> Value {
    Value::Reply(Box::new(reply))
}
