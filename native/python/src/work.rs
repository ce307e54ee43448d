//! What Python asks, on its way to whoever does it, and what comes back.

use std::{future::Future, process};

use flylead::{BoardError, export, link::OpenError, zylisp::ClientError};
use flylead_core::{board::Answer, zylisp::Reply};
use pyo3::prelude::*;
use tokio::{
    runtime::Handle,
    sync::mpsc::{self, Receiver, Sender, error::TrySendError},
};

use crate::{errors, job::Job, runtime};

/// One request on its way.
pub(crate) struct Work<T> {
    pub(crate) task: T,
    /// Where its messages go. When nobody waits for them any more, it is stopped.
    pub(crate) messages: Sender<Message>,
    /// What is typed and pressed while it runs.
    pub(crate) keys: Receiver<Key>,
}

/// What a request has to tell.
#[derive(Debug)]
pub(crate) enum Message {
    Output(Vec<u8>),
    Progress(Progress),
    /// The program reads.
    NeedsInput,
    /// The last one.
    Ended(Result<Value, Failure>),
}

/// How far a request is: bytes of all bytes, and entries that are in their places.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
    pub(crate) entries: usize,
}

/// What a request gives.
#[derive(Debug)]
pub(crate) enum Value {
    Nothing,
    Text(String),
    Bytes(Vec<u8>),
    Answer(Answer),
    Saved(Box<export::Saved>),
    Reply(Box<Reply>),
}

/// Why a request gives nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    Open(OpenError),
    Board(BoardError),
    Export(Box<export::Error>),
    Zylisp(ClientError),
    /// It was stopped by its caller.
    Stopped,
    /// The board does not take what is typed.
    Stuck,
    /// What it is for is closed, or was never opened.
    Closed,
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        Self::Board(error)
    }
}

impl From<export::Error> for Failure {
    fn from(error: export::Error) -> Self {
        Self::Export(Box::new(error))
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Zylisp(error)
    }
}

/// What may happen to a program from outside.
#[derive(Debug)]
pub(crate) enum Key {
    Interrupt,
    Type(Vec<u8>),
}

/// Does what it is asked, one request after the other.
pub(crate) trait Worker: Send + 'static {
    /// What it is asked.
    type Task: Send + 'static;

    /// Does a request to its end, or stops it when nobody waits for its messages any more.
    fn perform(
        &mut self,
        task: Self::Task,
        messages: &Sender<Message>,
        keys: &mut Receiver<Key>,
    ) -> impl Future<Output = Result<Value, Failure>> + Send;

    /// Whether this is done although nobody waits for it.
    fn is_owed(task: &Self::Task) -> bool;

    /// Nobody can ask anything more.
    fn end(self) -> impl Future<Output = ()> + Send;
}

/// The way to a worker, for all threads and all asyncio tasks.
#[derive(Debug)]
pub(crate) struct Inbox<T> {
    sender: Sender<Work<T>>,
    runtime: Handle,
    process: u32,
}

impl<T: Send + 'static> Inbox<T> {
    /// Lets a worker wait for what it is asked.
    pub(crate) fn of(worker: impl Worker<Task = T>) -> PyResult<Self> {
        let runtime = runtime::handle()?;
        let (sender, work) = mpsc::channel(QUEUE);
        runtime.spawn(serve(worker, work));
        Ok(Self {
            sender,
            runtime,
            process: process::id(),
        })
    }

    /// Puts a request into the queue.
    pub(crate) fn start(&self, py: Python<'_>, task: T) -> PyResult<Job> {
        if self.process != process::id() {
            return Err(errors::forked(py));
        }
        let (job, messages, keys) = Job::new(self.runtime.clone());
        let work = Work {
            task,
            messages,
            keys,
        };
        match self.sender.try_send(work) {
            Ok(()) => Ok(job),
            Err(TrySendError::Full(_)) => Err(errors::crowded(py, QUEUE)),
            Err(TrySendError::Closed(_)) => Err(errors::closed(py)),
        }
    }
}

/// Hands a worker all that comes.
async fn serve<W: Worker>(mut worker: W, mut inbox: Receiver<Work<W::Task>>) {
    while let Some(mut work) = inbox.recv().await {
        // Whoever asked may have gone while others had their turn.
        if work.messages.is_closed() && !W::is_owed(&work.task) {
            continue;
        }
        let ended = worker
            .perform(work.task, &work.messages, &mut work.keys)
            .await;
        let _ = work.messages.send(Message::Ended(ended)).await;
    }
    worker.end().await;
}

/// How many requests may wait for their turn.
pub(crate) const QUEUE: usize = 1024;
