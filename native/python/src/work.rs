//! Requests from Python on their way to the workers.

use std::{future::Future, process};

use pyo3::prelude::*;
use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, Receiver, Sender, error::TrySendError},
        watch,
    },
};

use crate::{
    errors,
    job::Job,
    message::{Failure, Key, Value},
    outbox::{Outbox, Wants},
    runtime,
};

/// One request on its way to its worker.
pub(crate) struct Work<T> {
    pub(crate) task: T,
    /// Outgoing messages of the request. When nobody waits for them any more, the work is stopped.
    pub(crate) outbox: Outbox,
    /// Keys pressed while it runs.
    pub(crate) keys: Receiver<Key>,
}

/// Carries out one request after the other.
pub(crate) trait Worker: Send + 'static {
    /// Task of the worker.
    type Task: Send + 'static;

    /// Carries out a request, or stops it when nobody waits for its messages any more.
    fn perform(
        &mut self,
        task: Self::Task,
        outbox: &mut Outbox,
        keys: &mut Receiver<Key>,
    ) -> impl Future<Output = Result<Value, Failure>> + Send;

    /// Returns true if the task is carried out although nobody waits for it.
    fn is_owed(task: &Self::Task) -> bool;

    /// Waits until the worker may rest between two requests; forever for a worker that never does. Cancel safe.
    fn is_free(&self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// Lets others use the peer until the next request.
    fn rest(&mut self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Ends the worker once no more requests can arrive.
    fn end(self) -> impl Future<Output = ()> + Send;
}

/// Sender of requests to a worker, for all threads and all asyncio tasks.
#[derive(Debug)]
pub(crate) struct Inbox<T> {
    sender: Sender<Work<T>>,
    runtime: Handle,
    closing: watch::Sender<bool>,
    process: u32,
}

impl<T: Send + 'static> Inbox<T> {
    /// Starts a worker that waits for requests.
    pub(crate) fn of(worker: impl Worker<Task = T>) -> PyResult<Self> {
        let runtime = runtime::handle()?;
        let (sender, work) = mpsc::channel(QUEUE);
        let closing = watch::Sender::new(false);
        runtime.spawn(serve(worker, work, closing.subscribe()));
        Ok(Self {
            sender,
            runtime,
            closing,
            process: process::id(),
        })
    }

    /// Queues a request, and ends all requests before it: nobody has to wait for a program that another thread runs.
    pub(crate) fn close(&self, py: Python<'_>, task: T) -> PyResult<Job> {
        self.closing.send_replace(true);
        self.start(py, task, Wants::ALL)
    }

    /// Queues a request.
    pub(crate) fn start(&self, py: Python<'_>, task: T, wants: Wants) -> PyResult<Job> {
        if self.process != process::id() {
            return Err(errors::forked(py));
        }
        let (job, messages, keys) = Job::new(self.runtime.clone());
        let work = Work {
            task,
            outbox: Outbox::new(messages, wants),
            keys,
        };
        match self.sender.try_send(work) {
            Ok(()) => Ok(job),
            Err(TrySendError::Full(_)) => Err(errors::crowded(py, QUEUE)),
            Err(TrySendError::Closed(_)) => Err(errors::closed(py)),
        }
    }
}

/// Passes all requests to a worker.
async fn serve<W: Worker>(
    mut worker: W,
    mut inbox: Receiver<Work<W::Task>>,
    mut closing: watch::Receiver<bool>,
) {
    loop {
        let work = tokio::select! {
            biased;
            work = inbox.recv() => work,
            () = worker.is_free() => {
                worker.rest().await;
                continue;
            }
        };
        let Some(Work {
            task,
            mut outbox,
            mut keys,
        }) = work
        else {
            break;
        };
        let is_owed = W::is_owed(&task);
        // The caller may have left while others had their turn.
        if outbox.is_closed() && !is_owed {
            continue;
        }
        let ended = tokio::select! {
            biased;
            Ok(_) = closing.wait_for(|closing| *closing), if !is_owed => Err(Failure::Closed),
            ended = worker.perform(task, &mut outbox, &mut keys) => ended,
        };
        outbox.end(ended).await;
    }
    worker.end().await;
}

/// Limit of requests that wait for their turn.
pub(crate) const QUEUE: usize = 1024;
