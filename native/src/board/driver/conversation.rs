//! The task that owns a link.

use std::{
    cell::RefCell,
    future::{pending, poll_fn},
    io,
    pin::Pin,
    task::ready,
    time::Duration,
};

use flylead_core::{Input, Instant, Machine, Pump, Wait};
use futures_util::FutureExt as _;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf, ReadHalf, WriteHalf},
    sync::oneshot,
    task::yield_now,
    time::{self, Sleep},
};

use super::{Command, DriverOptions, Observer, queue};
use crate::os::time::sleep_until;

/// State of the task between two turns of its loop.
pub(super) struct Conversation<M: Machine> {
    pump: Pump<M>,
    started: time::Instant,
    options: DriverOptions,
    unread: Option<M::Event>,
    /// Number of reads, at most, that come before the first command: an answer that another tool left unread is none to us.
    left_over: usize,
    /// Time at which the peer last took data; `None` while nothing is pending.
    took_at: Option<time::Instant>,
    flushes: Vec<oneshot::Sender<()>>,
    observe: Option<Observer<M::Event>>,
}

/// Next event of the loop.
enum Next<M: Machine> {
    Wrote(io::Result<usize>),
    /// The queue has space for an event, or nobody receives events any more.
    Room(bool),
    Command(Option<Command<M>>),
    /// This number of bytes is in [`CHUNK`].
    Read(io::Result<usize>),
    Time,
    Turn,
    TookNothing,
}

impl<M: Machine> Conversation<M> {
    pub(super) fn new(
        machine: M,
        observe: Option<Observer<M::Event>>,
        options: DriverOptions,
    ) -> Self {
        Self {
            pump: Pump::new(machine),
            started: time::Instant::now(),
            options,
            unread: None,
            left_over: LEFT_OVER,
            took_at: None,
            flushes: Vec::new(),
            observe,
        }
    }

    /// Runs until the link, the machine or the application ends it.
    ///
    /// This is not an `async fn`, which would keep a second copy of each argument, including the link
    /// (rust-lang/rust#62958).
    pub(super) fn run<L: AsyncRead + AsyncWrite>(
        mut self,
        link: L,
        mut commands: queue::Receiver<Command<M>>,
        events: queue::Sender<M::Event>,
    ) -> impl Future<Output = ()> {
        let (mut reader, mut writer) = tokio::io::split(link);
        let mut alarm = Alarm::default();
        async move {
            loop {
                self.unread = self.unread.take().or_else(|| self.next_event());
                let wait = self.pump.poll();
                self.answer_flushes(wait);
                if wait.is_over() && self.unread.is_none() {
                    break;
                }
                let ends = (&mut reader, &mut writer);
                let next = self.next(wait, ends, &mut commands, &events, &mut alarm);
                let next = next.await;
                if !self.happened(next, &events) {
                    break;
                }
            }
            let timeout = self.options.write_timeout.unwrap_or(CLOSE_TIMEOUT);
            let rest = self.pump.take_transmit();
            let _ = Box::pin(time::timeout(timeout, finish(writer, rest))).await;
        }
    }

    /// Waits for the next event.
    async fn next<L: AsyncRead + AsyncWrite>(
        &mut self,
        wait: Wait,
        (reader, writer): (&mut ReadHalf<L>, &mut WriteHalf<L>),
        commands: &mut queue::Receiver<Command<M>>,
        events: &queue::Sender<M::Event>,
        alarm: &mut Alarm,
    ) -> Next<M> {
        let is_told = self.unread.is_none();
        if self.left_over > 0 && wait.read && is_told {
            self.left_over -= 1;
            match read_now(reader).await {
                Some(read) => return Next::Read(read),
                None => self.left_over = 0,
            }
        }
        let took_nothing = self.took_nothing_at(wait.write);
        tokio::select! {
            biased;
            written = writer.write(self.pump.unsent()), if wait.write => Next::Wrote(written),
            has_room = events.room(), if !is_told => Next::Room(has_room),
            command = commands.recv(), if wait.command => Next::Command(command),
            read = read(reader), if wait.read && is_told => Next::Read(read),
            () = alarm.at(self.started, wait.until) => Next::Time,
            // Other tasks and the sockets get their turn before this machine goes on.
            () = yield_now(), if wait.turn && is_told => Next::Turn,
            () = sleep_until(took_nothing), if wait.write => Next::TookNothing,
        }
    }

    /// Returns the time at which a peer that still takes no data counts as gone.
    fn took_nothing_at(&mut self, is_pending: bool) -> Option<time::Instant> {
        let timeout = self.options.write_timeout?;
        self.took_at = is_pending.then(|| self.took_at.unwrap_or_else(time::Instant::now));
        self.took_at.map(|took_at| took_at + timeout)
    }

    /// Handles an event; returns true to go on.
    fn happened(&mut self, next: Next<M>, events: &queue::Sender<M::Event>) -> bool {
        match next {
            Next::Wrote(written) => self.wrote(written),
            Next::Room(true) => {
                self.unread = self
                    .unread
                    .take()
                    .and_then(|event| events.try_send(event).err());
            }
            Next::Command(Some(command)) => self.command(command),
            Next::Room(false) | Next::Command(None) => return false,
            Next::Read(length) => self.read(length),
            Next::Time => self.wake_if_due(),
            Next::Turn => self.pump.handle_input(self.now(), Input::Timeout),
            Next::TookNothing => self.pump.write_failed(self.now()),
        }
        true
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }

    fn next_event(&mut self) -> Option<M::Event> {
        let event = self.pump.poll_event();
        if let (Some(event), Some(observe)) = (&event, &mut self.observe) {
            observe(event);
        }
        event
    }

    fn command(&mut self, command: Command<M>) {
        let now = self.now();
        match command {
            Command::Do(command) => self.pump.command(|machine| command(machine, now)),
            Command::Flush(done) => self.flushes.push(done),
        }
    }

    /// Answers pending flushes; their callers may have stopped waiting.
    fn answer_flushes(&mut self, wait: Wait) {
        if self.pump.is_closed() {
            self.flushes.clear();
        } else if !wait.write {
            for done in self.flushes.drain(..) {
                let _ = done.send(());
            }
        }
    }

    fn read(&mut self, length: io::Result<usize>) {
        let now = self.now();
        match length {
            Ok(0) => self.pump.handle_input(now, Input::Closed),
            Ok(length) => {
                CHUNK.with_borrow(|chunk| {
                    let input = Input::Bytes(&chunk[..length]);
                    self.pump.handle_input(now, input);
                });
                self.wake_if_due();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.pump.read_failed(now),
        }
    }

    fn wrote(&mut self, written: io::Result<usize>) {
        match written {
            Ok(length) if length > 0 => {
                self.pump.sent(length);
                self.took_at = None;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => self.pump.write_failed(self.now()),
        }
    }

    /// Wakes the machine if its time has come: after all bytes that arrived in time, however many they are.
    fn wake_if_due(&mut self) {
        let now = self.now();
        if self.pump.deadline().is_some_and(|deadline| deadline <= now) {
            self.pump.handle_input(now, Input::Timeout);
        }
    }
}

/// Timer that is reset only when it would go off too late: going off too early costs less than resetting it each time.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Waits until a moment of the machine's clock, or less; forever if the machine needs no timer.
    async fn at(&mut self, started: time::Instant, deadline: Option<Instant>) {
        let Some(deadline) = deadline.map(|moment| started + moment.since_start()) else {
            return pending().await;
        };
        let sleep = self
            .0
            .get_or_insert_with(|| Box::pin(time::sleep_until(deadline)));
        if sleep.deadline() > deadline || sleep.is_elapsed() {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().await;
    }
}

/// Reads into [`CHUNK`], so that a thousand idle links hold no buffer.
async fn read(reader: &mut (impl AsyncRead + Unpin)) -> io::Result<usize> {
    poll_fn(|context| {
        CHUNK.with_borrow_mut(|chunk| {
            let mut buffer = ReadBuf::new(chunk);
            ready!(Pin::new(&mut *reader).poll_read(context, &mut buffer))?;
            Ok(buffer.filled().len()).into()
        })
    })
    .await
}

/// Reads what is there already, if anything is. The runtime learns of it when this task has let it look once.
async fn read_now(reader: &mut (impl AsyncRead + Unpin)) -> Option<io::Result<usize>> {
    if let Some(read) = read(reader).now_or_never() {
        return Some(read);
    }
    yield_now().await;
    read(reader).now_or_never()
}

async fn finish(mut writer: impl AsyncWrite + Unpin, unsent: Vec<u8>) -> io::Result<()> {
    writer.write_all(&unsent).await?;
    writer.flush().await?;
    writer.shutdown().await
}

thread_local! {
    /// Data of one read from a link, which is processed before anything else happens on this thread.
    static CHUNK: RefCell<Box<[u8]>> = RefCell::new(vec![0; CHUNK_BYTES].into());
}

const CHUNK_BYTES: usize = 16 * 1024;
/// A tty holds 4 KiB, a socket some hundred; a peer that never stops must not keep commands waiting.
const LEFT_OVER: usize = 16;
/// Time limit of closing; a device that reads nothing must not block the program.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
