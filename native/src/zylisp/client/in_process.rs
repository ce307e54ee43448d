//! A session in this process. Whoever asks evaluates, without a task in between; what takes longer than a slice, or
//! comes while something else runs, is for the session's own task.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::Waker,
};

use flylead_core::{
    Instant,
    zylisp::{
        ClientEvent, InProcess, Reply, RequestId, ServerConfig, SessionLimits, Zylisp,
        lang::{Interpreter, Limits},
    },
};
use tokio::{
    sync::{mpsc, oneshot},
    task::yield_now,
    time,
};

use super::{
    ClientError,
    desk::{Desk, Waiting, deliver},
    request::{Command, Make, Output},
};
use crate::zylisp::files;

pub(super) struct Local {
    state: Mutex<State>,
    /// Commands that were sent to the task and not carried out yet. What is asked after them comes after them.
    announced: AtomicUsize,
    started: time::Instant,
}

struct State {
    zylisp: InProcess<Zylisp>,
    desk: Desk,
    lost: bool,
}

/// What came of asking directly.
pub(super) enum Asked<M> {
    Answered(Result<Reply, ClientError>),
    /// It goes on, and needs the task for that.
    Begun(RequestId, oneshot::Receiver<Result<Reply, ClientError>>),
    /// Something else comes first: ask the task.
    NotNow(M),
}

impl Local {
    pub(super) fn new() -> Self {
        let mut config = ServerConfig::default();
        config.session = "in-process".into();
        config.transports = vec!["in-process".into()];
        let language = Zylisp::new(Interpreter::new(Limits::default()));
        let limits = SessionLimits::default();
        Self {
            state: Mutex::new(State {
                zylisp: InProcess::new(Instant::START, config, limits, language),
                desk: Desk::default(),
                lost: false,
            }),
            announced: AtomicUsize::new(0),
            started: time::Instant::now(),
        }
    }

    /// Says that a command is on its way to the task.
    pub(super) fn announce(&self) {
        self.announced.fetch_add(1, Ordering::AcqRel);
    }

    /// Asks the session, and evaluates for a slice.
    pub(super) fn ask<M: Make>(&self, make: M) -> Asked<M> {
        let Ok(mut state) = self.state.try_lock() else {
            return Asked::NotNow(make);
        };
        if state.zylisp.is_busy() || self.announced.load(Ordering::Acquire) > 0 {
            return Asked::NotNow(make);
        }
        let now = self.now();
        match state.zylisp.command(now, |client| make(client, now)) {
            Ok(request) => state.answer(now, request),
            Err(_) => Asked::Answered(Err(ClientError::Lost)),
        }
    }

    /// The session's own task, until all clients are gone.
    pub(super) async fn run(self: Arc<Self>, mut commands: mpsc::UnboundedReceiver<Command>) {
        let mut held_up = VecDeque::new();
        while !self.state().lost {
            let more = held_up.is_empty() && self.slice(&mut held_up);
            if self.load().await {
                continue;
            }
            tokio::select! {
                biased;
                command = commands.recv() => match command {
                    Some(command) => self.command(command),
                    None => return,
                },
                () = deliver(&mut held_up), if !held_up.is_empty() => {}
                () = yield_now(), if more => {}
            }
        }
    }

    /// Evaluates for a slice. Whether there is more to do at once.
    fn slice(&self, held_up: &mut VecDeque<(Output, String)>) -> bool {
        let mut state = self.state();
        let more = state.zylisp.run(self.now(), FUEL, Waker::noop());
        state.deliver();
        held_up.append(&mut state.desk.held_up);
        more
    }

    /// Reads a file that is to be loaded. Whether there was one.
    async fn load(&self) -> bool {
        let path = self.state().zylisp.poll_load();
        let Some(path) = path else {
            return false;
        };
        let source = files::load_any(path, FILE_LIMIT).await;
        self.state().zylisp.loaded(self.now(), source);
        true
    }

    fn command(&self, command: Command) {
        let mut state = self.state();
        state.command(self.now(), command);
        self.announced.fetch_sub(1, Ordering::AcqRel);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of the evaluator leaves a session that still answers.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Instant {
        Instant::after_start(self.started.elapsed())
    }
}

impl State {
    fn command(&mut self, now: Instant, command: Command) {
        match command {
            Command::Request {
                make,
                made,
                answer,
                output,
            } => {
                let asked = self.zylisp.command(now, |client| make(client, now));
                if let Ok(request) = asked {
                    self.desk.wait(request, Waiting { answer, output });
                    if made.send(request).is_err() {
                        self.cancel(now, request);
                    }
                }
            }
            Command::Cancel(request) => self.cancel(now, request),
            Command::GoOn => {}
        }
        self.deliver();
    }

    fn cancel(&mut self, now: Instant, request: RequestId) {
        self.desk.forget(request);
        self.zylisp
            .command(now, |client| client.cancel(now, request));
    }

    /// Evaluates for a slice what was just asked.
    fn answer<M>(&mut self, now: Instant, request: RequestId) -> Asked<M> {
        self.zylisp.run(now, FUEL, Waker::noop());
        let mut answered = None;
        while let Some(event) = self.zylisp.poll_event() {
            match event {
                ClientEvent::Reply(reply) if reply.request == request => answered = Some(reply),
                event => self.event(event),
            }
        }
        if let Some(reply) = answered {
            return Asked::Answered(Ok(reply));
        }
        let (answer, answered) = oneshot::channel();
        let output = None;
        self.desk.wait(request, Waiting { answer, output });
        Asked::Begun(request, answered)
    }

    fn deliver(&mut self) {
        while let Some(event) = self.zylisp.poll_event() {
            self.event(event);
        }
    }

    fn event(&mut self, event: ClientEvent) {
        self.lost |= self.desk.event(event).is_break();
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").finish_non_exhaustive()
    }
}

/// Operations in a slice: some tens of microseconds, so that an interrupt is seen soon.
const FUEL: u64 = 5_000;

/// The longest file that is loaded, in bytes.
const FILE_LIMIT: usize = 4 << 20;
