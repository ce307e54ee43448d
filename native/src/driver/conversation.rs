//! The task that owns a link.

use std::{
    cell::RefCell,
    collections::VecDeque,
    future::{pending, poll_fn},
    io,
    pin::Pin,
    task::ready,
    time::Duration,
};

use flylead_core::{Input, Instant, Machine, Pump};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf, ReadHalf, WriteHalf},
    sync::{mpsc, oneshot},
    task::yield_now,
    time::{self, Sleep},
};

use super::{Command, DriverOptions, Observer};

/// What the task holds between two turns of its loop.
pub(super) struct Conversation<M: Machine> {
    pump: Pump<M>,
    started: time::Instant,
    options: DriverOptions,
    unsent: VecDeque<u8>,
    unread: Option<M::Event>,
    /// When the peer took something last, or there was nothing to be taken.
    took_at: time::Instant,
    flushes: Vec<oneshot::Sender<()>>,
    observe: Option<Observer<M::Event>>,
    /// Whether the peer still sends, and still takes.
    reads: bool,
    writes: bool,
}

/// What happens next.
enum Next<'a, M: Machine> {
    Wrote(io::Result<usize>),
    /// There is room for an event; none, if nobody takes events any more.
    Room(Option<mpsc::Permit<'a, M::Event>>),
    Command(Option<Command<M>>),
    /// So many bytes are in [`CHUNK`].
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
            unsent: VecDeque::new(),
            unread: None,
            took_at: time::Instant::now(),
            flushes: Vec::new(),
            observe,
            reads: true,
            writes: true,
        }
    }

    pub(super) async fn run<L: AsyncRead + AsyncWrite>(
        mut self,
        link: L,
        mut commands: mpsc::Receiver<Command<M>>,
        events: mpsc::Sender<M::Event>,
    ) {
        let (mut reader, mut writer) = tokio::io::split(link);
        let mut alarm = Alarm::default();
        loop {
            self.send();
            self.unread = self.unread.take().or_else(|| self.next_event());
            self.answer_flushes();
            if self.is_over() {
                break;
            }
            let next = self
                .next(&mut reader, &mut writer, &mut commands, &events, &mut alarm)
                .await;
            if !self.happened(next) {
                break;
            }
        }
        let timeout = self.options.write_timeout.unwrap_or(CLOSE_TIMEOUT);
        let _ = time::timeout(timeout, finish(writer, self.unsent)).await;
    }

    /// Waits for the first thing that may happen now.
    async fn next<'a, L: AsyncRead + AsyncWrite>(
        &mut self,
        reader: &mut ReadHalf<L>,
        writer: &mut WriteHalf<L>,
        commands: &mut mpsc::Receiver<Command<M>>,
        events: &'a mpsc::Sender<M::Event>,
        alarm: &mut Alarm,
    ) -> Next<'a, M> {
        let (writing, told) = (!self.unsent.is_empty(), self.unread.is_none());
        let has_room = self.unsent.len() < UNSENT_LIMIT;
        let wants_input = self.pump.machine().wants_input();
        let reading = self.reads && told && wants_input && (has_room || !self.options.answers);
        let turning = self.pump.machine().wants_turn() && has_room && told;
        let took_nothing = self
            .options
            .write_timeout
            .map(|timeout| self.took_at + timeout);
        tokio::select! {
            biased;
            written = writer.write(self.unsent.as_slices().0), if self.writes && writing => Next::Wrote(written),
            room = events.reserve(), if !told => Next::Room(room.ok()),
            command = commands.recv(), if has_room => Next::Command(command),
            read = read(reader), if reading => Next::Read(read),
            () = alarm.at(self.started, self.pump.deadline()) => Next::Time,
            // The other tasks' turn, and the sockets', before this machine goes on.
            () = yield_now(), if turning => Next::Turn,
            () = sleep_until(took_nothing), if writing => Next::TookNothing,
        }
    }

    /// Does what that calls for. Whether to go on.
    fn happened(&mut self, next: Next<'_, M>) -> bool {
        match next {
            Next::Wrote(written) => self.wrote(written),
            Next::Room(Some(room)) => {
                if let Some(event) = self.unread.take() {
                    room.send(event);
                }
            }
            Next::Command(Some(command)) => self.command(command),
            Next::Room(None) | Next::Command(None) => return false,
            Next::Read(length) => self.read(length),
            Next::Time => self.wake_if_due(),
            Next::Turn => {
                let now = self.now();
                self.pump.handle_input(now, Input::Timeout);
            }
            Next::TookNothing => self.wrote(Err(io::ErrorKind::TimedOut.into())),
        }
        true
    }

    /// Takes what is to be sent.
    fn send(&mut self) {
        let bytes = self.pump.take_transmit();
        if self.unsent.is_empty() && !bytes.is_empty() && self.options.write_timeout.is_some() {
            self.took_at = time::Instant::now();
        }
        if self.writes {
            self.unsent.extend(bytes);
        }
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }

    fn is_over(&self) -> bool {
        !self.reads && self.unread.is_none() && self.pump.machine().is_over()
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

    /// Who waits may have stopped waiting.
    fn answer_flushes(&mut self) {
        if !self.reads || !self.writes {
            self.flushes.clear();
        } else if self.unsent.is_empty() {
            for done in self.flushes.drain(..) {
                let _ = done.send(());
            }
        }
    }

    fn read(&mut self, length: io::Result<usize>) {
        match length {
            Ok(length) if length > 0 => {
                let now = self.now();
                CHUNK.with_borrow(|chunk| {
                    let input = Input::Bytes(&chunk[..length]);
                    self.pump.handle_input(now, input);
                });
                self.wake_if_due();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) => self.ended(),
            Err(_) => self.gone(),
        }
    }

    fn wrote(&mut self, written: io::Result<usize>) {
        match written {
            Ok(length) if length > 0 => {
                self.unsent.drain(..length);
                self.took_at = time::Instant::now();
                if self.unsent.is_empty() {
                    self.unsent.shrink_to(UNSENT_KEPT);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What the peer said last may still wait to be read, and its end is read after that.
            _ if self.reads => self.takes_no_more(),
            _ => self.gone(),
        }
    }

    /// After the bytes that were there in time, and however many there are.
    fn wake_if_due(&mut self) {
        let now = self.now();
        if self.pump.deadline().is_some_and(|deadline| deadline <= now) {
            self.pump.handle_input(now, Input::Timeout);
        }
    }

    /// The peer sends nothing more. It may still take answers, if the machine has some.
    fn ended(&mut self) {
        self.reads = false;
        self.pump.handle_input(self.now(), Input::Closed);
        if self.pump.machine().is_over() && !self.options.answers {
            self.unsent.clear();
        }
    }

    fn takes_no_more(&mut self) {
        self.writes = false;
        self.unsent.clear();
        if self.options.answers {
            // Nobody can be answered any more.
            self.gone();
        }
    }

    /// The peer neither sends nor takes anything: a machine that would go on is told a second time.
    fn gone(&mut self) {
        self.writes = false;
        self.unsent.clear();
        let now = self.now();
        for _ in 0..2 {
            if std::mem::take(&mut self.reads) || !self.pump.machine().is_over() {
                self.pump.handle_input(now, Input::Closed);
            }
        }
    }
}

/// A timer that is set anew only when it would go off too late: going off too early costs less than setting it each time.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Waits until a moment of the machine's clock, or less; for ever, when it wants none.
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

async fn sleep_until(moment: Option<time::Instant>) {
    match moment {
        Some(moment) => time::sleep_until(moment).await,
        None => pending().await,
    }
}

/// Reads into [`CHUNK`]: a thousand links that wait hold no buffer.
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

async fn finish(mut writer: impl AsyncWrite + Unpin, mut unsent: VecDeque<u8>) -> io::Result<()> {
    writer.write_all(unsent.make_contiguous()).await?;
    writer.flush().await?;
    writer.shutdown().await
}

thread_local! {
    /// One read from a link, which is taken in before anything else happens on this thread.
    static CHUNK: RefCell<Box<[u8]>> = RefCell::new(vec![0; CHUNK_BYTES].into());
}

const CHUNK_BYTES: usize = 16 * 1024;
/// Unsent bytes after which commands have to wait.
const UNSENT_LIMIT: usize = 64 * 1024;
/// What the buffer for unsent bytes keeps when it is empty.
const UNSENT_KEPT: usize = 256;
/// How long closing may take; a device that reads nothing must not hold the program.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
