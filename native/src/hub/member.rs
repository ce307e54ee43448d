//! A tool as seen by the board that it uses, and the board as seen by the tool.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use flylead_core::rfc2217::Message;
use tokio::sync::{mpsc, oneshot};

use super::status::Status;
use crate::link::turn::{Ask, News};

/// Connection of a tool to a board of a hub. A tool that drops it without [leaving](MemberWriter::leave) counts as
/// vanished.
#[derive(Debug)]
pub struct Member {
    /// Sending side.
    pub writer: MemberWriter,
    /// Receiving side.
    pub reader: MemberReader,
}

/// Half of a [`Member`] that sends.
#[derive(Debug)]
pub struct MemberWriter {
    id: u64,
    said: mpsc::Sender<Said>,
    requests: mpsc::Sender<Request>,
    is_busy: Arc<AtomicBool>,
}

/// Half of a [`Member`] that receives.
#[derive(Debug)]
pub struct MemberReader(mpsc::Receiver<Received>);

/// Data for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received {
    /// Output of the board; out of turn, the output of other tools' programs.
    Bytes(Vec<u8>),
    /// News about the turn.
    News(News),
}

/// Message of a tool.
#[derive(Debug)]
pub(super) enum Said {
    Bytes(Vec<u8>),
    /// Setting of the serial line, and the receiver of its result.
    Set(Message, oneshot::Sender<io::Result<()>>),
    Leave,
}

/// Request of a tool to the task.
#[derive(Debug)]
pub(super) enum Request {
    Seat(u64, Seat),
    /// A tool's inbox is not empty.
    Want(u64),
    /// Report the board's status.
    Status(oneshot::Sender<Status>),
}

/// The board's side of a tool.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) ask: Ask,
    pub(super) inbox: mpsc::Receiver<Said>,
    pub(super) outbox: mpsc::Sender<Received>,
    /// Line that the tool had half typed when its turn passed to another one.
    pub(super) draft: Vec<u8>,
    /// Number of bytes that were not shown because the tool did not read, and not reported to it yet.
    missed: u64,
    is_busy: Arc<AtomicBool>,
}

impl Seat {
    /// Shows an observer a copy of what another tool's program prints, or counts it as missed: neither the board nor the
    /// observer's place depends on its reading. Returns false if the tool has gone.
    pub(super) fn show(&mut self, copy: &[u8]) -> bool {
        if self.outbox.capacity() <= NEWS_ROOM {
            self.missed += copy.len() as u64;
            return !self.outbox.is_closed();
        }
        self.tell_missed();
        self.outbox.try_send(Received::Bytes(copy.to_vec())).is_ok()
    }

    /// Tells an observer of the bytes that were not shown.
    pub(super) fn tell_missed(&mut self) {
        let bytes = std::mem::take(&mut self.missed);
        if bytes > 0 {
            // A tool that has gone missed nothing.
            let _ = self.outbox.try_send(Received::News(News::Missed { bytes }));
        }
    }

    /// Records whether the tool is busy: it has its turn or waits for it.
    pub(super) fn set_busy(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::Relaxed);
    }
}

/// The hub has given up this board, or the board has given up this tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

/// Creates both sides of a new tool.
pub(super) fn pair(id: u64, ask: Ask, requests: mpsc::Sender<Request>) -> (Member, Seat) {
    let (said, inbox) = mpsc::channel(SAID_LIMIT);
    let (outbox, received) = mpsc::channel(RECEIVED_LIMIT);
    let is_busy = Arc::new(AtomicBool::new(false));
    let writer = MemberWriter {
        id,
        said,
        requests,
        is_busy: Arc::clone(&is_busy),
    };
    let reader = MemberReader(received);
    let seat = Seat {
        ask,
        inbox,
        outbox,
        draft: Vec::new(),
        missed: 0,
        is_busy,
    };
    (Member { writer, reader }, seat)
}

impl MemberWriter {
    /// Sends bytes to the board, once it is this tool's turn.
    ///
    /// # Errors
    /// The connection has closed.
    pub async fn write(&self, bytes: Vec<u8>) -> Result<(), Closed> {
        if bytes.len() <= PIECE_LIMIT {
            return self.say(Said::Bytes(bytes)).await;
        }
        for piece in bytes.chunks(PIECE_LIMIT) {
            self.say(Said::Bytes(piece.to_vec())).await?;
        }
        Ok(())
    }

    /// Changes a setting of the serial line, once it is this tool's turn, and waits for the result.
    ///
    /// # Errors
    /// The connection has closed; the inner error means that the link has no such setting, or that the system refuses
    /// it.
    pub async fn set(&self, setting: Message) -> Result<io::Result<()>, Closed> {
        let (done, is_done) = oneshot::channel();
        self.say(Said::Set(setting, done)).await?;
        is_done.await.map_err(|_| Closed)
    }

    /// Releases the board as it is, after all data sent before.
    ///
    /// # Errors
    /// The connection has closed.
    pub async fn leave(&self) -> Result<(), Closed> {
        self.say(Said::Leave).await
    }

    /// Returns a flag that is set while this tool has its turn or waits for it.
    pub(super) fn is_busy(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_busy)
    }

    /// Sends a message. The board looks into a tool's inbox only when the tool wants a turn, so it is notified after
    /// the inbox was filled.
    async fn say(&self, said: Said) -> Result<(), Closed> {
        self.said.send(said).await.map_err(|_| Closed)?;
        let want = Request::Want(self.id);
        self.requests.send(want).await.map_err(|_| Closed)
    }
}

impl MemberReader {
    /// Returns the next message, or `None` once the connection has closed. Cancel safe.
    pub async fn next(&mut self) -> Option<Received> {
        self.0.recv().await
    }
}

/// Size limit of a message from a tool, in bytes. Longer ones are divided, so that the queue is bounded in bytes too.
const PIECE_LIMIT: usize = 16 * 1024;
/// Limit of messages that a tool may send before the board takes the first.
const SAID_LIMIT: usize = 8;
/// Limit of messages that a tool may leave unread. An observer that exceeds it misses what follows; for the holder of the
/// turn, the board waits.
const RECEIVED_LIMIT: usize = 64;
/// Part of that limit which output for observers leaves free, for news.
const NEWS_ROOM: usize = 16;
