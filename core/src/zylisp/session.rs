//! A connection and its evaluator: all of a server but the sockets.

use alloc::{boxed::Box, collections::VecDeque, format, string::String, vec::Vec};
use core::{mem, task::Waker, time::Duration};

use super::{
    evaluator::{EvalError, Evaluator, Outcome, Progress},
    message::Message,
    server::{Finished, ServerConfig, ServerEvent, ServerLost, ZylispServer},
};
use crate::{Input, Instant, Pump};

/// One client's session: its environment lives as long as its connection.
///
/// A driver is this loop:
///
/// ```text
/// loop {
///     send   session.take_transmit()
///     while  let Some(event) = session.poll_event() { load a file, interrupt another session, hang up }
///     feed   what has arrived, without waiting while session.is_busy()
///     run    session.run(now, fuel, waker)
/// }
/// ```
#[derive(Debug)]
pub struct Session<E> {
    pump: Pump<ZylispServer>,
    evaluator: E,
    limits: SessionLimits,
    task: Task,
    events: VecDeque<SessionEvent>,
    closed: Option<Instant>,
    streamed: Instant,
    /// Bytes of output that the evaluator left out before the last that was streamed.
    omitted: usize,
}

/// How long a session's work may take.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionLimits {
    /// For one evaluation.
    pub eval: Option<Duration>,
    /// For everything that was asked by a client which then closed its side. A program that writes a request and
    /// closes still gets its answer; one that has crashed does not keep the processor busy.
    pub closed: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            eval: Some(Duration::from_secs(60)),
            closed: Duration::from_millis(25),
        }
    }
}

/// What only a driver can do for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// Read this file, and give it to [`loaded`](Session::loaded).
    Load {
        /// The path, as the client gave it.
        path: String,
    },
    /// Interrupt another session, and say so to [`interrupted`](Session::interrupted).
    InterruptElsewhere {
        /// The id of the request, to be given back.
        id: String,
        /// The other session.
        session: String,
        /// The evaluation there; without it, the one that runs.
        target: Option<String>,
    },
    /// Close the connection, after what is still to be sent. Nothing runs any more.
    Ended {
        /// The client's fault, if it was one.
        reason: Option<ServerLost>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Task {
    Idle,
    Loading,
    Evaluating {
        since: Instant,
        stopped: Option<Stopped>,
    },
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Stopped {
    Interrupted,
    TimedOut,
}

impl<E: Evaluator> Session<E> {
    /// A session that begins at `now`.
    #[must_use]
    pub fn new(now: Instant, config: ServerConfig, limits: SessionLimits, evaluator: E) -> Self {
        Self {
            pump: Pump::new(ZylispServer::new(now, config)),
            evaluator,
            limits,
            task: Task::Idle,
            events: VecDeque::new(),
            closed: None,
            streamed: now,
            omitted: 0,
        }
    }

    /// A session of a client in the same process: nothing is encoded. Messages come in by
    /// [`handle_message`](Self::handle_message), and go by [`take_message`](Self::take_message).
    #[must_use]
    pub fn in_process(
        now: Instant,
        config: ServerConfig,
        limits: SessionLimits,
        evaluator: E,
    ) -> Self {
        Self {
            pump: Pump::new(ZylispServer::in_process(now, config.clone())),
            ..Self::new(now, config, limits, evaluator)
        }
    }

    /// Takes in a message of a client in the same process.
    pub fn handle_message(&mut self, now: Instant, message: Message) {
        self.pump
            .command(|server| server.handle_message(now, message));
        self.take_events(now);
    }

    /// The next message to a client in the same process.
    pub fn take_message(&mut self) -> Option<Box<Message>> {
        self.pump.command(ZylispServer::take_message)
    }

    /// Feeds what the client sent, that it closed its side, or that time has passed.
    pub fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.pump.handle_input(now, input);
        self.take_events(now);
    }

    /// Evaluates for at most about `fuel` operations; more than one request if they are short. Whether there is
    /// more to do at once: if not, a [busy](Self::is_busy) session waits for its waker.
    pub fn run(&mut self, now: Instant, fuel: u64, waker: &Waker) -> bool {
        let mut waiting = false;
        for _ in 0..RUNS {
            let Task::Evaluating { since, stopped } = self.task else {
                break;
            };
            if stopped.is_none() && self.limits.eval.is_some_and(|limit| now - since >= limit) {
                self.stop(Stopped::TimedOut);
            }
            match self.evaluator.run(fuel / RUNS, waker) {
                Progress::Done(outcome) => self.done(now, outcome),
                Progress::OutOfFuel => {}
                Progress::Waiting => {
                    waiting = true;
                    break;
                }
            }
        }
        if waiting || now - self.streamed >= STREAM_PAUSE {
            self.stream(now);
        }
        self.end_if_left(now);
        self.is_busy() && !waiting
    }

    /// Gives the file that [`SessionEvent::Load`] asked for, or why there is none.
    pub fn loaded(&mut self, now: Instant, source: Result<String, String>) {
        if self.task != Task::Loading {
            return;
        }
        match source {
            Ok(source) => self.begin(now, &source),
            Err(why) => self.finish(now, Outcome::Failed(why)),
        }
    }

    /// Interrupts an evaluation from outside: the running one, or one that waits. Whether there was one.
    pub fn interrupt(&mut self, now: Instant, target: Option<&str>) -> bool {
        let found = self.pump.command(|server| server.interrupt(now, target));
        self.take_events(now);
        found
    }

    /// Answers [`SessionEvent::InterruptElsewhere`].
    pub fn interrupted(&mut self, now: Instant, id: String, found: bool) {
        self.pump
            .command(|server| server.interrupted(now, id, found));
    }

    /// What is to be sent.
    #[must_use = "bytes that are not sent are lost"]
    pub fn take_transmit(&mut self) -> Vec<u8> {
        self.pump.take_transmit()
    }

    /// What only the driver can do.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        self.events.pop_front()
    }

    /// Whether there is something to [`run`](Self::run).
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self.task, Task::Evaluating { .. })
    }

    /// Whether nothing runs and nothing waits for its turn.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.pump.machine().is_idle()
    }

    /// Whether to read on. Not while requests wait that fill the limit.
    #[must_use]
    pub fn wants_input(&self) -> bool {
        self.closed.is_none() && !self.pump.machine().is_full()
    }

    /// When to feed [`Input::Timeout`], or run, if nothing else happens before.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let left = self.closed.map(|closed| closed + self.limits.closed);
        let timed_out = match (self.task, self.limits.eval) {
            (
                Task::Evaluating {
                    since,
                    stopped: None,
                },
                Some(limit),
            ) => Some(since + limit),
            _ => None,
        };
        let deadlines = [self.pump.deadline(), left, timed_out];
        let over = self.task == Task::Ended;
        deadlines.into_iter().flatten().min().filter(|_| !over)
    }

    fn take_events(&mut self, now: Instant) {
        while let Some(event) = self.pump.poll_event() {
            match event {
                ServerEvent::Eval { code } => self.begin(now, &code),
                ServerEvent::Load { path } => {
                    self.task = Task::Loading;
                    self.events.push_back(SessionEvent::Load { path });
                }
                ServerEvent::Interrupt => self.stop(Stopped::Interrupted),
                ServerEvent::InterruptElsewhere {
                    id,
                    session,
                    target,
                } => {
                    self.events.push_back(SessionEvent::InterruptElsewhere {
                        id,
                        session,
                        target,
                    });
                }
                ServerEvent::Closed => self.closed = Some(now),
                ServerEvent::Lost { reason } => self.end(Some(reason)),
            }
        }
        self.end_if_left(now);
    }

    /// Sends what was printed so far, to a client that wants it before the end.
    fn stream(&mut self, now: Instant) {
        self.streamed = now;
        if !self.pump.machine().streams() {
            return;
        }
        let (output, omitted) = self.evaluator.take_output();
        self.omitted += omitted;
        if !output.is_empty() {
            self.pump.command(|server| server.output(now, output));
        }
    }

    fn begin(&mut self, now: Instant, code: &str) {
        self.evaluator.begin(code);
        self.task = Task::Evaluating {
            since: now,
            stopped: None,
        };
    }

    /// Stops what runs. A file that is still being read is not evaluated.
    fn stop(&mut self, why: Stopped) {
        match &mut self.task {
            Task::Evaluating {
                stopped: Some(_), ..
            }
            | Task::Idle
            | Task::Ended => {}
            Task::Evaluating { stopped, .. } => {
                *stopped = Some(why);
                self.evaluator.interrupt();
            }
            Task::Loading => {
                self.evaluator.begin("");
                self.evaluator.interrupt();
                self.task = Task::Evaluating {
                    since: Instant::START,
                    stopped: Some(why),
                };
            }
        }
    }

    fn done(&mut self, now: Instant, outcome: Outcome) {
        let Task::Evaluating { stopped, .. } = self.task else {
            return;
        };
        let outcome = match (outcome, stopped) {
            (Outcome::Interrupted, Some(Stopped::TimedOut)) => self.timed_out(),
            (outcome, _) => outcome,
        };
        self.finish(now, outcome);
    }

    fn timed_out(&self) -> Outcome {
        let limit = self.limits.eval.unwrap_or_default().as_secs_f32();
        Outcome::Error(EvalError {
            kind: "limit-error".into(),
            message: format!("the evaluation took longer than {limit} s"),
        })
    }

    fn finish(&mut self, now: Instant, outcome: Outcome) {
        self.task = Task::Idle;
        let (output, omitted) = self.evaluator.take_output();
        let finished = Finished {
            outcome,
            output,
            omitted: omitted + mem::take(&mut self.omitted),
        };
        self.pump.command(|server| server.finish(now, finished));
        self.take_events(now);
    }

    /// A client that closed its side is left when all is answered, or the time for that is over.
    fn end_if_left(&mut self, now: Instant) {
        if let Some(closed) = self.closed
            && (self.is_idle() || now >= closed + self.limits.closed)
        {
            self.end(None);
        }
    }

    fn end(&mut self, reason: Option<ServerLost>) {
        if mem::replace(&mut self.task, Task::Ended) == Task::Ended {
            return;
        }
        self.evaluator.interrupt();
        self.events.push_back(SessionEvent::Ended { reason });
    }
}

/// A loop that prints is sent in pieces worth a message each.
const STREAM_PAUSE: Duration = Duration::from_millis(10);

/// How many slices one run is cut into: short requests share a run, and their replies one write.
const RUNS: u64 = 16;
