//! The Debug Adapter Protocol on a byte stream.

use std::{
    future::pending,
    io,
    path::{Path, PathBuf},
    pin::pin,
    time::Duration,
};

use flylead_core::{
    Instant,
    debug::{
        Action, Project,
        dap::{Adapter, LaunchRequest, Want},
    },
    raw_repl::{self, CommandError, Config, RawRepl},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time,
};

use super::{load, load_boot, token};
use crate::{Driver, board::Board, link::Link};

/// Serves one editor for one run of a program, until both have finished.
///
/// `open` opens the board that the editor names, or the default one if it names none.
///
/// # Errors
/// The editor's stream failed, or it sent data that violates the protocol. The board is left at its prompt all the
/// same.
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

/// A session with editors, and its board.
pub(super) struct Conversation {
    pub(super) adapter: Adapter,
    board: Option<Driver<RawRepl>>,
    started: time::Instant,
    /// Time at which a program that was asked to end is abandoned.
    pub(super) give_up: Option<time::Instant>,
}

impl Conversation {
    pub(super) fn new(adapter: Adapter, board: Option<Driver<RawRepl>>) -> Self {
        Self {
            adapter,
            board,
            started: time::Instant::now(),
            give_up: None,
        }
    }

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
            let due = self.due();
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
                event = next_event(&mut self.board) => self.heard(&event),
                () = until(due) => self.time_out(),
                () = until(self.give_up) => return Ok(()),
            }
        }
    }

    pub(super) fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }

    /// Time of the adapter's next work, if it has any.
    pub(super) fn due(&self) -> Option<time::Instant> {
        let due = self.adapter.deadline();
        due.map(|due| self.started + due.since_start())
    }

    /// Sets the time at which a program that was asked to end is abandoned.
    pub(super) fn end_soon(&mut self) {
        self.give_up = Some(time::Instant::now() + GIVE_UP);
    }

    /// Waits for the board's next event; forever if there is no board, or no longer one.
    pub(super) async fn event(&mut self) -> raw_repl::Event {
        next_event(&mut self.board).await
    }

    pub(super) fn heard(&mut self, event: &raw_repl::Event) {
        let now = self.now();
        self.adapter.handle_event(now, event);
    }

    pub(super) fn time_out(&mut self) {
        let now = self.now();
        self.adapter.handle_timeout(now);
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

    /// Resets the board before another run.
    pub(super) async fn reset(&mut self) {
        let Some(board) = &mut self.board else { return };
        if let Err(error) = reset(board).await {
            self.adapter.refused(error);
        }
    }

    pub(super) async fn act(&mut self, action: Action) {
        let Some(board) = &self.board else { return };
        let done = board
            .command(move |repl, now| perform(repl, now, &action))
            .await;
        if let Ok(Err(error)) = done {
            self.adapter.refused(error);
        }
    }

    /// Leaves the board at its prompt, if it still answers.
    pub(super) async fn leave(self) {
        let Some(board) = self.board else { return };
        let _ = board.command(|repl, _| repl.leave()).await;
        board.close().await;
    }
}

fn perform(repl: &mut RawRepl, now: Instant, action: &Action) -> Result<(), CommandError> {
    match action {
        Action::Exec(program) => repl.exec(now, program, None),
        // A program that has ended meanwhile reads no more input.
        Action::Send(bytes) => repl.send(bytes).or(Ok(())),
        Action::Interrupt => repl.interrupt(now),
        Action::Tell(_) => Ok(()),
    }
}

pub(super) async fn reset(driver: &mut Driver<RawRepl>) -> Result<(), String> {
    let asked = driver.command(|repl, now| repl.soft_reset(now)).await;
    asked
        .map_err(|_| "the board is gone".to_owned())?
        .map_err(|error| error.to_string())?;
    loop {
        match driver.next_event().await {
            Some(raw_repl::Event::SoftReset) => return Ok(()),
            Some(raw_repl::Event::Lost { reason }) => return Err(reason.to_string()),
            Some(_) => {}
            None => return Err("the board is gone".to_owned()),
        }
    }
}

/// Waits for the board's next event; forever if there is no board, or no longer one.
async fn next_event(board: &mut Option<Driver<RawRepl>>) -> raw_repl::Event {
    match board {
        Some(driver) => match driver.next_event().await {
            Some(event) => event,
            None => pending().await,
        },
        None => pending().await,
    }
}

pub(super) async fn until(due: Option<time::Instant>) {
    match due {
        Some(due) => time::sleep_until(due).await,
        None => pending().await,
    }
}

pub(super) const CHUNK: usize = 16 * 1024;
/// Time that a program has to end once its editor is gone.
const GIVE_UP: Duration = Duration::from_secs(5);
