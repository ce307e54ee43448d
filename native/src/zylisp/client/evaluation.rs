//! Requests in progress, and their results.

use flylead_core::zylisp::{Reply, RequestError, RequestId, ZylispClient};
use tokio::sync::{mpsc, oneshot};

use super::{ClientError, Session};

/// Builder of a request to a server.
pub(super) trait Make:
    FnOnce(&mut ZylispClient) -> Result<RequestId, RequestError> + Send + 'static
{
}

impl<F> Make for F where
    F: FnOnce(&mut ZylispClient) -> Result<RequestId, RequestError> + Send + 'static
{
}

pub(super) type Answer = oneshot::Sender<Result<Reply, ClientError>>;
pub(super) type Output = mpsc::Sender<Printed>;

/// Event of a live evaluation before its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    /// The program printed this.
    Output(String),
    /// The program reads, but has no input: send it with [`Client::input`](super::Client::input).
    NeedsInput,
}

/// A running evaluation with live output. Dropping it cancels it: the server is asked to interrupt it.
///
/// Output that is not taken holds up the connection, and with it the server: take it, or use
/// [`Client::eval`](super::Client::eval), whose output comes with the reply.
#[derive(Debug)]
pub struct Evaluation {
    pub(super) pending: Pending,
    pub(super) output: mpsc::Receiver<Printed>,
}

impl Evaluation {
    /// Returns the next output, or the request for input; `None` if nothing more precedes the
    /// reply. Cancel safe.
    pub async fn next(&mut self) -> Option<Printed> {
        self.output.recv().await
    }

    /// Returns the next output; `None` if nothing more precedes the reply. Requests for input are
    /// skipped, so that the program waits. Cancel safe.
    pub async fn next_output(&mut self) -> Option<String> {
        loop {
            if let Printed::Output(output) = self.next().await? {
                return Some(output);
            }
        }
    }

    /// Waits for the reply. Its output starts with any output that was not taken before.
    ///
    /// # Errors
    /// When the connection ended before the reply, or the server cannot be understood.
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
    pub(super) fn new(
        session: Session,
        request: RequestId,
        answered: oneshot::Receiver<Result<Reply, ClientError>>,
    ) -> Self {
        Self {
            answered,
            cancel: CancelOnDrop {
                session,
                request: Some(request),
            },
        }
    }

    pub(super) async fn wait(&mut self) -> Result<Reply, ClientError> {
        let reply = (&mut self.answered).await;
        self.cancel.request = None;
        reply.unwrap_or(Err(ClientError::Lost))
    }
}

/// Guard that cancels a request when its caller stops waiting.
#[derive(Debug)]
struct CancelOnDrop {
    session: Session,
    request: Option<RequestId>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(request) = self.request {
            self.session.cancel(request);
        }
    }
}
