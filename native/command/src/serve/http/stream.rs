//! A connection that closes if its client stops taking data.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Weak,
    task::{Context, Poll},
    time::Duration,
};

use flylead_native::places::Place;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use super::Work;

/// Closes a connection whose client takes nothing for [`SEND_TIMEOUT`].
pub(super) struct Patient<S> {
    stream: S,
    work: Work,
    place: Weak<Place>,
    /// Time limit for the client to take data; `None` while it has taken all.
    late: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S, work: Work, place: Weak<Place>) -> Self {
        Self {
            stream,
            work,
            place,
            late: None,
        }
    }

    fn touch(&self) {
        if let Some(place) = self.place.upgrade() {
            place.touch();
        }
    }

    /// Records the result of sending, and fails if the time limit has passed.
    fn sent<T>(
        &mut self,
        context: &mut Context<'_>,
        sent: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if sent.is_ready() {
            if self.late.take().is_some() {
                self.work.waits_for_client(false);
            }
            self.touch();
            return sent;
        }
        self.work.waits_for_client(true);
        let late = self
            .late
            .get_or_insert_with(|| Box::pin(sleep(SEND_TIMEOUT)));
        late.as_mut()
            .poll(context)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.touch();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.sent(context, sent)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.sent(context, sent)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Flushes the socket, which has nothing to flush, and applies the time limit while the client still has to take
    /// data.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Time that a client may refuse data.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::Instant,
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up_and_a_slow_one_is_not() {
        let (here, mut there) = duplex(4);
        let mut stream = Patient::new(here, Work::default(), Weak::new());
        let reading = tokio::spawn(async move {
            for _ in 0..3 {
                sleep(SEND_TIMEOUT * 9 / 10).await;
                there.read_exact(&mut [0; 4]).await.unwrap();
            }
            there
        });
        stream.write_all(&[7; 16]).await.unwrap();
        let _there = reading.await.unwrap();
        let since = Instant::now();
        let error = stream.write_all(b"x").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(since.elapsed().as_secs(), SEND_TIMEOUT.as_secs());
    }
}
