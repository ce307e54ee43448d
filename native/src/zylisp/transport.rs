//! One open connection, whatever it goes over.

use std::{io, time::Duration};

use flylead_core::zylisp::Encoding;
use futures_util::{SinkExt, StreamExt};
use socket2::{SockRef, TcpKeepalive};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream,
    tungstenite::{Error as WebSocketError, Message as Frame, protocol::WebSocketConfig},
};

/// A byte stream, or a WebSocket with a message in each frame.
pub(super) enum Transport {
    Bytes(Box<dyn Bytes>),
    WebSocket {
        socket: Box<WebSocketStream<MaybeTlsStream<TcpStream>>>,
        encoding: Encoding,
    },
}

/// What a byte stream can do.
pub(super) trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Bytes for S {}

impl Transport {
    pub(super) fn bytes(stream: impl Bytes + 'static) -> Self {
        Self::Bytes(Box::new(stream))
    }

    pub(super) fn tcp(stream: TcpStream) -> io::Result<Self> {
        prepare(&stream)?;
        Ok(Self::bytes(stream))
    }

    pub(super) fn websocket(
        socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
        encoding: Encoding,
    ) -> Self {
        Self::WebSocket {
            socket: Box::new(socket),
            encoding,
        }
    }

    /// Puts what has arrived into `chunk`, in place of what was there; nothing at the end of the connection.
    ///
    /// Cancel safe: nothing is lost when this future is dropped.
    pub(super) async fn receive(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        chunk.clear();
        match self {
            Self::Bytes(stream) => {
                chunk.reserve(CHUNK);
                stream.read_buf(chunk).await?;
            }
            Self::WebSocket { socket, encoding } => {
                while chunk.is_empty() {
                    match socket.next().await {
                        Some(Ok(Frame::Text(text))) => chunk.extend_from_slice(text.as_bytes()),
                        Some(Ok(Frame::Binary(bytes))) => chunk.extend_from_slice(&bytes),
                        Some(Ok(Frame::Close(_))) | None => return Ok(()),
                        Some(Ok(_)) => {}
                        Some(Err(error)) => return Err(to_io(error)),
                    }
                }
                if encoding.is_text() {
                    // A frame is a message: whatever is cut short in it ends with it.
                    chunk.push(b'\n');
                }
            }
        }
        Ok(())
    }

    /// Sends whole messages. Not cancel safe: a dropped future may have sent half of one.
    pub(super) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Bytes(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
            Self::WebSocket { socket, encoding } => {
                for message in encoding.messages(bytes) {
                    socket
                        .feed(frame(*encoding, message))
                        .await
                        .map_err(to_io)?;
                }
                socket.flush().await.map_err(to_io)
            }
        }
    }

    /// Says goodbye.
    pub(super) async fn close(&mut self) {
        // Whoever does not hear it sees the connection end.
        let _ = match self {
            Self::Bytes(stream) => stream.shutdown().await,
            // The box is a sink itself, whose `close` is another one.
            Self::WebSocket { socket, .. } => (**socket).close(None).await.map_err(to_io),
        };
    }
}

/// Sets what a connection of short messages needs.
pub(super) fn prepare(stream: &TcpStream) -> io::Result<()> {
    // Each reply is one small write, the worst case for Nagle's delay.
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_AFTER)
        .with_interval(KEEPALIVE_EVERY);
    SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

/// WebSocket frames of at most `limit` bytes.
pub(super) fn websocket_config(limit: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(limit + FRAME_SLACK))
        .max_frame_size(Some(limit + FRAME_SLACK))
}

fn frame(encoding: Encoding, message: &[u8]) -> Frame {
    match std::str::from_utf8(message) {
        Ok(text) if encoding.is_text() => Frame::text(text),
        _ => Frame::binary(message.to_vec()),
    }
}

fn to_io(error: WebSocketError) -> io::Error {
    match error {
        WebSocketError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// A peer that is silent for so long is asked whether it is still there.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(60);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(15);

/// One read.
const CHUNK: usize = 16 * 1024;

/// Frames a little longer than the limit still arrive, and are refused in the protocol's own words.
const FRAME_SLACK: usize = 64 * 1024;
