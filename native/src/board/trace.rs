//! Records conversations in a file, in the format that the tests replay.

use std::{
    fs::File,
    io::{self, Write as _},
    path::Path,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
    time,
};

use flylead_core::{
    Instant,
    trace::{Record, Writer},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::link::Link;

/// File that records a conversation, immediately and with one line per event.
///
/// A trace that cannot be written ends; the conversation goes on.
#[derive(Debug, Clone)]
pub struct Trace(Arc<Mutex<Output>>);

#[derive(Debug)]
struct Output {
    file: Option<File>,
    writer: Writer,
    started: time::Instant,
}

impl Trace {
    /// Creates a new file, in place of an existing one.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(Output {
            file: Some(File::create(path)?),
            writer: Writer::new(Instant::START),
            started: time::Instant::now(),
        }))))
    }

    /// Records an event at the current time.
    pub fn record(&self, record: &Record) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .record(record);
    }

    /// Wraps a link, and records its bytes as they pass.
    #[must_use]
    pub fn wrap(&self, link: Link) -> Link {
        let text_only = link.is_text_only();
        let traced = Link::new(Traced {
            link,
            trace: self.clone(),
        });
        if text_only {
            traced.text_only()
        } else {
            traced
        }
    }
}

impl Output {
    fn record(&mut self, record: &Record) {
        let now = Instant::after_start(self.started.elapsed());
        let line = self.writer.line(now, record);
        if let Some(mut file) = self.file.take() {
            self.file = file.write_all(line.as_bytes()).is_ok().then_some(file);
        }
    }
}

struct Traced {
    link: Link,
    trace: Trace,
}

impl AsyncRead for Traced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.link).poll_read(context, buffer));
        self.trace.record(&match &buffer.filled()[before..] {
            [] => Record::Closed,
            bytes => Record::Received(bytes.to_vec()),
        });
        Poll::Ready(read)
    }
}

impl AsyncWrite for Traced {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.link).poll_write(context, bytes));
        if let Ok(length) = written {
            self.trace.record(&Record::Sent(bytes[..length].to_vec()));
        }
        Poll::Ready(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.link).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.link).poll_shutdown(context)
    }
}
