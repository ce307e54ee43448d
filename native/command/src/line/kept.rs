//! A connection that the commands of a chain use one after the other.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use flylead_native::link::Link;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    time::timeout,
};

/// The connection, from the time a command has opened it until it is lost.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(Arc<Mutex<Option<Link>>>);

impl Kept {
    /// Lends the connection to one command, which leaves it open.
    pub(crate) fn lend(&self) -> Option<Link> {
        self.locked().as_ref().map(|link| self.lent(link))
    }

    fn lent(&self, link: &Link) -> Link {
        let controls = link.controls();
        let is_text_only = link.is_text_only();
        let lent = Link::new(Lent(self.clone()));
        let lent = match controls {
            Some(controls) => lent.with_controls(controls),
            None => lent,
        };
        match is_text_only {
            true => lent.text_only(),
            false => lent,
        }
    }

    /// Keeps a connection, replacing an earlier one, and lends it.
    pub(crate) fn keep(&self, link: Link) -> Link {
        let lent = self.lent(&link);
        *self.locked() = Some(link);
        lent
    }

    /// Closes the connection, if there is one.
    pub(crate) async fn close(&self) {
        let link = self.locked().take();
        if let Some(mut link) = link {
            // A connection that accepts nothing more is closed by dropping it.
            let _ = timeout(CLOSE_TIMEOUT, link.shutdown()).await;
        }
    }

    fn locked(&self) -> MutexGuard<'_, Option<Link>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acts on the connection, which is dropped as soon as that fails.
    fn poll<T>(
        &self,
        nothing: io::Result<T>,
        act: impl FnOnce(Pin<&mut Link>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut kept = self.locked();
        let Some(link) = kept.as_mut() else {
            return Poll::Ready(nothing);
        };
        let done = act(Pin::new(link));
        if matches!(done, Poll::Ready(Err(_))) {
            *kept = None;
        }
        done
    }
}

/// The kept connection, lent to one command.
struct Lent(Kept);

impl AsyncRead for Lent {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = self.0.poll(Ok(()), |link| link.poll_read(context, buffer));
        if matches!(read, Poll::Ready(Ok(()))) && buffer.filled().len() == before {
            // The board is gone: the next command reconnects.
            *self.0.locked() = None;
        }
        read
    }
}

impl AsyncWrite for Lent {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let closed = Err(io::ErrorKind::BrokenPipe.into());
        self.0.poll(closed, |link| link.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll(Ok(()), |link| link.poll_flush(context))
    }

    /// Flushes the connection, which itself stays open.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
