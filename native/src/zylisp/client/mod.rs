//! A client for every transport.

use std::{
    collections::{HashMap, VecDeque},
    fmt, io,
    time::Duration,
};

use flylead_core::{
    Input, Instant, Pump,
    zylisp::{
        Address, ClientEvent, Encoding, MalformedReason, Reply, ReplyOutcome, RequestError,
        RequestId, ZylispClient,
    },
};
use tokio::{
    net::TcpStream,
    sync::{mpsc, oneshot},
    time,
};
use tokio_tungstenite::connect_async_with_config;

use super::{
    server::{Server, ServerConfig},
    transport::{Transport, websocket_config},
};

/// A connection to a server: a session with an environment of its own.
///
/// Every method can be called while others wait. Dropping the future of one gives its request up: the server is asked
/// to interrupt it.
#[derive(Debug, Clone)]
pub struct Client {
    commands: mpsc::UnboundedSender<Command>,
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

/// Why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// Nothing answers at that address.
    Connect {
        /// The address.
        address: Address,
        /// Why.
        error: io::Error,
    },
    /// The server refused the token, or wants one.
    Unauthorized {
        /// In its own words.
        why: String,
    },
    /// The connection ended before the reply. An original Go server ends it when it cannot encode a value.
    Lost,
    /// What comes from the server cannot be read: it encodes messages otherwise, or is no such server.
    Unreadable {
        /// Why.
        reason: MalformedReason,
    },
}

type Make = Box<dyn FnOnce(&mut ZylispClient, Instant) -> Result<RequestId, RequestError> + Send>;
type Answer = oneshot::Sender<Result<Reply, ClientError>>;
type Output = mpsc::Sender<String>;

enum Command {
    Request {
        make: Make,
        made: oneshot::Sender<RequestId>,
        answer: Answer,
        output: Option<Output>,
    },
    Cancel(RequestId),
}

impl Client {
    /// Connects to a server. An in-process address starts one of its own, which ends with the connection.
    pub async fn connect(address: &Address) -> Result<Self, ClientError> {
        Self::connect_with(address, ClientOptions::default()).await
    }

    /// The same, with options.
    pub async fn connect_with(
        address: &Address,
        options: ClientOptions,
    ) -> Result<Self, ClientError> {
        let connecting = time::timeout(options.connect_timeout, open(address, &options));
        let opened = connecting
            .await
            .unwrap_or_else(|elapsed| Err(elapsed.into()));
        let (transport, server) = opened.map_err(|error| ClientError::Connect {
            address: address.clone(),
            error,
        })?;
        let (commands, received) = mpsc::unbounded_channel();
        let machine = ZylispClient::new(options.encoding, options.message_limit);
        tokio::spawn(async move {
            Conversation::new(transport, machine).run(received).await;
            drop(server);
        });
        let client = Self { commands };
        if let Some(token) = options.token {
            client.authorize(token).await?;
        }
        Ok(client)
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

    async fn request(
        &self,
        make: impl FnOnce(&mut ZylispClient, Instant) -> Result<RequestId, RequestError>
        + Send
        + 'static,
    ) -> Result<Reply, ClientError> {
        self.send(Box::new(make), None)?.wait().await
    }

    fn begin(
        &self,
        make: impl FnOnce(&mut ZylispClient, Instant) -> Result<RequestId, RequestError>
        + Send
        + 'static,
    ) -> Result<Evaluation, ClientError> {
        let (sender, output) = mpsc::channel(OUTPUTS_WAITING);
        let pending = self.send(Box::new(make), Some(sender))?;
        Ok(Evaluation { pending, output })
    }

    fn send(&self, make: Make, output: Option<Output>) -> Result<Pending, ClientError> {
        let (made, request) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        let command = Command::Request {
            make,
            made,
            answer,
            output,
        };
        self.commands.send(command).map_err(|_| ClientError::Lost)?;
        Ok(Pending {
            answered,
            cancel: CancelOnDrop {
                commands: self.commands.clone(),
                request: Some(request),
            },
        })
    }
}

/// A source that is evaluated, with its output live. Dropping it gives it up: the server is asked to interrupt it.
///
/// Output that nobody takes holds the connection up, and with it the server: take it, or use
/// [`Client::eval`], whose output comes with the reply.
#[derive(Debug)]
pub struct Evaluation {
    pending: Pending,
    output: mpsc::Receiver<String>,
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
struct Pending {
    answered: oneshot::Receiver<Result<Reply, ClientError>>,
    cancel: CancelOnDrop,
}

impl Pending {
    async fn wait(&mut self) -> Result<Reply, ClientError> {
        let reply = (&mut self.answered).await;
        self.cancel.request = None;
        reply.unwrap_or(Err(ClientError::Lost))
    }
}

/// Gives a request up when whoever waits for it stops waiting.
#[derive(Debug)]
struct CancelOnDrop {
    commands: mpsc::UnboundedSender<Command>,
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

async fn open(
    address: &Address,
    options: &ClientOptions,
) -> io::Result<(Transport, Option<Server>)> {
    match address {
        Address::InProcess => in_process(options.encoding).await,
        Address::Tcp(host) => {
            let host = if host.starts_with(':') {
                format!("127.0.0.1{host}")
            } else {
                host.clone()
            };
            Ok((Transport::tcp(TcpStream::connect(host).await?)?, None))
        }
        #[cfg(unix)]
        Address::Unix(path) => Ok((
            Transport::bytes(tokio::net::UnixStream::connect(path).await?),
            None,
        )),
        Address::WebSocket(url) => {
            let config = Some(websocket_config(options.message_limit));
            let (socket, _) = connect_async_with_config(url, config, true)
                .await
                .map_err(io::Error::other)?;
            Ok((Transport::websocket(socket, options.encoding), None))
        }
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

async fn in_process(encoding: Encoding) -> io::Result<(Transport, Option<Server>)> {
    let mut config = ServerConfig::at([]).map_err(io::Error::other)?;
    config.encoding = encoding;
    let mut server = Server::bind(config).await.map_err(io::Error::other)?;
    let stream = server.connect();
    Ok((Transport::bytes(stream), Some(server)))
}

/// The task that owns the connection.
struct Conversation {
    transport: Transport,
    pump: Pump<ZylispClient>,
    waiting: HashMap<RequestId, Waiting>,
    /// Output for which its reader had no room. Until it has, nothing more is read from the server.
    held_up: VecDeque<(Output, String)>,
    started: time::Instant,
    lost: bool,
}

/// Who waits for a reply, and for the output before it.
struct Waiting {
    answer: Answer,
    output: Option<Output>,
}

impl Conversation {
    fn new(transport: Transport, machine: ZylispClient) -> Self {
        Self {
            transport,
            pump: Pump::new(machine),
            waiting: HashMap::new(),
            held_up: VecDeque::new(),
            started: time::Instant::now(),
            lost: false,
        }
    }

    async fn run(mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        let mut chunk = Vec::new();
        while !self.lost {
            tokio::select! {
                received = self.transport.receive(&mut chunk), if self.held_up.is_empty() => {
                    self.received(received, &chunk);
                }
                () = deliver(&mut self.held_up), if !self.held_up.is_empty() => {}
                command = commands.recv() => match command {
                    Some(command) => self.commands(command, &mut commands),
                    None => break,
                },
            }
            let bytes = self.pump.take_transmit();
            if !bytes.is_empty() && self.transport.send(&bytes).await.is_err() {
                break;
            }
        }
        self.transport.close().await;
    }

    /// Takes every command that waits, so that they share a write.
    fn commands(&mut self, first: Command, commands: &mut mpsc::UnboundedReceiver<Command>) {
        let mut next = Some(first);
        while let Some(command) = next {
            self.command(command);
            next = commands.try_recv().ok();
        }
    }

    fn command(&mut self, command: Command) {
        let now = self.now();
        match command {
            Command::Request {
                make,
                made,
                answer,
                output,
            } => {
                if let Ok(request) = self.pump.command(|client| make(client, now)) {
                    self.waiting.insert(request, Waiting { answer, output });
                    if made.send(request).is_err() {
                        self.cancel(request);
                    }
                }
            }
            Command::Cancel(request) => self.cancel(request),
        }
    }

    fn cancel(&mut self, request: RequestId) {
        let now = self.now();
        self.waiting.remove(&request);
        self.pump.command(|client| client.cancel(now, request));
    }

    fn received(&mut self, received: io::Result<()>, chunk: &[u8]) {
        let input = match received {
            Ok(()) if !chunk.is_empty() => Input::Bytes(chunk),
            _ => Input::Closed,
        };
        self.pump.handle_input(self.now(), input);
        while let Some(event) = self.pump.poll_event() {
            self.event(event);
        }
    }

    fn event(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Output { request, output } => self.output(request, output),
            ClientEvent::Reply(reply) => {
                if let Some(waiting) = self.waiting.remove(&reply.request) {
                    // Whoever asked may have stopped waiting.
                    let _ = waiting.answer.send(Ok(reply));
                }
            }
            ClientEvent::Malformed(reason) => self.unreadable(&reason),
            ClientEvent::Lost { .. } => self.lost = true,
            _ => {}
        }
    }

    fn output(&mut self, request: RequestId, output: String) {
        let waiting = self.waiting.get(&request);
        if let Some(sender) = waiting.and_then(|waiting| waiting.output.as_ref()) {
            self.held_up.push_back((sender.clone(), output));
        }
    }

    /// A server that cannot be understood will not be understood later either.
    fn unreadable(&mut self, reason: &MalformedReason) {
        self.lost = true;
        for (_, waiting) in self.waiting.drain() {
            let reason = reason.clone();
            // Whoever asked may have stopped waiting.
            let _ = waiting.answer.send(Err(ClientError::Unreadable { reason }));
        }
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }
}

/// Hands out one piece of output, as soon as there is room for it. Cancel safe.
async fn deliver(held_up: &mut VecDeque<(Output, String)>) {
    if let Some((sender, _)) = held_up.front() {
        let room = sender.clone().reserve_owned().await;
        if let (Some((_, output)), Ok(room)) = (held_up.pop_front(), room) {
            room.send(output);
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect { address, error } => write!(f, "cannot connect to {address}: {error}"),
            Self::Unauthorized { why } => write!(f, "the server refuses: {why}"),
            Self::Lost => f.write_str("the connection to the server ended before it answered"),
            Self::Unreadable { reason } => write!(
                f,
                "the server sends what this client cannot read ({reason}); does it encode messages in the same way?"
            ),
        }
    }
}

impl std::error::Error for ClientError {}

/// Pieces of output that wait for whoever takes them.
const OUTPUTS_WAITING: usize = 64;
