//! Requests under way: what is asked of the task that owns the connection, and what waits for its answers.

use std::sync::Arc;

use flylead_core::{
    Instant,
    zylisp::{Reply, RequestError, RequestId, ZylispClient},
};
use tokio::sync::{mpsc, oneshot};

use super::{ClientError, in_process::Local};

/// Something to ask a server for.
pub(super) trait Make:
    FnOnce(&mut ZylispClient, Instant) -> Result<RequestId, RequestError> + Send + 'static
{
}

impl<F> Make for F where
    F: FnOnce(&mut ZylispClient, Instant) -> Result<RequestId, RequestError> + Send + 'static
{
}

pub(super) type Answer = oneshot::Sender<Result<Reply, ClientError>>;
pub(super) type Output = mpsc::Sender<String>;

pub(super) enum Command {
    Request {
        make: Box<dyn Make>,
        made: oneshot::Sender<RequestId>,
        answer: Answer,
        output: Option<Output>,
    },
    Cancel(RequestId),
    /// Go on with what somebody else has begun.
    GoOn,
}

/// Where commands go.
#[derive(Debug, Clone)]
pub(super) struct Commands {
    pub(super) sender: mpsc::UnboundedSender<Command>,
    /// The session, if it is in this process.
    pub(super) local: Option<Arc<Local>>,
}

impl Commands {
    pub(super) fn send(&self, command: Command) -> Result<(), ClientError> {
        if let Some(local) = &self.local {
            local.announce();
        }
        self.sender.send(command).map_err(|_| ClientError::Lost)
    }

    pub(super) fn request(
        &self,
        make: Box<dyn Make>,
        output: Option<Output>,
    ) -> Result<Pending, ClientError> {
        let (made, request) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        self.send(Command::Request {
            make,
            made,
            answer,
            output,
        })?;
        Ok(self.pending(answered, request))
    }

    /// What was begun already.
    pub(super) fn begun(
        &self,
        request: RequestId,
        answered: oneshot::Receiver<Result<Reply, ClientError>>,
    ) -> Result<Pending, ClientError> {
        self.send(Command::GoOn)?;
        let (made, known) = oneshot::channel();
        // The other end is here.
        let _ = made.send(request);
        Ok(self.pending(answered, known))
    }

    fn pending(
        &self,
        answered: oneshot::Receiver<Result<Reply, ClientError>>,
        request: oneshot::Receiver<RequestId>,
    ) -> Pending {
        Pending {
            answered,
            cancel: CancelOnDrop {
                commands: self.clone(),
                request: Some(request),
            },
        }
    }
}

/// A source that is evaluated, with its output live. Dropping it gives it up: the server is asked to interrupt it.
///
/// Output that nobody takes holds the connection up, and with it the server: take it, or use
/// [`Client::eval`](super::Client::eval), whose output comes with the reply.
#[derive(Debug)]
pub struct Evaluation {
    pub(super) pending: Pending,
    pub(super) output: mpsc::Receiver<String>,
}

impl Evaluation {
    /// What it prints next; `None` when nothing more comes before the reply. Cancel safe.
    pub async fn next_output(&mut self) -> Option<String> {
        self.output.recv().await
    }

    /// How it ended. Output that was not taken before is in front of the reply's.
    pub async fn reply(mut self) -> Result<Reply, ClientError> {
        let mut output = String::new();
        while let Some(text) = self.next_output().await {
            output.push_str(&text);
        }
        let mut reply = self.pending.wait().await?;
        reply.output.insert_str(0, &output);
        Ok(reply)
    }
}

/// A request whose reply is still to come.
#[derive(Debug)]
pub(super) struct Pending {
    answered: oneshot::Receiver<Result<Reply, ClientError>>,
    cancel: CancelOnDrop,
}

impl Pending {
    pub(super) async fn wait(&mut self) -> Result<Reply, ClientError> {
        let reply = (&mut self.answered).await;
        self.cancel.request = None;
        reply.unwrap_or(Err(ClientError::Lost))
    }
}

/// Gives a request up when whoever waits for it stops waiting.
#[derive(Debug)]
struct CancelOnDrop {
    commands: Commands,
    request: Option<oneshot::Receiver<RequestId>>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(request) = self
            .request
            .as_mut()
            .and_then(|request| request.try_recv().ok())
        {
            // Without a connection nothing runs.
            let _ = self.commands.send(Command::Cancel(request));
        }
    }
}
