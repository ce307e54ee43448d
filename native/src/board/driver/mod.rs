//! One driver for every protocol: a link, a machine and a clock.

mod conversation;
mod queue;

use std::time::Duration;

use flylead_core::{Instant, Machine};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::oneshot,
    task::JoinHandle,
};

use conversation::Conversation;
use queue::queue;

/// Runs a [`Machine`] on a byte stream, in a task of its own.
///
/// The task owns both halves of the stream. It stops reading while the application leaves events unread, and stops
/// taking commands while the peer leaves too many bytes unread; so memory stays bounded, and neither side waits for the
/// other. Dropping the driver closes the link after already written data; [`close`](Self::close) waits for that.
#[derive(Debug)]
pub struct Driver<M: Machine> {
    commander: Commander<M>,
    events: Events<M>,
}

/// Handle that sends commands to a [`Driver`]'s machine. The link is closed when the last clone is dropped.
#[derive(Debug)]
pub struct Commander<M>(queue::Sender<Command<M>>);

/// A [`Commander`] that does not keep the link open.
#[derive(Debug)]
pub struct WeakCommander<M>(queue::WeakSender<Command<M>>);

/// Events of a [`Driver`]'s machine, and the end of its task.
#[derive(Debug)]
pub struct Events<M: Machine> {
    receiver: queue::Receiver<M::Event>,
    task: JoinHandle<()>,
}

/// The driver's task has ended: the link is closed and every event has been handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone;

/// Options of a driver.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DriverOptions {
    /// Time after which a peer that takes no data counts as gone.
    pub write_timeout: Option<Duration>,
}

type Observer<E> = Box<dyn FnMut(&E) + Send>;
type Work<M> = Box<dyn FnOnce(&mut M, Instant) + Send>;

enum Command<M> {
    Do(Work<M>),
    /// Reports that the operating system has taken everything sent before.
    Flush(oneshot::Sender<()>),
}

impl<M> Driver<M>
where
    M: Machine + Send + 'static,
    M::Event: Send,
{
    /// Runs `machine` on `link`. It must be called within a tokio runtime.
    pub fn spawn(link: impl AsyncRead + AsyncWrite + Send + 'static, machine: M) -> Self {
        Self::spawn_observed(link, machine, |_| ())
    }

    /// Like [`spawn`](Self::spawn), and passes each event to `observe` before anything else happens.
    pub fn spawn_observed(
        link: impl AsyncRead + AsyncWrite + Send + 'static,
        machine: M,
        observe: impl FnMut(&M::Event) + Send + 'static,
    ) -> Self {
        Self::start(
            link,
            machine,
            Some(Box::new(observe)),
            DriverOptions::default(),
        )
    }

    /// Like [`spawn`](Self::spawn), with options.
    pub fn spawn_with(
        link: impl AsyncRead + AsyncWrite + Send + 'static,
        machine: M,
        options: DriverOptions,
    ) -> Self {
        Self::start(link, machine, None, options)
    }

    fn start(
        link: impl AsyncRead + AsyncWrite + Send + 'static,
        machine: M,
        observe: Option<Observer<M::Event>>,
        options: DriverOptions,
    ) -> Self {
        let (commands, commands_in) = queue(COMMANDS_WAITING);
        let (events_out, receiver) = queue(EVENTS_WAITING);
        let conversation = Conversation::new(machine, observe, options);
        let task = tokio::spawn(conversation.run(link, commands_in, events_out));
        Self {
            commander: Commander(commands),
            events: Events { receiver, task },
        }
    }

    /// Runs a command on the machine, and returns its result.
    ///
    /// # Errors
    /// The link has closed.
    pub async fn command<R: Send + 'static>(
        &self,
        command: impl FnOnce(&mut M, Instant) -> R + Send + 'static,
    ) -> Result<R, Gone> {
        self.commander.command(command).await
    }

    /// Returns the half that sends commands.
    pub(crate) const fn commander(&self) -> &Commander<M> {
        &self.commander
    }

    /// Waits until the operating system has taken all data of the preceding commands. This waits forever if the peer
    /// takes no data.
    ///
    /// # Errors
    /// The link has closed.
    pub async fn flush(&self) -> Result<(), Gone> {
        let (done, is_done) = oneshot::channel();
        let flush = Command::Flush(done);
        self.commander.0.send(flush).await.map_err(|_| Gone)?;
        is_done.await.map_err(|_| Gone)
    }

    /// Returns the next event, or `None` once the link is closed and every event has been handed out.
    ///
    /// Cancel safe: no event is lost when this future is dropped.
    pub async fn next_event(&mut self) -> Option<M::Event> {
        self.events.next().await
    }

    /// Sends pending data, for at most a second, and closes the link.
    pub async fn close(self) {
        drop(self.commander);
        self.events.end().await;
    }

    /// Splits the driver into one half that sends commands, and one that receives events.
    #[must_use]
    pub fn split(self) -> (Commander<M>, Events<M>) {
        (self.commander, self.events)
    }
}

impl<M: Machine + 'static> Commander<M> {
    /// Runs a command on the machine, and returns its result.
    ///
    /// # Errors
    /// The link has closed.
    pub async fn command<R: Send + 'static>(
        &self,
        command: impl FnOnce(&mut M, Instant) -> R + Send + 'static,
    ) -> Result<R, Gone> {
        let (answer, answered) = oneshot::channel();
        let command = move |machine: &mut M, now| {
            // The application may have stopped waiting; the command still counts.
            let _ = answer.send(command(machine, now));
        };
        self.0
            .send(Command::Do(Box::new(command)))
            .await
            .map_err(|_| Gone)?;
        answered.await.map_err(|_| Gone)
    }

    /// Runs a command on the machine if the queue has space for it now; returns true if so.
    pub fn try_command(&self, command: impl FnOnce(&mut M, Instant) + Send + 'static) -> bool {
        self.0.try_send(Command::Do(Box::new(command))).is_ok()
    }

    /// Returns a commander that does not keep the link open.
    #[must_use]
    pub fn downgrade(&self) -> WeakCommander<M> {
        WeakCommander(self.0.downgrade())
    }
}

impl<M> WeakCommander<M> {
    /// Returns a commander, if another one still keeps the link open.
    #[must_use]
    pub fn upgrade(&self) -> Option<Commander<M>> {
        self.0.upgrade().map(Commander)
    }
}

impl<M: Machine> Events<M> {
    /// Returns the next event, or `None` once the link is closed and every event has been handed out. Cancel safe.
    pub async fn next(&mut self) -> Option<M::Event> {
        self.receiver.recv().await
    }

    /// Waits until the link is closed, without receiving more events.
    pub async fn end(self) {
        drop(self.receiver);
        // The task's panic, if there was one, has been reported by its own thread.
        let _ = self.task.await;
    }
}

impl<M> Clone for Commander<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<M> Clone for WeakCommander<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Limit of queued commands; the application waits for each answer anyway.
const COMMANDS_WAITING: usize = 8;
/// Limit of events that the application has not taken; more than a screen of output at once helps nobody.
const EVENTS_WAITING: usize = 64;
