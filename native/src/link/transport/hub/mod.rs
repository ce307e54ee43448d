//! A link to a board of a [hub](crate::hub).

pub(crate) mod door;
pub(crate) mod folder;
pub(crate) mod keys;
pub(crate) mod wire;

use std::{
    collections::VecDeque,
    io,
    path::Path,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    time,
};

use self::{
    door::Stream,
    wire::{Frames, FromClient, FromHub, Hello, VERSION},
};
use super::buffers;
use crate::link::{
    address::Address,
    error::OpenError,
    options::{NewsListener, Options},
    stream::Link,
    turn::{BoardUse, Mode, News, Use},
};

/// Answer of this user's hubs about a board.
pub(in crate::link) enum Asked {
    /// A hub owns the board.
    Opened(Link),
    /// No hub owns the board.
    Nobody,
    /// A hub is there, and has not answered: it is busy, or it hangs.
    Slow,
}

/// Opens a board through the hub that owns it, and waits for the turn if one is requested.
///
/// `names` returns the names by which a hub may know the board. It lists the serial ports, so it is only called if a
/// hub exists.
pub(in crate::link) async fn open(
    address: &Address,
    names: impl FnOnce() -> Vec<String>,
    options: &Options,
) -> Result<Asked, OpenError> {
    let doors = folder::doors();
    if doors.is_empty() {
        return Ok(Asked::Nobody);
    }
    let hello = FromClient::Hello(Hello {
        version: VERSION,
        addresses: names(),
        ask: options.ask.clone(),
    });
    let mut is_slow = false;
    for path in doors {
        let asked = time::timeout(HUB_TIMEOUT, Port::ask(&path, &hello)).await;
        is_slow |= asked.is_err();
        // A hub that is gone, hangs or has another version cannot help.
        let Ok(Ok(Some(mut port))) = asked else {
            continue;
        };
        port.listener.clone_from(&options.news);
        if options.ask.mode != Mode::Shared {
            port.wait_for_turn(address, options.turn_within).await?;
        }
        return Ok(Asked::Opened(Link::new(port)));
    }
    Ok(match is_slow {
        true => Asked::Slow,
        false => Asked::Nobody,
    })
}

/// Returns the boards of all hubs of this user, with their uses. A hub that does not answer in time is left out.
pub(in crate::link) async fn shared() -> Vec<BoardUse> {
    let mut boards = Vec::new();
    for path in folder::doors() {
        let listed = time::timeout(HUB_TIMEOUT, Port::list(&path)).await;
        boards.extend(listed.into_iter().flatten().flatten());
    }
    boards
}

/// Client's end of a connection to a hub.
struct Port {
    stream: Stream,
    frames: Frames,
    /// Framed bytes that the socket has not taken yet.
    unsent: VecDeque<u8>,
    /// Bytes from the board that were not read yet.
    unread: VecDeque<u8>,
    listener: Option<NewsListener>,
    has_left: bool,
}

impl Port {
    /// Asks one hub for the board; returns `None` if it has no board with such an address.
    async fn ask(path: &Path, hello: &FromClient) -> io::Result<Option<Self>> {
        let mut port = Self::enter(path, hello).await?;
        let is_open = matches!(port.next().await?, FromHub::Opened);
        Ok(is_open.then_some(port))
    }

    /// Asks one hub for all of its boards.
    async fn list(path: &Path) -> io::Result<Vec<BoardUse>> {
        let mut port = Self::enter(path, &FromClient::List).await?;
        let mut boards = Vec::new();
        loop {
            match port.next().await {
                Ok(FromHub::Board(board)) => boards.push(board),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(boards),
                Err(error) => return Err(error),
            }
        }
    }

    async fn enter(path: &Path, first: &FromClient) -> io::Result<Self> {
        let mut port = Self {
            stream: door::enter(path).await?,
            frames: Frames::default(),
            unsent: VecDeque::new(),
            unread: VecDeque::new(),
            listener: None,
            has_left: false,
        };
        port.stream.write_all(&first.encode()).await?;
        Ok(port)
    }

    async fn wait_for_turn(
        &mut self,
        address: &Address,
        within: Option<Duration>,
    ) -> Result<(), OpenError> {
        let mut by = None;
        let waiting = self.wait(address, &mut by);
        let Some(within) = within else {
            return waiting.await;
        };
        let waited = time::timeout(within, waiting).await;
        waited.unwrap_or_else(|_| {
            let address = address.clone();
            Err(match by {
                Some(by) => OpenError::InUse { address, by },
                None => OpenError::TimedOut {
                    address,
                    after: within,
                },
            })
        })
    }

    /// Waits for the turn, and records who has it meanwhile.
    async fn wait(&mut self, address: &Address, has_it: &mut Option<Use>) -> Result<(), OpenError> {
        loop {
            let next = self.next().await;
            let next = next.map_err(|source| OpenError::Io {
                address: address.clone(),
                source,
            })?;
            match next {
                FromHub::News(News::Turn) => return Ok(()),
                FromHub::News(News::InUse(by)) => {
                    let address = address.clone();
                    return Err(OpenError::InUse { address, by });
                }
                FromHub::News(News::Away { why }) => {
                    let address = address.clone();
                    return Err(OpenError::Away { address, why });
                }
                FromHub::News(news) => {
                    if let News::Waiting(by) = &news {
                        *has_it = Some(by.clone());
                    }
                    self.tell(&news);
                }
                FromHub::Opened | FromHub::NotMine | FromHub::Bytes(_) | FromHub::Board(_) => {}
            }
        }
    }

    async fn next(&mut self) -> io::Result<FromHub> {
        loop {
            if let Some(frame) = self.frames.next()? {
                return FromHub::decode(frame);
            }
            let mut chunk = [0; CHUNK];
            match self.stream.read(&mut chunk).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length => self.frames.push(&chunk[..length]),
            }
        }
    }

    fn tell(&self, news: &News) {
        if let Some(listener) = &self.listener {
            listener(news);
        }
    }

    fn take_frames(&mut self) -> io::Result<()> {
        while let Some(frame) = self.frames.next()? {
            match FromHub::decode(frame)? {
                FromHub::Bytes(bytes) => self.unread.extend(bytes),
                FromHub::News(news) => self.tell(&news),
                FromHub::Opened | FromHub::NotMine | FromHub::Board(_) => {}
            }
        }
        Ok(())
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        buffers::poll_send(&mut self.stream, &mut self.unsent, context)
    }
}

impl AsyncRead for Port {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.take_frames()?;
        while self.unread.is_empty() {
            let mut chunk = [0; CHUNK];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.frames.push(read.filled());
            self.take_frames()?;
        }
        buffers::read(&mut self.unread, buffer);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Port {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_send(context))?;
        let piece = &bytes[..bytes.len().min(CHUNK)];
        self.unsent
            .extend(FromClient::Bytes(piece.to_vec()).encode());
        // Bytes that the socket does not take now go with the next write or flush.
        let _ = self.poll_send(context)?;
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_send(context)
    }

    /// Tells the hub that the board is left as it is: a client that closes without this counts as vanished.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.has_left {
            self.has_left = true;
            self.unsent.extend(FromClient::Leave.encode());
        }
        ready!(self.poll_send(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Time that a hub has to report whether it has a board.
const HUB_TIMEOUT: Duration = Duration::from_secs(2);
const CHUNK: usize = 16 * 1024;
