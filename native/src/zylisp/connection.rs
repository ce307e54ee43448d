//! One client: its transport, its session, and the loop between them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    task::{Wake, Waker},
    time::Duration,
};

use flylead_core::{
    Input, Instant,
    zylisp::{Evaluator, Session, SessionEvent},
};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    task::yield_now,
    time,
};

use super::{
    files,
    server::{Shared, stopped},
    transport::Transport,
};

/// What others want of a connection.
pub(super) enum Control {
    /// Interrupt an evaluation, and say whether there was one.
    Interrupt {
        target: Option<String>,
        found: oneshot::Sender<bool>,
    },
    /// What came of an interrupt that this connection's client wanted elsewhere.
    Interrupted { id: String, found: bool },
}

/// The connections by the names of their sessions.
#[derive(Default)]
pub(super) struct Registry(Mutex<HashMap<String, mpsc::UnboundedSender<Control>>>);

pub(super) struct Connection {
    pub(super) transport: Transport,
    pub(super) session: Session<Box<dyn Evaluator + Send>>,
    pub(super) name: String,
    pub(super) shared: Arc<Shared>,
    pub(super) stopping: watch::Receiver<bool>,
    pub(super) started: time::Instant,
    /// Whether there is something to evaluate at once.
    pub(super) go: bool,
}

enum Next {
    Received,
    Failed,
    Control(Control),
    Stop,
    Go,
}

impl Connection {
    /// Serves the client until one side has had enough.
    pub(super) async fn run(mut self) {
        let (sender, mut control) = mpsc::unbounded_channel();
        self.shared.registry.insert(&self.name, sender.clone());
        self.serve(&sender, &mut control).await;
        self.shared.registry.remove(&self.name);
        // Whatever the evaluator still does for us ends with it.
        drop(self.session);
        let _ = time::timeout(CLOSE_TIMEOUT, self.transport.close()).await;
    }

    async fn serve(
        &mut self,
        sender: &mpsc::UnboundedSender<Control>,
        control: &mut mpsc::UnboundedReceiver<Control>,
    ) {
        let mut chunk = Vec::new();
        let awake = Arc::new(Awake(Notify::new()));
        let waker = Waker::from(Arc::clone(&awake));
        let mut drain_until = None;
        loop {
            if self.take_events(sender).await || !self.send().await {
                return;
            }
            if drain_until.is_some_and(|until| self.drained(until)) {
                return;
            }
            match self.next(&mut chunk, control, &awake.0, drain_until).await {
                Next::Received if chunk.is_empty() => self.input(Input::Closed),
                Next::Received => self.input(Input::Bytes(&chunk)),
                Next::Failed => return,
                Next::Control(control) => self.control(control),
                Next::Stop => drain_until = Some(self.now() + self.shared.config.drain),
                Next::Go => self.input(Input::Timeout),
            }
            self.go = self.session.run(self.now(), FUEL, &waker);
        }
    }

    /// Waits for the next thing to happen; not at all if there is something to evaluate.
    async fn next(
        &mut self,
        chunk: &mut Vec<u8>,
        control: &mut mpsc::UnboundedReceiver<Control>,
        awake: &Notify,
        drain_until: Option<Instant>,
    ) -> Next {
        let (draining, go) = (drain_until.is_some(), self.go);
        let reads = self.session.wants_input() && !draining;
        let drain_until = drain_until.map(|until| match until > self.now() {
            true => until,
            false => until + CLOSE_TIMEOUT,
        });
        let deadline = [self.session.deadline(), drain_until]
            .into_iter()
            .flatten()
            .min();
        let next = tokio::select! {
            biased;
            Some(control) = control.recv() => Next::Control(control),
            () = stopped(&mut self.stopping), if !draining => Next::Stop,
            received = self.transport.receive(chunk), if reads => match received {
                Ok(()) => Next::Received,
                Err(_) => Next::Failed,
            },
            () = async {}, if go => Next::Go,
            () = awake.notified() => Next::Go,
            () = sleep_until(self.started, deadline) => Next::Go,
        };
        if go {
            // The other connections' turn, and the sockets'.
            yield_now().await;
        }
        next
    }

    /// Sends everything that is to be sent, in one write. A client that does not read it in time is given up.
    async fn send(&mut self) -> bool {
        let bytes = self.session.take_transmit();
        if bytes.is_empty() {
            return true;
        }
        let sending = time::timeout(
            self.shared.config.write_timeout,
            self.transport.send(&bytes),
        );
        matches!(sending.await, Ok(Ok(())))
    }

    /// Does what only a driver can do for the session. Whether the session has ended.
    async fn take_events(&mut self, sender: &mpsc::UnboundedSender<Control>) -> bool {
        while let Some(event) = self.session.poll_event() {
            match event {
                SessionEvent::Load { path } => {
                    let config = &self.shared.config;
                    let source =
                        files::load(config.roots.clone(), path, config.message_limit).await;
                    self.session.loaded(self.now(), source);
                    self.go = self.session.is_busy();
                }
                SessionEvent::InterruptElsewhere {
                    id,
                    session,
                    target,
                } => {
                    self.interrupt_elsewhere(id, &session, target, sender.clone());
                }
                _ => {
                    self.send().await;
                    return true;
                }
            }
        }
        false
    }

    /// Asks the other connection, and lets the answer come in like anything else: two connections that interrupt
    /// each other must not wait for each other.
    fn interrupt_elsewhere(
        &self,
        id: String,
        session: &str,
        target: Option<String>,
        sender: mpsc::UnboundedSender<Control>,
    ) {
        let answer = self.shared.registry.interrupt(session, target);
        tokio::spawn(async move {
            let found = answer.await.unwrap_or(false);
            // The asker may have gone.
            let _ = sender.send(Control::Interrupted { id, found });
        });
    }

    fn control(&mut self, control: Control) {
        let now = self.now();
        match control {
            Control::Interrupt { target, found } => {
                // The asker may have gone.
                let _ = found.send(self.session.interrupt(now, target.as_deref()));
            }
            Control::Interrupted { id, found } => self.session.interrupted(now, id, found),
        }
    }

    /// Whether a server that stops may leave this client. What still runs after the time for that is interrupted.
    fn drained(&mut self, until: Instant) -> bool {
        let now = self.now();
        if now >= until {
            self.go |= self.session.interrupt(now, None);
        }
        self.session.is_idle() || now >= until + CLOSE_TIMEOUT
    }

    fn input(&mut self, input: Input<'_>) {
        self.session.handle_input(self.now(), input);
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }
}

impl Registry {
    fn insert(&self, name: &str, sender: mpsc::UnboundedSender<Control>) {
        self.lock().insert(name.to_owned(), sender);
    }

    fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    /// Whether that session had something to interrupt; nothing at all comes if there is no such session.
    fn interrupt(&self, session: &str, target: Option<String>) -> oneshot::Receiver<bool> {
        let (found, answer) = oneshot::channel();
        if let Some(sender) = self.lock().get(session) {
            // A connection that has just ended drops the answer.
            let _ = sender.send(Control::Interrupt { target, found });
        }
        answer
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, mpsc::UnboundedSender<Control>>> {
        // Whoever panicked held it for one insertion or removal, which is done or not done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes the connection's loop for an evaluator that waits.
struct Awake(Notify);

impl Wake for Awake {
    fn wake(self: Arc<Self>) {
        self.0.notify_one();
    }
}

async fn sleep_until(started: time::Instant, deadline: Option<Instant>) {
    match deadline {
        Some(moment) => time::sleep_until(started + moment.since_start()).await,
        None => std::future::pending().await,
    }
}

/// Operations in a turn: some tens of microseconds, so that nobody waits long for anything.
const FUEL: u64 = 5_000;

/// How long saying goodbye may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
