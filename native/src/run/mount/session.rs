//! A board with a mounted folder, used by one client after the other.

use std::{collections::VecDeque, future::pending, sync::Arc, time::Duration};

use flylead_core::mount::{self, Config, Event, Mount, QuestionId};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, split},
    sync::{mpsc, oneshot},
    task::{JoinHandle, spawn_blocking},
    time::{sleep, timeout},
};

use super::{Folder, MountError};
use crate::{
    Driver, Gone,
    board::memory::Memory,
    link::{self, Address, Link, LinkControls, Place},
};

/// Options of a mounted folder.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Mount point on the board, and the time limits of its REPL.
    pub config: Config,
    /// Address of the board, under which its firmware is remembered.
    pub address: Option<Address>,
    /// Address at which to look for a lost board, to remount the folder.
    pub again: Option<Address>,
    /// Receiver of news about the loss and the return of the board.
    pub news: Option<NewsListener>,
}

/// Receiver of news about a board with a mounted folder.
pub type NewsListener = Arc<dyn Fn(&News) + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            config: Config::new("/remote").expect("it is a path"),
            address: None,
            again: None,
            news: None,
        }
    }
}

/// News of a board with a mounted folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// The board restarted, and the folder is mounted again.
    Mounted,
    /// The board restarted, and the folder cannot be mounted.
    Failed(mount::Failure),
    /// The board is gone.
    Gone,
    /// The board is connected again.
    Back,
    /// The folder is gone; a program on the board gets `OSError: [Errno 19] ENODEV`.
    FolderGone,
}

/// Board with a mounted folder. Clients talk to the board over a link that this [provides](Self::attach).
#[derive(Debug)]
pub struct Session {
    requests: mpsc::Sender<Request>,
    task: JoinHandle<()>,
}

enum Request {
    Attach {
        stream: DuplexStream,
        survives: bool,
        done: oneshot::Sender<Option<LinkControls>>,
    },
    End,
}

impl Session {
    /// Mounts the folder, interrupting whatever runs on the board.
    ///
    /// # Errors
    /// The board cannot mount it, or is gone.
    pub async fn start(
        link: Link,
        folder: Folder,
        mut options: Options,
    ) -> Result<Self, MountError> {
        if link.is_text_only() {
            return Err(MountError::TextOnly);
        }
        let memory = options.address.as_ref().and_then(Memory::of);
        options.config.remembered = memory.as_ref().and_then(Memory::read);
        let place = options.again.as_ref().and_then(link::place_of);
        let mut relay = Relay {
            place,
            controls: link.controls(),
            driver: Some(spawn(link, &options.config).await?),
            folder: Some(folder),
            options,
            asking: None,
            peer: None,
            unsent: VecDeque::new(),
            typed: Vec::new(),
            program: mount::Typed::default(),
        };
        relay.mounted().await?;
        if let Some(memory) = memory {
            relay.keep(memory).await;
        }
        let (requests, requests_in) = mpsc::channel(1);
        let task = tokio::spawn(relay.run(requests_in));
        Ok(Self { requests, task })
    }

    /// Returns a link to the board, in place of an earlier one. It closes when the board is gone.
    ///
    /// # Errors
    /// The board is gone.
    pub async fn attach(&self) -> Result<Link, MountError> {
        self.attach_for(false).await
    }

    /// Like [`attach`](Self::attach), but the link stays open when the board is lost, and continues
    /// when it returns.
    ///
    /// # Errors
    /// The board has been lost permanently.
    pub async fn attach_lasting(&self) -> Result<Link, MountError> {
        self.attach_for(true).await
    }

    async fn attach_for(&self, survives: bool) -> Result<Link, MountError> {
        let (stream, theirs) = tokio::io::duplex(PIPE);
        let (done, is_done) = oneshot::channel();
        let request = Request::Attach {
            stream: theirs,
            survives,
            done,
        };
        let sent = self.requests.send(request).await;
        sent.map_err(|_| MountError::Closed)?;
        let controls = is_done.await.map_err(|_| MountError::Closed)?;
        let link = Link::new(stream);
        Ok(match controls {
            Some(controls) => link.with_controls(controls),
            None => link,
        })
    }

    /// Unmounts the folder and closes the link, as far as the board still answers.
    pub async fn end(self) {
        // A task that has ended has closed the link.
        let _ = self.requests.send(Request::End).await;
        let _ = self.task.await;
    }
}

async fn spawn(link: Link, config: &Config) -> Result<Driver<Mount>, MountError> {
    let driver = Driver::spawn(link, Mount::new(config.clone()));
    let begun = driver.command(Mount::mount).await;
    // A machine that has done nothing is not busy.
    begun.map(|_| driver).map_err(|Gone| MountError::Closed)
}

/// Relay between the board, the folder and the client.
struct Relay {
    /// Driver of the board; `None` while it is gone.
    driver: Option<Driver<Mount>>,
    place: Option<Place>,
    controls: Option<LinkControls>,
    /// Folder; `None` while it answers a request.
    folder: Option<Folder>,
    asking: Option<JoinHandle<(Folder, QuestionId, mount::Answer)>>,
    options: Options,
    peer: Option<Peer>,
    /// Output of the board that the client has not taken yet.
    unsent: VecDeque<u8>,
    /// Input of the client that exceeded the buffer.
    typed: Vec<u8>,
    /// Input since the last request, which may have started a program.
    program: mount::Typed,
}

struct Peer {
    reader: ReadHalf<DuplexStream>,
    writer: WriteHalf<DuplexStream>,
    survives: bool,
}

/// Next event of the loop.
enum Next {
    Event(Option<Event>),
    Answered(Option<(Folder, QuestionId, mount::Answer)>),
    Request(Option<Request>),
    Wrote(Option<usize>),
    Typed(Option<Vec<u8>>),
    Retry,
    Back(Link),
}

impl Relay {
    /// Waits until the folder is mounted.
    async fn mounted(&mut self) -> Result<(), MountError> {
        loop {
            tokio::select! {
                answered = answered(&mut self.asking) => self.answered(answered).await,
                event = event(&mut self.driver) => match event {
                    Some(Event::Mounted) => return Ok(()),
                    Some(Event::Failed(failure)) => return Err(MountError::Failed(failure)),
                    Some(Event::Closed) | None => return Err(MountError::Closed),
                    Some(event) => self.happened(event),
                },
            }
        }
    }

    /// Stores the facts learned about the board for the next program.
    async fn keep(&self, mut memory: Memory) {
        let Some(driver) = &self.driver else { return };
        let learned = driver.command(|mount: &mut Mount, _| mount.capabilities().cloned());
        if let Ok(Some(known)) = learned.await {
            memory.keep(&known);
        }
    }

    async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        loop {
            match self.next(&mut requests).await {
                Next::Event(Some(event)) => self.happened(event),
                Next::Event(None) => {
                    if !self.lost() {
                        return;
                    }
                }
                Next::Answered(answered) => self.answered(answered).await,
                Next::Request(Some(Request::Attach {
                    stream,
                    survives,
                    done,
                })) => {
                    self.type_the_rest().await;
                    let (reader, writer) = split(stream);
                    self.unsent.clear();
                    self.peer = Some(Peer {
                        reader,
                        writer,
                        survives,
                    });
                    let _ = done.send(self.controls.clone());
                }
                Next::Request(Some(Request::End) | None) => break,
                Next::Wrote(Some(length)) => drop(self.unsent.drain(..length)),
                Next::Typed(Some(bytes)) => self.type_in(bytes).await,
                Next::Wrote(None) | Next::Typed(None) => self.peer = None,
                Next::Retry => {
                    let typed = std::mem::take(&mut self.typed);
                    self.send(typed).await;
                }
                Next::Back(link) => self.back(link).await,
            }
        }
        self.end().await;
    }

    /// Waits for the next event.
    async fn next(&mut self, requests: &mut mpsc::Receiver<Request>) -> Next {
        let (is_gone, has_room) = (self.driver.is_none(), self.unsent.len() < UNSENT_LIMIT);
        let waits = !self.typed.is_empty();
        let (reader, writer) = match &mut self.peer {
            Some(peer) => (Some(&mut peer.reader), Some(&mut peer.writer)),
            None => (None, None),
        };
        let unsent = self.unsent.as_slices().0;
        tokio::select! {
            biased;
            answered = answered(&mut self.asking) => Next::Answered(answered),
            written = write(writer, unsent) => Next::Wrote(written),
            event = event(&mut self.driver), if has_room => Next::Event(event),
            request = requests.recv() => Next::Request(request),
            typed = read(reader), if !waits && !is_gone => Next::Typed(typed),
            () = sleep(RETRY), if waits && !is_gone => Next::Retry,
            link = back(&self.options, self.place.as_ref()), if is_gone => Next::Back(link),
        }
    }

    fn happened(&mut self, event: Event) {
        match event {
            Event::Output(bytes) if self.peer.is_some() => self.unsent.extend(bytes),
            Event::Asked(id, question) => self.ask(id, question),
            Event::Mounted => self.tell(&News::Mounted),
            Event::Failed(failure) => self.tell(&News::Failed(failure)),
            _ => {}
        }
    }

    /// Starts to answer a request. There is one at a time: a board that sends another one has given up the first.
    fn ask(&mut self, id: QuestionId, question: mount::Question) {
        let Some(mut folder) = self.folder.take() else {
            return;
        };
        if let Some(program) = self.program.take() {
            folder.forget_sent(program);
        }
        self.asking = Some(spawn_blocking(move || {
            let answer = folder.answer(&question);
            (folder, id, answer)
        }));
    }

    async fn answered(&mut self, answered: Option<(Folder, QuestionId, mount::Answer)>) {
        self.asking = None;
        let Some((folder, id, answer)) = answered else {
            return;
        };
        self.folder = Some(folder);
        if answer == Err(mount::Errno::GONE) {
            self.tell(&News::FolderGone);
        }
        if let Some(driver) = &self.driver {
            // The loss of a board is noticed by its events.
            let _ = driver
                .command(move |mount, now| mount.answer(now, id, &answer))
                .await;
        }
    }

    /// Types the remaining input of a client that is about to be replaced: it may be the keys that leave the board at
    /// its prompt.
    async fn type_the_rest(&mut self) {
        let Some(mut peer) = self.peer.take() else {
            return;
        };
        loop {
            let rest = tokio::select! {
                biased;
                rest = read(Some(&mut peer.reader)) => rest,
                () = std::future::ready(()) => None,
            };
            match rest {
                Some(bytes) if self.typed.is_empty() => self.type_in(bytes).await,
                _ => return,
            }
        }
    }

    async fn type_in(&mut self, bytes: Vec<u8>) {
        self.program.push(&bytes);
        self.send(bytes).await;
    }

    /// Sends input to the board, or keeps it where there is no room.
    async fn send(&mut self, bytes: Vec<u8>) {
        let Some(driver) = &self.driver else { return };
        let typed = driver
            .command(move |mount, now| (mount.send(now, &bytes), bytes))
            .await;
        if let Ok((false, bytes)) = typed {
            self.typed = bytes;
        }
    }

    /// Handles the loss of the board. Returns true if its return is awaited.
    fn lost(&mut self) -> bool {
        self.driver = None;
        self.typed.clear();
        if self.peer.as_ref().is_some_and(|peer| !peer.survives) {
            self.peer = None;
        }
        self.tell(&News::Gone);
        self.options.again.is_some()
    }

    async fn back(&mut self, link: Link) {
        self.controls = link.controls();
        if let Ok(driver) = spawn(link, &self.options.config).await {
            self.driver = Some(driver);
            self.tell(&News::Back);
        }
    }

    fn tell(&self, news: &News) {
        if let Some(tell) = &self.options.news {
            tell(news);
        }
    }

    async fn end(mut self) {
        self.peer = None;
        let _ = timeout(END_TIMEOUT, self.unmount()).await;
        if let Some(driver) = self.driver.take() {
            driver.close().await;
        }
    }

    /// Unmounts the folder. A program that still runs may send requests until it is interrupted.
    async fn unmount(&mut self) -> Result<(), Gone> {
        // The board may still answer a client that has gone, and takes the unmounting program for a part of that; it is
        // at its prompt after that.
        for _ in 0..ATTEMPTS {
            let Some(driver) = &self.driver else { break };
            // A folder that is being mounted again stays until the board restarts.
            let _ = driver.command(Mount::unmount).await?;
            if self.unmounted().await {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the end of an unmounting. Returns false if the board refused it.
    async fn unmounted(&mut self) -> bool {
        loop {
            tokio::select! {
                answered = answered(&mut self.asking) => self.answered(answered).await,
                event = event(&mut self.driver) => match event {
                    Some(Event::Unmounted | Event::Closed) | None => return true,
                    Some(Event::Failed(_)) => return false,
                    Some(event) => self.happened(event),
                },
            }
        }
    }
}

/// Limit of attempts to unmount.
const ATTEMPTS: u32 = 2;

async fn event(driver: &mut Option<Driver<Mount>>) -> Option<Event> {
    match driver {
        Some(driver) => driver.next_event().await,
        None => pending().await,
    }
}

async fn answered<T>(asking: &mut Option<JoinHandle<T>>) -> Option<T> {
    match asking {
        // A panic has been reported by its own thread.
        Some(asking) => asking.await.ok(),
        None => pending().await,
    }
}

async fn write(writer: Option<&mut WriteHalf<DuplexStream>>, bytes: &[u8]) -> Option<usize> {
    match writer {
        Some(writer) if !bytes.is_empty() => {
            writer.write(bytes).await.ok().filter(|&length| length > 0)
        }
        _ => pending().await,
    }
}

async fn read(reader: Option<&mut ReadHalf<DuplexStream>>) -> Option<Vec<u8>> {
    let Some(reader) = reader else {
        return pending().await;
    };
    let mut chunk = vec![0; CHUNK];
    let length = reader
        .read(&mut chunk)
        .await
        .ok()
        .filter(|&length| length > 0)?;
    chunk.truncate(length);
    Some(chunk)
}

/// Waits until the board can be opened again.
async fn back(options: &Options, place: Option<&Place>) -> Link {
    let Some(address) = &options.again else {
        return pending().await;
    };
    loop {
        match link::open_where_it_is(address, place).await {
            Ok((_, link)) => return link,
            Err(_) => sleep(LOOK_AGAIN).await,
        }
    }
}

/// Size in bytes of the buffers to and from the client.
const PIPE: usize = 64 * 1024;
const CHUNK: usize = 16 * 1024;
/// Limit in bytes of the data that the client may leave unread before the board has to wait.
const UNSENT_LIMIT: usize = 256 * 1024;
/// Interval between attempts to send input that exceeded the buffer.
const RETRY: Duration = Duration::from_millis(20);
/// Interval between checks for a lost board.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Time limit of unmounting.
const END_TIMEOUT: Duration = Duration::from_secs(5);
