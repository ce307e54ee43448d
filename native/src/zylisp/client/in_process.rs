//! A session in this process. The caller itself evaluates, without a task in between; the session's own task takes over
//! anything longer than a slice.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flylead_core::{
    Instant,
    zylisp::{
        ClientEvent, InProcess, Reply, RequestId, ServerConfig, Zylisp,
        lang::{Budget, Limits},
    },
};
use tokio::{
    sync::{Notify, oneshot},
    task::yield_now,
    time,
};

use super::{
    ClientError, Session,
    dispatcher::{Dispatcher, Waiting, deliver},
    evaluation::{Make, Output, Pending, Printed},
};
use crate::zylisp::files;

/// The session and its task, which ends when this is dropped.
pub(super) struct Local(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    /// Signal of work for the task.
    changed: Notify,
    started: time::Instant,
}

struct State {
    zylisp: InProcess,
    dispatcher: Dispatcher,
    over: bool,
}

/// Result of a request.
enum Asked {
    Answered(Result<Reply, ClientError>),
    /// The evaluation continues, and needs the task for that.
    Begun(RequestId, oneshot::Receiver<Result<Reply, ClientError>>),
}

impl Local {
    pub(super) fn start() -> Self {
        let config = ServerConfig::default()
            .session("in-process".into())
            .transports(vec!["in-process".into()]);
        let factory = Zylisp::factory(Limits::default(), Budget::unlimited());
        let inner = Arc::new(Inner {
            state: Mutex::new(State {
                zylisp: InProcess::new(Instant::START, config, factory),
                dispatcher: Dispatcher::default(),
                over: false,
            }),
            changed: Notify::new(),
            started: time::Instant::now(),
        });
        tokio::spawn(Arc::clone(&inner).run());
        Self(inner)
    }

    /// Sends a request and evaluates for a slice: a short evaluation is answered without the task.
    pub(super) async fn request(self: Arc<Self>, make: impl Make) -> Result<Reply, ClientError> {
        match self.0.ask(make) {
            Asked::Answered(reply) => reply,
            Asked::Begun(request, answered) => {
                Pending::new(Session::Local(self), request, answered)
                    .wait()
                    .await
            }
        }
    }

    /// Leaves a request and its output to the task.
    pub(super) fn begin(
        self: Arc<Self>,
        make: impl Make,
        output: Option<Output>,
    ) -> Result<Pending, ClientError> {
        let (answer, answered) = oneshot::channel();
        let request = self.0.begin(make, Waiting { answer, output })?;
        Ok(Pending::new(Session::Local(self), request, answered))
    }

    pub(super) fn cancel(&self, request: RequestId) {
        let now = self.0.now();
        let mut state = self.0.state();
        state.dispatcher.forget(request);
        state.zylisp.command(now, |client| client.cancel(request));
        state.take_events();
        drop(state);
        self.0.changed.notify_one();
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.0.state().over = true;
        self.0.changed.notify_one();
    }
}

impl Inner {
    fn ask(&self, make: impl Make) -> Asked {
        let now = self.now();
        let mut state = self.state();
        match state.zylisp.command(now, make) {
            Err(_) => Asked::Answered(Err(ClientError::Lost)),
            Ok(request) => {
                let asked = state.answer(request);
                if state.zylisp.is_busy() {
                    self.changed.notify_one();
                }
                asked
            }
        }
    }

    fn begin(&self, make: impl Make, waiting: Waiting) -> Result<RequestId, ClientError> {
        let now = self.now();
        let mut state = self.state();
        let asked = state.zylisp.command(now, make);
        let request = asked.map_err(|_| ClientError::Lost)?;
        state.dispatcher.wait(request, waiting);
        state.take_events();
        self.changed.notify_one();
        Ok(request)
    }

    /// Runs the session's own task until all clients are gone.
    async fn run(self: Arc<Self>) {
        let mut held_up = VecDeque::new();
        while !self.state().over {
            let more = held_up.is_empty() && self.slice(&mut held_up);
            if self.load().await {
                continue;
            }
            let deadline = self.state().zylisp.deadline();
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                () = deliver(&mut held_up), if !held_up.is_empty() => {}
                () = yield_now(), if more => {}
                () = self.until(deadline), if deadline.is_some() => {}
            }
        }
    }

    async fn until(&self, deadline: Option<Instant>) {
        if let Some(deadline) = deadline {
            time::sleep_until(self.started + deadline.since_start()).await;
        }
    }

    /// Evaluates for a slice. Returns true if there is more to do at once.
    fn slice(&self, held_up: &mut VecDeque<(Output, Printed)>) -> bool {
        let mut state = self.state();
        let more = state.zylisp.run(self.now());
        state.take_events();
        held_up.append(&mut state.dispatcher.held_up);
        more
    }

    /// Reads a file that is to be loaded. Returns true if there was one.
    async fn load(&self) -> bool {
        let load = self.state().zylisp.poll_load();
        let Some((session, path)) = load else {
            return false;
        };
        let source = files::load_any(path, FILE_LIMIT).await;
        self.state().zylisp.loaded(self.now(), &session, source);
        true
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
    /// Returns the reply to the latest request, if it has arrived already.
    fn answer(&mut self, request: RequestId) -> Asked {
        let mut answered = None;
        while let Some(event) = self.zylisp.poll_event() {
            match event {
                ClientEvent::Reply(reply) if reply.request == request => answered = Some(reply),
                ClientEvent::Reply(_)
                | ClientEvent::Output { .. }
                | ClientEvent::NeedsInput { .. }
                | ClientEvent::Notice(_)
                | ClientEvent::Malformed(_)
                | ClientEvent::Lost { .. } => self.event(event),
            }
        }
        if let Some(reply) = answered {
            return Asked::Answered(Ok(reply));
        }
        let (answer, answered) = oneshot::channel();
        let output = None;
        self.dispatcher.wait(request, Waiting { answer, output });
        Asked::Begun(request, answered)
    }

    fn take_events(&mut self) {
        while let Some(event) = self.zylisp.poll_event() {
            self.event(event);
        }
    }

    fn event(&mut self, event: ClientEvent) {
        self.over |= self.dispatcher.event(event).is_break();
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").finish_non_exhaustive()
    }
}

/// The longest file that is loaded, in bytes.
const FILE_LIMIT: usize = 4 << 20;
