//! A client for every transport.

mod conversation;
mod desk;
mod error;
mod in_process;
mod request;

use std::{io, sync::Arc, time::Duration};

use flylead_core::zylisp::{Address, Encoding, Reply, ReplyOutcome, ZylispClient};
use tokio::{net::TcpStream, sync::mpsc, task::coop::consume_budget, time};
use tokio_tungstenite::connect_async_with_config;

use super::transport::{Transport, websocket_config};
use conversation::Conversation;
use in_process::{Asked, Local};
use request::{Commands, Make};

pub use error::ClientError;
pub use request::Evaluation;

/// A connection to a server: a session with an environment of its own.
///
/// Every method can be called while others wait. Dropping the future of one gives its request up: the server is asked
/// to interrupt it.
#[derive(Debug, Clone)]
pub struct Client {
    commands: Commands,
}

/// How to connect.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientOptions {
    /// How messages are written; as the server does.
    pub encoding: Encoding,
    /// The server's token, if it wants one.
    pub token: Option<String>,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// The longest reply, in bytes.
    pub message_limit: usize,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            encoding: Encoding::Json,
            token: None,
            connect_timeout: Duration::from_secs(10),
            message_limit: 64 << 20,
        }
    }
}

impl Client {
    /// Connects to a server. The in-process address is a session of its own, which ends with the last clone of the
    /// client; nothing is encoded there, and files are loaded as this program sees them.
    pub async fn connect(address: &Address) -> Result<Self, ClientError> {
        Self::connect_with(address, ClientOptions::default()).await
    }

    /// The same, with options.
    pub async fn connect_with(
        address: &Address,
        options: ClientOptions,
    ) -> Result<Self, ClientError> {
        let client = match address {
            Address::InProcess => Self::in_process(),
            _ => Self::over_link(address, &options).await?,
        };
        if let Some(token) = options.token {
            client.authorize(token).await?;
        }
        Ok(client)
    }

    fn in_process() -> Self {
        let local = Arc::new(Local::new());
        let (sender, received) = mpsc::unbounded_channel();
        tokio::spawn(Arc::clone(&local).run(received));
        let local = Some(local);
        Self {
            commands: Commands { sender, local },
        }
    }

    async fn over_link(address: &Address, options: &ClientOptions) -> Result<Self, ClientError> {
        let connecting = time::timeout(options.connect_timeout, open(address, options));
        let opened = connecting
            .await
            .unwrap_or_else(|elapsed| Err(elapsed.into()));
        let transport = opened.map_err(|error| ClientError::Connect {
            address: address.clone(),
            error,
        })?;
        let (sender, received) = mpsc::unbounded_channel();
        let machine = ZylispClient::new(options.encoding, options.message_limit);
        tokio::spawn(Conversation::new(transport, machine).run(received));
        let local = None;
        Ok(Self {
            commands: Commands { sender, local },
        })
    }

    /// Evaluates a source. Errors of the program are part of the reply.
    pub async fn eval(&self, code: impl Into<String>) -> Result<Reply, ClientError> {
        let code = code.into();
        self.request(move |client, now| client.eval(now, code))
            .await
    }

    /// Evaluates a file that is on the server's side.
    pub async fn load_file(&self, path: impl Into<String>) -> Result<Reply, ClientError> {
        let path = path.into();
        self.request(move |client, now| client.load_file(now, &path))
            .await
    }

    /// Evaluates a source whose output is wanted while it runs.
    pub fn start(&self, code: impl Into<String>) -> Result<Evaluation, ClientError> {
        let code = code.into();
        self.begin(move |client, now| client.eval_live(now, code))
    }

    /// Evaluates a file that is on the server's side, whose output is wanted while it runs.
    pub fn start_file(&self, path: impl Into<String>) -> Result<Evaluation, ClientError> {
        let path = path.into();
        self.begin(move |client, now| client.load_file_live(now, &path))
    }

    /// What the server is and can do: [`Reply::data`].
    pub async fn describe(&self) -> Result<Reply, ClientError> {
        self.request(|client, now| client.describe(now)).await
    }

    /// Interrupts what this session runs.
    pub async fn interrupt(&self) -> Result<Reply, ClientError> {
        self.request(|client, now| client.interrupt(now, None))
            .await
    }

    /// Interrupts what another session runs: the evaluation with that id, or the one that runs.
    pub async fn interrupt_session(
        &self,
        session: impl Into<String>,
        id: Option<String>,
    ) -> Result<Reply, ClientError> {
        let session = session.into();
        self.request(move |client, now| client.interrupt_session(now, &session, id.as_deref()))
            .await
    }

    async fn authorize(&self, token: String) -> Result<(), ClientError> {
        let reply = self
            .request(move |client, now| client.authorize(now, &token))
            .await?;
        match reply.outcome {
            ReplyOutcome::Refused(why) => Err(ClientError::Unauthorized { why }),
            _ => Ok(()),
        }
    }

    async fn request(&self, make: impl Make) -> Result<Reply, ClientError> {
        let Some(local) = &self.commands.local else {
            return self.commands.request(Box::new(make), None)?.wait().await;
        };
        // Whoever evaluates in a loop still lets other tasks run.
        consume_budget().await;
        match local.ask(make) {
            Asked::Answered(reply) => reply,
            Asked::Begun(request, answered) => self.commands.begun(request, answered)?.wait().await,
            Asked::NotNow(make) => self.commands.request(Box::new(make), None)?.wait().await,
        }
    }

    fn begin(&self, make: impl Make) -> Result<Evaluation, ClientError> {
        let (sender, output) = mpsc::channel(OUTPUTS_WAITING);
        let pending = self.commands.request(Box::new(make), Some(sender))?;
        Ok(Evaluation { pending, output })
    }
}

async fn open(address: &Address, options: &ClientOptions) -> io::Result<Transport> {
    match address {
        Address::Tcp(host) => {
            let host = if host.starts_with(':') {
                format!("127.0.0.1{host}")
            } else {
                host.clone()
            };
            Transport::tcp(TcpStream::connect(host).await?)
        }
        #[cfg(unix)]
        Address::Unix(path) => Ok(Transport::bytes(
            tokio::net::UnixStream::connect(path).await?,
        )),
        Address::WebSocket(url) => {
            let config = Some(websocket_config(options.message_limit));
            let (socket, _) = connect_async_with_config(url, config, true)
                .await
                .map_err(io::Error::other)?;
            Ok(Transport::websocket(socket, options.encoding))
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Pieces of output that wait for whoever takes them.
const OUTPUTS_WAITING: usize = 64;
