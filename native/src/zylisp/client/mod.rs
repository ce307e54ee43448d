//! A client for every transport.

mod dispatcher;
mod error;
mod evaluation;
mod in_process;
mod remote;

use std::{sync::Arc, time::Duration};

use flylead_core::zylisp::{Address, Encoding, Program, Reply, ReplyOutcome, RequestId};
use tokio::{sync::mpsc, task::coop::consume_budget, time};

use crate::Trace;
use evaluation::Make;
use in_process::Local;
use remote::Remote;

pub use error::ClientError;
pub use evaluation::{Evaluation, Printed};

/// A connection to a server: a session with an environment of its own.
///
/// Every method can be called while others wait. Dropping a method's future cancels its request: the server is asked to
/// interrupt it.
#[derive(Debug, Clone)]
pub struct Client {
    session: Session,
}

/// Target of requests. Clones are the same session.
#[derive(Debug, Clone)]
enum Session {
    Local(Arc<Local>),
    Remote(Remote),
}

/// Options of a connection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientOptions {
    /// Encoding of messages; must match the server's.
    pub encoding: Encoding,
    /// Token for the server, if it requires one.
    pub token: Option<String>,
    /// Time limit of connecting.
    pub connect_timeout: Duration,
    /// The longest reply, in bytes.
    pub message_limit: usize,
    /// Trace of the conversation.
    pub trace: Option<Trace>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            encoding: Encoding::Json,
            token: None,
            connect_timeout: Duration::from_secs(10),
            message_limit: 64 << 20,
            trace: None,
        }
    }
}

impl Client {
    /// Connects to a server. The in-process address opens a session of its own, which ends with the last clone of the
    /// client; its messages are not encoded, and files are loaded as this program sees them.
    ///
    /// # Errors
    /// When nothing answers there.
    pub async fn connect(address: &Address) -> Result<Self, ClientError> {
        Self::connect_with(address, ClientOptions::default()).await
    }

    /// Like [`connect`](Self::connect), with options.
    ///
    /// # Errors
    /// When nothing answers there in time, or the token is refused.
    pub async fn connect_with(
        address: &Address,
        options: ClientOptions,
    ) -> Result<Self, ClientError> {
        let session = match *address == Address::InProcess {
            true => Session::Local(Arc::new(Local::start())),
            false => Session::Remote(connect(address, &options).await?),
        };
        let client = Self { session };
        if let Some(token) = options.token {
            let authorized = time::timeout(options.connect_timeout, client.authorize(token));
            authorized.await.unwrap_or(Err(ClientError::Silent))?;
        }
        Ok(client)
    }

    /// Evaluates a program. Its errors are part of the reply.
    ///
    /// # Errors
    /// When the connection ended before the reply, or the server cannot be understood.
    pub async fn eval(&self, program: impl Into<Program>) -> Result<Reply, ClientError> {
        let program = program.into();
        self.request(move |client| client.eval(program)).await
    }

    /// Evaluates a file on the server's side.
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn load_file(&self, path: impl Into<String>) -> Result<Reply, ClientError> {
        let path = path.into();
        self.request(move |client| client.load_file(&path)).await
    }

    /// Evaluates a program whose output is wanted while it runs.
    ///
    /// # Errors
    /// When the connection has closed.
    pub async fn start(&self, program: impl Into<Program>) -> Result<Evaluation, ClientError> {
        let program = program.into().live();
        self.begin(move |client| client.eval(program)).await
    }

    /// Evaluates a file on the server's side whose output is wanted while it runs.
    ///
    /// # Errors
    /// When the connection has closed.
    pub async fn start_file(&self, path: impl Into<String>) -> Result<Evaluation, ClientError> {
        let path = path.into();
        self.begin(move |client| client.load_file_live(&path)).await
    }

    /// Requests the next page of the last program's value: at most this many bytes of its text.
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn more(&self, page: usize) -> Result<Reply, ClientError> {
        self.request(move |client| client.more(page)).await
    }

    /// Sends a program its input: lines with their ends, or an empty text for the end of the input.
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn input(&self, text: impl Into<String>) -> Result<Reply, ClientError> {
        let text = text.into();
        self.request(move |client| client.input(&text)).await
    }

    /// Queries the names with this prefix: `completions` in [`Reply::data`].
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn complete(&self, prefix: impl Into<String>) -> Result<Reply, ClientError> {
        let prefix = prefix.into();
        self.request(move |client| client.complete(&prefix)).await
    }

    /// Queries the facts about a name: `usage`, `doc`, `file` and `line` in [`Reply::data`], as far
    /// as they are known.
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn look_up(&self, name: impl Into<String>) -> Result<Reply, ClientError> {
        let name = name.into();
        self.request(move |client| client.look_up(&name)).await
    }

    /// Queries the description of the server: [`Reply::data`].
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn describe(&self) -> Result<Reply, ClientError> {
        self.request(|client| client.describe()).await
    }

    /// Interrupts the running evaluation of this session.
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn interrupt(&self) -> Result<Reply, ClientError> {
        self.request(|client| client.interrupt(None)).await
    }

    /// Interrupts another session: the evaluation with that id, or the running one.
    ///
    /// # Errors
    /// As for [`eval`](Self::eval).
    pub async fn interrupt_session(
        &self,
        session: impl Into<String>,
        id: Option<String>,
    ) -> Result<Reply, ClientError> {
        let session = session.into();
        self.request(move |client| client.interrupt_session(&session, id.as_deref()))
            .await
    }

    async fn authorize(&self, token: String) -> Result<(), ClientError> {
        let reply = self.request(move |client| client.authorize(&token)).await?;
        if let ReplyOutcome::Refused(why) = reply.outcome {
            return Err(ClientError::Unauthorized { why });
        }
        Ok(())
    }

    async fn request(&self, make: impl Make) -> Result<Reply, ClientError> {
        match &self.session {
            Session::Remote(remote) => remote.ask(make, None).await?.wait().await,
            Session::Local(local) => {
                // A caller that evaluates in a loop still lets other tasks run.
                consume_budget().await;
                Arc::clone(local).request(make).await
            }
        }
    }

    async fn begin(&self, make: impl Make) -> Result<Evaluation, ClientError> {
        let (sender, output) = mpsc::channel(OUTPUTS_WAITING);
        let pending = match &self.session {
            Session::Remote(remote) => remote.ask(make, Some(sender)).await?,
            Session::Local(local) => Arc::clone(local).begin(make, Some(sender))?,
        };
        Ok(Evaluation { pending, output })
    }
}

impl Session {
    fn cancel(&self, request: RequestId) {
        match self {
            Self::Local(local) => local.cancel(request),
            Self::Remote(remote) => remote.cancel(request),
        }
    }
}

async fn connect(address: &Address, options: &ClientOptions) -> Result<Remote, ClientError> {
    let connecting = time::timeout(options.connect_timeout, remote::open(address, options));
    let opened = connecting
        .await
        .unwrap_or_else(|elapsed| Err(elapsed.into()));
    match opened {
        Ok(link) => Ok(Remote::start(link, options)),
        Err(error) => Err(ClientError::Connect {
            address: address.clone(),
            error,
        }),
    }
}

/// Limit of output pieces that wait to be taken.
const OUTPUTS_WAITING: usize = 64;
