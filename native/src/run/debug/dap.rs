//! The Debug Adapter Protocol on a byte stream.

use std::{
    io,
    path::{Path, PathBuf},
    pin::pin,
};

use flylead_core::{
    debug::{
        Project,
        dap::{Adapter, LaunchRequest, Want},
    },
    raw_repl::{Config, RawRepl},
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{
    conversation::{Conversation, reset},
    load, load_boot, token,
};
use crate::{Driver, board::Board, link::Link, os::time::sleep_until};

/// Serves one editor for one run of a program, until both have finished.
///
/// `open` opens the board that the editor names, or the default one if it names none.
///
/// # Errors
/// The editor's stream failed, or it sent data that violates the protocol. The board is left at its prompt in any case.
pub async fn serve<C, O>(client: C, open: O) -> io::Result<()>
where
    C: AsyncRead + AsyncWrite,
    O: AsyncFn(Option<&str>) -> Result<Link, String>,
{
    let mut conversation = Conversation::new(Adapter::new(token()), None);
    let done = conversation.run(client, open).await;
    conversation.leave().await;
    done
}

/// Returns the messages for an editor that connects while another one debugs: the reason, and the end of the session.
#[must_use]
pub fn busy() -> Vec<u8> {
    flylead_core::debug::dap::farewell(BUSY)
}

const BUSY: &str = "another editor is already debugging this board; end its session first";

impl Conversation {
    async fn run<C, O>(&mut self, client: C, open: O) -> io::Result<()>
    where
        C: AsyncRead + AsyncWrite,
        O: AsyncFn(Option<&str>) -> Result<Link, String>,
    {
        let mut client = pin!(client);
        let mut chunk = vec![0; CHUNK];
        let mut is_open = true;
        loop {
            while let Some(want) = self.adapter.poll_want() {
                match want {
                    Want::Transmit(bytes) if is_open => {
                        is_open = client.write_all(&bytes).await.is_ok();
                    }
                    Want::Transmit(_) => {}
                    Want::Open(launch) => self.open(&launch, &open).await,
                    Want::Reset => self.reset().await,
                    Want::Board(action) => self.act(action).await,
                    // These are of programs that run before an editor attaches.
                    Want::Print(_) | Want::Note(_) | Want::Ended(_) => {}
                    Want::End => return client.flush().await,
                }
            }
            client.flush().await.ok();
            let (due, give_up) = (self.due(), self.give_up);
            tokio::select! {
                read = client.read(&mut chunk), if is_open => match read {
                    Ok(length @ 1..) => {
                        let now = self.now();
                        let received = self.adapter.receive(now, &chunk[..length]);
                        received.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
                    }
                    _ => {
                        is_open = false;
                        self.end_soon();
                        let now = self.now();
                        self.adapter.closed(now);
                    }
                },
                event = self.event() => self.heard(&event),
                () = sleep_until(due) => self.time_out(),
                () = sleep_until(give_up) => return Ok(()),
            }
        }
    }

    async fn open<O>(&mut self, launch: &LaunchRequest, open: &O)
    where
        O: AsyncFn(Option<&str>) -> Result<Link, String>,
    {
        let opened = self.project_and_board(launch, open).await;
        self.adapter.opened(opened);
    }

    async fn project_and_board<O>(
        &mut self,
        launch: &LaunchRequest,
        open: &O,
    ) -> Result<Project, String>
    where
        O: AsyncFn(Option<&str>) -> Result<Link, String>,
    {
        let project = if launch.boot {
            let link = open(launch.port.as_deref()).await?;
            let mut board = Board::attach(link, Config::default(), None);
            let loaded = load_boot(&mut board).await;
            board.release().await.map_err(|error| error.to_string())?;
            loaded
        } else {
            let folders: Vec<_> = launch.modules.iter().map(PathBuf::from).collect();
            load(Path::new(&launch.program), &folders)
        };
        let project = project.map_err(|error| error.to_string())?;
        let link = open(launch.port.as_deref()).await?;
        let mut driver = Driver::spawn(link, RawRepl::new(Config::default()));
        if launch.reset {
            reset(&mut driver).await?;
        }
        self.board = Some(driver);
        Ok(project)
    }
}

pub(super) const CHUNK: usize = 16 * 1024;
