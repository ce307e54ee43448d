//! One driver for every protocol: a link, a machine and a clock.

use std::{collections::VecDeque, io, time::Duration};

use flylead_core::{Input, Instant, Machine, Pump};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf},
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time,
};

/// Runs a [`Machine`] on a byte stream, in a task of its own.
///
/// The task owns both halves of the stream. It stops reading while the application leaves events unread, and stops
/// taking commands while the peer leaves too many bytes unread; so nothing grows, and neither side waits for the
/// other. Dropping the driver closes the link after what was already written; [`close`](Self::close) waits for that.
#[derive(Debug)]
pub struct Driver<M: Machine> {
    commands: mpsc::Sender<Command<M>>,
    events: mpsc::Receiver<M::Event>,
    task: JoinHandle<()>,
}

/// The driver's task has ended: the link is closed and every event has been handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone;

type Observer<E> = Box<dyn FnMut(&E) + Send>;
type Work<M> = Box<dyn FnOnce(&mut M, Instant) + Send>;

enum Command<M> {
    Do(Work<M>),
    /// Say when everything that was to be sent before is with the operating system.
    Flush(oneshot::Sender<()>),
}

impl<M> Driver<M>
where
    M: Machine + Send + 'static,
    M::Event: Send,
{
    /// Starts to run `machine` on `link`. It must be called within a tokio runtime.
    pub fn spawn(link: impl AsyncRead + AsyncWrite + Send + 'static, machine: M) -> Self {
        Self::spawn_observed(link, machine, |_| ())
    }

    /// Like [`spawn`](Self::spawn), and shows each event to `observe` before anything else happens.
    pub fn spawn_observed(
        link: impl AsyncRead + AsyncWrite + Send + 'static,
        machine: M,
        observe: impl FnMut(&M::Event) + Send + 'static,
    ) -> Self {
        let (commands, commands_in) = mpsc::channel(COMMANDS_WAITING);
        let (events_out, events) = mpsc::channel(EVENTS_WAITING);
        let (reader, writer) = tokio::io::split(link);
        let conversation = Conversation {
            pump: Pump::new(machine),
            started: time::Instant::now(),
            unsent: VecDeque::new(),
            unread: None,
            flushes: Vec::new(),
            takes_no_more: false,
            observe: Box::new(observe),
            open: true,
        };
        let task = tokio::spawn(conversation.run(reader, writer, commands_in, events_out));
        Self {
            commands,
            events,
            task,
        }
    }

    /// Gives the machine a command, and returns what it answers.
    pub async fn command<R: Send + 'static>(
        &self,
        command: impl FnOnce(&mut M, Instant) -> R + Send + 'static,
    ) -> Result<R, Gone> {
        let (answer, answered) = oneshot::channel();
        let command = move |machine: &mut M, now| {
            // The application may have stopped waiting; the command still counts.
            let _ = answer.send(command(machine, now));
        };
        self.commands
            .send(Command::Do(Box::new(command)))
            .await
            .map_err(|_| Gone)?;
        answered.await.map_err(|_| Gone)
    }

    /// Waits until the operating system has taken everything that the commands before had to send. A peer that takes
    /// nothing makes this wait for ever.
    ///
    /// # Errors
    /// The link closed before.
    pub async fn flush(&self) -> Result<(), Gone> {
        let (done, is_done) = oneshot::channel();
        let flush = Command::Flush(done);
        self.commands.send(flush).await.map_err(|_| Gone)?;
        is_done.await.map_err(|_| Gone)
    }

    /// The next event, or `None` when the link is closed and every event has been handed out.
    ///
    /// Cancel safe: no event is lost when this future is dropped.
    pub async fn next_event(&mut self) -> Option<M::Event> {
        self.events.recv().await
    }

    /// Sends what is still unsent, for at most a second, and closes the link.
    pub async fn close(self) {
        drop((self.commands, self.events));
        // The task's panic, if there was one, has been reported by its own thread.
        let _ = self.task.await;
    }
}

/// What the task holds between two turns of its loop.
struct Conversation<M: Machine> {
    pump: Pump<M>,
    started: time::Instant,
    unsent: VecDeque<u8>,
    unread: Option<M::Event>,
    flushes: Vec<oneshot::Sender<()>>,
    takes_no_more: bool,
    observe: Observer<M::Event>,
    open: bool,
}

impl<M: Machine> Conversation<M> {
    async fn run<L: AsyncRead + AsyncWrite>(
        mut self,
        mut reader: ReadHalf<L>,
        mut writer: WriteHalf<L>,
        mut commands: mpsc::Receiver<Command<M>>,
        events: mpsc::Sender<M::Event>,
    ) {
        let mut chunk = vec![0; CHUNK];
        loop {
            self.unsent.extend(self.pump.take_transmit());
            self.unread = self.unread.take().or_else(|| self.next_event());
            self.answer_flushes();
            if !self.open && self.unread.is_none() {
                break;
            }
            let (writing, reading) = (!self.unsent.is_empty(), self.open && self.unread.is_none());
            tokio::select! {
                biased;
                written = writer.write(self.unsent.as_slices().0), if self.open && writing => self.wrote(written),
                room = events.reserve(), if self.unread.is_some() => match (room, self.unread.take()) {
                    (Ok(room), Some(event)) => room.send(event),
                    _ => break,
                },
                command = commands.recv(), if self.unsent.len() < UNSENT_LIMIT => match command {
                    Some(command) => self.command(command),
                    None => break,
                },
                read = reader.read(&mut chunk), if reading => self.read(read.map(|length| &chunk[..length])),
                () = sleep_until(self.started, self.pump.deadline()) => self.wake_if_due(),
            }
        }
        let _ = time::timeout(CLOSE_TIMEOUT, finish(writer, self.unsent)).await;
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }

    fn next_event(&mut self) -> Option<M::Event> {
        let event = self.pump.poll_event();
        event.iter().for_each(&mut self.observe);
        event
    }

    fn command(&mut self, command: Command<M>) {
        let now = self.now();
        match command {
            Command::Do(command) => self.pump.command(|machine| command(machine, now)),
            Command::Flush(done) => self.flushes.push(done),
        }
    }

    /// Who waits may have stopped waiting.
    fn answer_flushes(&mut self) {
        if !self.open || self.takes_no_more {
            self.flushes.clear();
        } else if self.unsent.is_empty() {
            for done in self.flushes.drain(..) {
                let _ = done.send(());
            }
        }
    }

    fn read(&mut self, read: io::Result<&[u8]>) {
        match read {
            Ok(bytes) if !bytes.is_empty() => {
                self.pump.handle_input(self.now(), Input::Bytes(bytes));
                self.wake_if_due();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => self.closed(),
        }
    }

    fn wrote(&mut self, written: io::Result<usize>) {
        match written {
            Ok(length) if length > 0 => drop(self.unsent.drain(..length)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What the peer said last may still wait to be read, and its end is read after that.
            _ => {
                self.takes_no_more = true;
                self.unsent.clear();
            }
        }
    }

    /// After the bytes that were there in time, and however many there are.
    fn wake_if_due(&mut self) {
        let now = self.now();
        if self.pump.deadline().is_some_and(|deadline| deadline <= now) {
            self.pump.handle_input(now, Input::Timeout);
        }
    }

    fn closed(&mut self) {
        self.open = false;
        self.unsent.clear();
        self.pump.handle_input(self.now(), Input::Closed);
    }
}

/// Waits for a moment of the machine's clock; for ever, when it wants none.
async fn sleep_until(started: time::Instant, deadline: Option<Instant>) {
    match deadline {
        Some(moment) => time::sleep_until(started + moment.since_start()).await,
        None => std::future::pending().await,
    }
}

async fn finish(mut writer: impl AsyncWrite + Unpin, mut unsent: VecDeque<u8>) -> io::Result<()> {
    writer.write_all(unsent.make_contiguous()).await?;
    writer.flush().await?;
    writer.shutdown().await
}

/// Commands that wait for their turn; the application waits for each one's answer anyway.
const COMMANDS_WAITING: usize = 8;
/// Events that the application has not taken; more than a screen of output at once helps nobody.
const EVENTS_WAITING: usize = 64;
/// Unsent bytes after which commands have to wait.
const UNSENT_LIMIT: usize = 64 * 1024;
/// One read from the link.
const CHUNK: usize = 16 * 1024;
/// How long closing may take; a device that reads nothing must not hold the program.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
