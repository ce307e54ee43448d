//! An open byte stream to a peer.

use std::{
    fmt, io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::transport::controls::LinkControls;

/// Open byte stream to a peer.
///
/// Reads may split anywhere, and return nothing more once the peer is gone. Dropping it closes it: a serial port
/// becomes available to others again, and a child process is killed with everything it started.
pub struct Link {
    stream: Pin<Box<dyn Stream>>,
    text_only: bool,
    controls: Option<LinkControls>,
}

/// Requirements on the stream below a [`Link`].
trait Stream: AsyncRead + AsyncWrite + Send {}

impl<S: AsyncRead + AsyncWrite + Send> Stream for S {}

impl Link {
    /// Wraps any byte stream.
    pub fn new(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        Self {
            stream: Box::pin(stream),
            text_only: false,
            controls: None,
        }
    }

    /// Adds controls of the serial line.
    #[must_use]
    pub fn with_controls(self, controls: LinkControls) -> Self {
        Self {
            controls: Some(controls),
            ..self
        }
    }

    /// Returns the controls of the serial line at the other end, if it has one.
    #[must_use]
    pub fn controls(&self) -> Option<LinkControls> {
        self.controls.clone()
    }

    /// Marks the link as text-only: bytes of a file must be encoded as text.
    #[must_use]
    pub fn text_only(self) -> Self {
        Self {
            text_only: true,
            ..self
        }
    }

    /// Returns true if the link carries only text.
    #[must_use]
    pub const fn is_text_only(&self) -> bool {
        self.text_only
    }
}

impl AsyncRead for Link {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(context, buffer)
    }
}

impl AsyncWrite for Link {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Link")
    }
}
