//! A tool, as the board that it uses sees it, and the board, as the tool does.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use flylead_core::rfc2217::Message;
use tokio::sync::{mpsc, oneshot};

use crate::link::turn::{Ask, News};

/// A tool's connection to a board of a hub. Dropping it without [leaving](MemberWriter::leave) counts as having vanished.
#[derive(Debug)]
pub struct Member {
    /// Sending side.
    pub writer: MemberWriter,
    /// Receiving side.
    pub reader: MemberReader,
}

/// The half that sends.
#[derive(Debug)]
pub struct MemberWriter {
    id: u64,
    said: mpsc::Sender<Said>,
    requests: mpsc::Sender<Request>,
    has_turn: Arc<AtomicBool>,
}

/// The half that receives.
#[derive(Debug)]
pub struct MemberReader(mpsc::Receiver<Received>);

/// Data for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received {
    /// The board's bytes; out of turn, what others' programs print.
    Bytes(Vec<u8>),
    /// News about the turn.
    News(News),
}

/// Message of a tool.
#[derive(Debug)]
pub(super) enum Said {
    Bytes(Vec<u8>),
    /// A setting of the serial line, and who waits to learn whether it was made.
    Set(Message, oneshot::Sender<io::Result<()>>),
    Leave,
}

/// Request of a tool to the task.
#[derive(Debug)]
pub(super) enum Request {
    Seat(u64, Seat),
    /// A tool's inbox has something in it.
    Want(u64),
}

/// The board's side of a tool.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) ask: Ask,
    pub(super) inbox: mpsc::Receiver<Said>,
    pub(super) outbox: mpsc::Sender<Received>,
    has_turn: Arc<AtomicBool>,
}

impl Seat {
    /// Notes that its turn begins or ends.
    pub(super) fn set_turn(&self, has_turn: bool) {
        self.has_turn.store(has_turn, Ordering::Relaxed);
    }
}

/// The hub has given up this board, or the board this tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

/// Both sides of a new tool.
pub(super) fn pair(id: u64, ask: Ask, requests: mpsc::Sender<Request>) -> (Member, Seat) {
    let (said, inbox) = mpsc::channel(SAID_LIMIT);
    let (outbox, received) = mpsc::channel(RECEIVED_LIMIT);
    let has_turn = Arc::new(AtomicBool::new(false));
    let writer = MemberWriter {
        id,
        said,
        requests,
        has_turn: Arc::clone(&has_turn),
    };
    let reader = MemberReader(received);
    let seat = Seat {
        ask,
        inbox,
        outbox,
        has_turn,
    };
    (Member { writer, reader }, seat)
}

impl MemberWriter {
    /// Sends bytes to the board, when it is this tool's turn.
    ///
    /// # Errors
    /// The connection has closed.
    pub async fn write(&self, bytes: Vec<u8>) -> Result<(), Closed> {
        self.say(Said::Bytes(bytes)).await
    }

    /// Sets the serial line, when it is this tool's turn, and waits until it is set.
    ///
    /// # Errors
    /// The connection is over; or inside, the link has no such setting, or the system refuses it.
    pub async fn set(&self, setting: Message) -> Result<io::Result<()>, Closed> {
        let (done, is_done) = oneshot::channel();
        self.say(Said::Set(setting, done)).await?;
        is_done.await.map_err(|_| Closed)
    }

    /// Gives up the board as it is, after what was sent.
    ///
    /// # Errors
    /// The connection is over already.
    pub async fn leave(&self) -> Result<(), Closed> {
        self.say(Said::Leave).await
    }

    /// True while this tool has its turn.
    pub(super) fn has_turn(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.has_turn)
    }

    /// The board looks into a tool's inbox only when it wants a turn, so it is told after there is something in it.
    async fn say(&self, said: Said) -> Result<(), Closed> {
        self.said.send(said).await.map_err(|_| Closed)?;
        let want = Request::Want(self.id);
        self.requests.send(want).await.map_err(|_| Closed)
    }
}

impl MemberReader {
    /// The next thing, or nothing when the connection has closed. Cancel safe.
    pub async fn next(&mut self) -> Option<Received> {
        self.0.recv().await
    }
}

/// Pieces that a tool may send before the board takes the first.
const SAID_LIMIT: usize = 8;
/// Pieces that a tool may leave unread. One that looks on and leaves more gets no more; for one that has its turn the board
/// waits.
const RECEIVED_LIMIT: usize = 64;
