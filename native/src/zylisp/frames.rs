//! A WebSocket with one message in each frame, as a byte stream.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use flylead_core::zylisp::Encoding;
use futures_util::{Sink as _, Stream as _};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream,
    tungstenite::{Bytes, Error, Message as Frame, protocol::WebSocketConfig},
};

/// Stream of frames. Reads yield one frame after the other, in JSON each followed by a line end: a value that is cut
/// short ends with its frame. Writes send one frame for each complete message.
pub(super) struct Frames {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    encoding: Encoding,
    unread: Bytes,
    line_end: bool,
    /// Written data that is not a complete message yet.
    unsent: Vec<u8>,
}

impl Frames {
    pub(super) fn new(
        socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
        encoding: Encoding,
    ) -> Self {
        Self {
            socket,
            encoding,
            unread: Bytes::new(),
            line_end: false,
            unsent: Vec::new(),
        }
    }

    /// Waits for the next frame with content; `None` at the end.
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        loop {
            let frame = ready!(Pin::new(&mut self.socket).poll_next(context));
            let content = match frame.transpose().map_err(to_io)? {
                Some(Frame::Text(text)) => Bytes::from(text),
                Some(Frame::Binary(bytes)) => bytes,
                Some(Frame::Close(_)) | None => return Poll::Ready(Ok(None)),
                Some(_) => continue,
            };
            self.line_end = self.encoding.is_text();
            if !content.is_empty() || self.line_end {
                return Poll::Ready(Ok(Some(content)));
            }
        }
    }

    /// Sends the complete messages that were written.
    fn send_messages(&mut self) -> io::Result<()> {
        let mut sent = 0;
        for message in self.encoding.messages(&self.unsent) {
            let frame = match std::str::from_utf8(message) {
                Ok(text) if self.encoding.is_text() => Frame::text(text),
                _ => Frame::binary(message.to_vec()),
            };
            sent = message.as_ptr_range().end.addr() - self.unsent.as_ptr().addr();
            Pin::new(&mut self.socket)
                .start_send(frame)
                .map_err(to_io)?;
        }
        self.unsent.drain(..sent);
        if self.unsent.iter().all(u8::is_ascii_whitespace) {
            self.unsent.clear();
        }
        Ok(())
    }
}

impl AsyncRead for Frames {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_empty() && !self.line_end {
            match ready!(self.poll_frame(context))? {
                Some(content) => self.unread = content,
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread.split_to(length));
        if self.unread.is_empty() && self.line_end && buffer.remaining() > 0 {
            self.line_end = false;
            buffer.put_slice(b"\n");
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Frames {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(Pin::new(&mut self.socket).poll_ready(context)).map_err(to_io)?;
        self.unsent.extend_from_slice(bytes);
        self.send_messages()?;
        // A frame that is not sent completely now is sent by a later operation.
        let _ = Pin::new(&mut self.socket).poll_flush(context);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket)
            .poll_flush(context)
            .map_err(to_io)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket)
            .poll_close(context)
            .map_err(to_io)
    }
}

/// Returns the configuration for WebSocket frames of at most `limit` bytes.
pub(super) fn websocket_config(limit: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(limit + FRAME_SLACK))
        .max_frame_size(Some(limit + FRAME_SLACK))
}

fn to_io(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// Allowance in bytes for frames a little longer than the limit, which still arrive and are refused in the protocol's
/// own words.
const FRAME_SLACK: usize = 64 * 1024;
