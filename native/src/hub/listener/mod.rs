//! The hub's door for other commands of this user.

mod door;
mod tcp;

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use tokio::{
    io::{self as tokio_io, AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf},
    sync::Semaphore,
    time,
};

use super::{
    boards::Hub,
    member::{Member, MemberReader, MemberWriter, Received},
};
use crate::link::transport::hub::{
    door::Stream,
    folder,
    wire::{Frames, FromClient, FromHub, VERSION},
};
use door::Door;

/// Door at which every `flylead` command of this user finds a [`Hub`]: a Unix socket, or on Windows a port on loopback
/// with its key in a file. The socket or the file is removed when this is dropped.
pub struct Listener(Door);

impl Listener {
    /// Listens where commands look for hubs: in `$XDG_RUNTIME_DIR/flylead`, or `flylead/run` in [the folder for
    /// state](crate::state::folder), accessible only to this user.
    ///
    /// # Errors
    /// The folder, the socket or the file cannot be created.
    pub async fn bind() -> io::Result<Self> {
        let none = || io::Error::other("the environment names no folder of yours");
        let folder = folder::of_this_user().ok_or_else(none)?;
        folder::make(&folder)?;
        folder::remove_the_dead();
        Ok(Self(Door::open(&folder::door(&folder)).await?))
    }

    /// Returns the path of the socket, or of the file with the port.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.0.path()
    }

    /// Serves every command that connects to `hub`, forever.
    ///
    /// # Errors
    /// The socket or the port is gone.
    pub async fn serve(self, hub: Hub) -> io::Result<()> {
        let places = Arc::new(Semaphore::new(CLIENTS_LIMIT));
        loop {
            let place = Arc::clone(&places).acquire_owned().await;
            let caller = self.0.next().await?;
            let hub = hub.clone();
            tokio::spawn(async move {
                // A client that disconnects needs no answer.
                if let Ok(stream) = caller.admit().await {
                    let _ = serve(stream, &hub).await;
                }
                drop(place);
            });
        }
    }
}

async fn serve(stream: Stream, hub: &Hub) -> io::Result<()> {
    let (reader, mut writer) = tokio_io::split(stream);
    let mut reader = Reader {
        reader,
        frames: Frames::default(),
    };
    let hello = match time::timeout(HELLO_TIMEOUT, reader.next()).await?? {
        Some(FromClient::Hello(hello)) => hello,
        Some(FromClient::List) => return list(writer, hub).await,
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    let board = hub.find(&hello.addresses);
    let Some(board) = board.filter(|_| hello.version == VERSION) else {
        return writer.write_all(&FromHub::NotMine.encode()).await;
    };
    let attached = board.attach(hello.ask).await;
    let Member {
        writer: to_board,
        reader: from_board,
    } = attached.map_err(|_| io::ErrorKind::BrokenPipe)?;
    writer.write_all(&FromHub::Opened.encode()).await?;
    tokio::select! {
        passed = to(reader, to_board) => passed,
        passed = from(from_board, writer) => passed,
    }
}

/// Sends each board of the hub with its use.
async fn list(mut client: WriteHalf<Stream>, hub: &Hub) -> io::Result<()> {
    for board in hub.boards() {
        let mut described = board.described().await;
        described.waiting.truncate(LISTED_LIMIT);
        client
            .write_all(&FromHub::Board(described).encode())
            .await?;
    }
    client.shutdown().await
}

/// Passes on the client's messages, until it leaves or is gone.
async fn to(mut client: Reader, board: MemberWriter) -> io::Result<()> {
    loop {
        let said = match client.next().await? {
            None => return Ok(()),
            Some(FromClient::Bytes(bytes)) => board.write(bytes).await,
            Some(FromClient::Leave) => {
                let _ = board.leave().await;
                return Ok(());
            }
            Some(FromClient::Hello(_) | FromClient::List) => {
                return Err(io::ErrorKind::InvalidData.into());
            }
        };
        said.map_err(|_| io::ErrorKind::BrokenPipe)?;
    }
}

async fn from(mut board: MemberReader, mut client: WriteHalf<Stream>) -> io::Result<()> {
    while let Some(received) = board.next().await {
        let frame = match received {
            Received::Bytes(bytes) => FromHub::Bytes(bytes),
            Received::News(news) => FromHub::News(news),
        };
        client.write_all(&frame.encode()).await?;
    }
    client.shutdown().await
}

struct Reader {
    reader: ReadHalf<Stream>,
    frames: Frames,
}

impl Reader {
    async fn next(&mut self) -> io::Result<Option<FromClient>> {
        loop {
            if let Some(frame) = self.frames.next()? {
                return FromClient::decode(frame).map(Some);
            }
            let mut chunk = [0; CHUNK];
            match self.reader.read(&mut chunk).await? {
                0 => return Ok(None),
                length => self.frames.push(&chunk[..length]),
            }
        }
    }
}

/// Time that a client has to send its request.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Limit of simultaneous clients; more wait until one has gone.
const CLIENTS_LIMIT: usize = 512;
/// Limit of waiting tools that are listed for a board, so that a frame holds them.
const LISTED_LIMIT: usize = 64;
const CHUNK: usize = 8 * 1024;
