//! WebSockets, and the password of MicroPython's WebREPL; `webrepl.md` beside this file describes what is spoken.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_util::{Sink as _, Stream as _};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{
        Bytes, Error, Message,
        protocol::{
            WebSocketConfig,
            frame::{
                Frame,
                coding::{Data, OpCode},
            },
        },
    },
};

use crate::link::{
    address::{Address, Secret},
    error::OpenError,
    stream::Link,
};

/// WebSocket as a byte stream: the contents of its text and binary messages in order.
struct WebSocket {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    unread: Bytes,
    unsent: bool,
    is_webrepl: bool,
}

/// Connects, and sends the password if one is given.
pub(in crate::link) async fn open(url: &str, password: Option<&Secret>) -> Result<Link, OpenError> {
    let address = || Address::WebSocket {
        url: url.to_owned(),
        password: None,
    };
    let config = WebSocketConfig::default().max_message_size(Some(MESSAGE_LIMIT));
    let connecting = connect_async_with_config(url, Some(config), true);
    let (socket, _response) = connecting
        .await
        .map_err(|error| OpenError::from_io(address(), to_io(error)))?;
    let mut stream = WebSocket {
        socket,
        unread: Bytes::new(),
        unsent: false,
        is_webrepl: password.is_some(),
    };
    stream
        .log_in(password)
        .await
        .map_err(|refusal| refusal.at(address()))?;
    Ok(match stream.is_webrepl {
        true => Link::new(stream).text_only(),
        false => Link::new(stream),
    })
}

/// Reason why a login failed, without the address.
enum Refusal {
    Wanted,
    Denied,
    NotAsked,
    Io(io::Error),
}

impl WebSocket {
    /// Logs in. WebREPL requests a password before anything else. Other servers request nothing, and may stay silent.
    async fn log_in(&mut self, password: Option<&Secret>) -> Result<(), Refusal> {
        match password {
            Some(password) => {
                let asked = self.listen_for(&[PROMPT], &mut Vec::new()).await?;
                asked.ok_or(Refusal::NotAsked)?;
                self.answer(password).await
            }
            None => match self.is_asked().await? {
                true => Err(Refusal::Wanted),
                false => Ok(()),
            },
        }
    }

    async fn answer(&mut self, password: &Secret) -> Result<(), Refusal> {
        self.write_all(format!("{}\r", password.0).as_bytes())
            .await?;
        let mut heard = Vec::new();
        match self.listen_for(&[CONNECTED, DENIED], &mut heard).await? {
            Some(CONNECTED) => Ok(()),
            Some(_) | None => Err(Refusal::Denied),
        }
    }

    /// Returns true if the peer requests a password at once. Its other output stays unread.
    async fn is_asked(&mut self) -> io::Result<bool> {
        let mut heard = Vec::new();
        let waiting = timeout(GREETING_TIMEOUT, self.listen_for(&[PROMPT], &mut heard));
        let asked = waiting.await.unwrap_or(Ok(None))?.is_some();
        if !asked {
            heard.extend_from_slice(&self.unread);
            self.unread = heard.into();
        }
        Ok(asked)
    }

    /// Waits for one of `words`, and returns it; `None` if the peer closes or sends too much else.
    async fn listen_for<'a>(
        &mut self,
        words: &[&'a str],
        heard: &mut Vec<u8>,
    ) -> io::Result<Option<&'a str>> {
        let mut chunk = [0; 256];
        while heard.len() < GREETING_LIMIT {
            match self.read(&mut chunk).await? {
                0 => return Ok(None),
                length => heard.extend_from_slice(&chunk[..length]),
            }
            let text = String::from_utf8_lossy(heard);
            if let Some(word) = words.iter().find(|word| text.contains(**word)) {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }

    fn poll_next_message(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        loop {
            match ready!(Pin::new(&mut self.socket).poll_next(context)) {
                Some(Ok(Message::Text(text))) => return Poll::Ready(Ok(text.into())),
                Some(Ok(Message::Binary(bytes))) => return Poll::Ready(Ok(bytes)),
                Some(Ok(Message::Close(Some(close)))) if !close.reason.is_empty() => {
                    let reason = close.reason.as_str();
                    return Poll::Ready(Err(io::Error::other(format!("it says: {reason}"))));
                }
                Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed)) | None => {
                    return Poll::Ready(Ok(Bytes::new()));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Poll::Ready(Err(to_io(error))),
            }
        }
    }

    /// Sends bytes that a slow connection held back.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.unsent {
            ready!(Pin::new(&mut self.socket).poll_flush(context)).map_err(to_io)?;
            self.unsent = false;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for WebSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // A reader usually waits for an answer to written bytes.
        let _ = self.poll_send(context)?;
        while self.unread.is_empty() {
            let message = ready!(self.poll_next_message(context))?;
            if message.is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.unread = message;
        }
        let length = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for WebSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_send(context))?;
        // WebREPL treats binary messages as files. Its text need not be UTF-8, and may be cut anywhere.
        let (kind, limit) = match self.is_webrepl {
            true => (Data::Text, WEBREPL_LIMIT),
            false => (Data::Binary, MESSAGE_LIMIT),
        };
        let length = bytes.len().min(limit);
        ready!(Pin::new(&mut self.socket).poll_ready(context)).map_err(to_io)?;
        let piece = Bytes::copy_from_slice(&bytes[..length]);
        let frame = Frame::message(piece, OpCode::Data(kind), true);
        Pin::new(&mut self.socket)
            .start_send(Message::Frame(frame))
            .map_err(to_io)?;
        self.unsent = true;
        let _ = self.poll_send(context)?;
        Poll::Ready(Ok(length))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_send(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket)
            .poll_close(context)
            .map_err(to_io)
    }
}

impl Refusal {
    fn at(self, address: Address) -> OpenError {
        match self {
            Self::Wanted => OpenError::PasswordWanted { address },
            Self::Denied => OpenError::PasswordDenied { address },
            Self::NotAsked => OpenError::NoLogin { address },
            Self::Io(error) => OpenError::from_io(address, error),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn to_io(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

const PROMPT: &str = "Password:";
const CONNECTED: &str = "WebREPL connected";
const DENIED: &str = "Access denied";

/// Time that a server has to request a password; WebREPL does so at once.
const GREETING_TIMEOUT: Duration = Duration::from_millis(500);
/// Limit of a server's output before its password request, in bytes.
const GREETING_LIMIT: usize = 4096;
/// Size limit of a message in either direction, in bytes.
const MESSAGE_LIMIT: usize = 1024 * 1024;
/// Size limit of a message to a WebREPL, in bytes: its input buffer loses bytes beyond 255.
const WEBREPL_LIMIT: usize = 128;
