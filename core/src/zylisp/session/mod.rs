//! A session: an evaluator, its jobs, and their time limits, independent of any protocol.

mod job;
mod sessions;

use alloc::{collections::VecDeque, format, string::String};
use core::{mem, task::Waker, time::Duration};

use super::evaluator::{
    Abilities, BoxedEvaluator, EvalError, EvaluatorFactory, Help, Outcome, Progress, Question, Task,
};
use crate::Instant;

pub(crate) use job::{Finished, Job, News, Work};
pub use job::{Interrupted, SessionLimits};
pub(crate) use sessions::{Sessions, Told};

/// One environment and its evaluations, which run in the order of arrival.
pub(crate) struct Session {
    pub(crate) name: String,
    /// Evaluator, created when it is first needed: most sessions of an idle server never evaluate anything.
    evaluator: Option<BoxedEvaluator>,
    queue: VecDeque<Job>,
    queued: usize,
    running: Option<Running>,
    /// Time at which to release memory after an evaluation.
    tidy_at: Option<Instant>,
}

/// The job that was taken from the queue.
struct Running {
    id: String,
    streams: bool,
    state: State,
    since: Instant,
    stopped: Option<Stopped>,
    /// Time of the next interrupt, once the program has exceeded a limit.
    interrupt_again: Option<Instant>,
    /// True while the program reads, but its evaluator may have news.
    woken: bool,
    /// Time of the last report of output.
    streamed: Instant,
    /// Bytes of output that the evaluator had omitted before the last report.
    omitted: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// The driver is reading a file.
    Loading {
        page: usize,
    },
    Evaluating,
    /// The evaluator waits for something outside, and will wake the session.
    Waiting,
    /// The program has been waiting for input since then.
    Reading(Instant),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Stopped {
    Interrupted,
    TimedOut,
    NoInput,
}

/// Connection state that a session uses.
pub(crate) struct World<'a> {
    pub(crate) now: Instant,
    pub(crate) limits: &'a SessionLimits,
    pub(crate) factory: &'a EvaluatorFactory,
    pub(crate) waker: &'a Waker,
}

impl Session {
    pub(crate) const fn new(name: String, evaluator: Option<BoxedEvaluator>) -> Self {
        Self {
            name,
            evaluator,
            queue: VecDeque::new(),
            queued: 0,
            running: None,
            tidy_at: None,
        }
    }

    pub(crate) fn enqueue(&mut self, job: Job) {
        self.queued += job.bytes();
        self.queue.push_back(job);
    }

    /// Returns true if there is work to [`run`](Self::run) at once.
    pub(crate) fn wants_turn(&self) -> bool {
        match &self.running {
            Some(running) => running.state == State::Evaluating || running.woken,
            None => !self.queue.is_empty(),
        }
    }

    /// Returns true if nothing is running or waiting.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none() && self.queue.is_empty()
    }

    /// Returns the memory held by waiting jobs, in bytes, and their number.
    pub(crate) fn queued(&self) -> (usize, usize) {
        (self.queued, self.queue.len())
    }

    /// Works while there is fuel and work that can continue. News are reported with the request's id.
    pub(crate) fn run(
        &mut self,
        world: &World<'_>,
        fuel: &mut u64,
        tell: &mut dyn FnMut(&str, News),
    ) {
        self.tidy(world.now);
        while *fuel > 0 && self.wants_turn() {
            if self.running.is_none() {
                self.begin_next(world, tell);
                continue;
            }
            self.check_time(world);
            if let Some(running) = &mut self.running {
                running.woken = false;
            }
            let before = *fuel;
            let progress = self.evaluator(world).run(fuel, world.waker);
            // The protocol's own work on a request also counts as some operations.
            *fuel = fuel.saturating_sub(match before - *fuel {
                0 => before,
                _ => FUEL_PER_STEP,
            });
            self.progress(world, progress, tell);
        }
    }

    /// Passes the requested file, or the reason why it cannot be read.
    pub(crate) fn loaded(
        &mut self,
        source: Result<zylisp_lang::Source, String>,
        world: &World<'_>,
        tell: &mut dyn FnMut(&str, News),
    ) {
        let Some(running) = &mut self.running else {
            return;
        };
        let State::Loading { page } = running.state else {
            return;
        };
        match (source, running.stopped) {
            (_, Some(_)) => self.finish(world, Outcome::Interrupted, tell),
            (Ok(source), None) => {
                running.state = State::Evaluating;
                running.since = world.now;
                self.evaluator(world).begin(Task::Eval { source, page });
            }
            (Err(why), None) => self.finish(world, Outcome::Failed(why), tell),
        }
    }

    /// Records that the evaluator may be able to continue.
    pub(crate) fn awake(&mut self) {
        if let Some(running) = &mut self.running {
            match running.state {
                State::Waiting => running.state = State::Evaluating,
                State::Reading(_) => running.woken = true,
                State::Loading { .. } | State::Evaluating => {}
            }
        }
    }

    /// Interrupts the evaluation with that id, or the running one. A waiting one is removed from the queue and
    /// reported.
    pub(crate) fn interrupt(
        &mut self,
        target: Option<&str>,
        tell: &mut dyn FnMut(&str, News),
    ) -> Interrupted {
        if self.is_idle() {
            return Interrupted::Idle;
        }
        let is_target = |id: &str| target.is_none_or(|target| target == id);
        if let Some(running) = self
            .running
            .as_ref()
            .filter(|running| is_target(&running.id))
        {
            // A program may catch an interrupt: each one that a client asks for is passed on.
            let why = running.stopped.unwrap_or(Stopped::Interrupted);
            self.stop(why);
            return Interrupted::Found;
        }
        let Some(at) = self.queue.iter().position(|job| is_target(&job.id)) else {
            return Interrupted::Mismatch;
        };
        if let Some(job) = self.queue.remove(at) {
            self.queued -= job.bytes();
            let finished = Finished::without_output(Outcome::Interrupted);
            tell(&job.id, News::Done(finished));
        }
        Interrupted::Found
    }

    /// Passes this input to programs; an empty text is the end of the input.
    pub(crate) fn input(&mut self, text: &str, world: &World<'_>) -> Result<(), String> {
        self.evaluator(world).input(text)?;
        if let Some(running) = &mut self.running
            && let State::Reading(since) = running.state
        {
            running.state = State::Evaluating;
            running.since += world.now - since;
        }
        Ok(())
    }

    /// Returns the answer to a question about names, unless the evaluator requires a job for that.
    pub(crate) fn help(&mut self, question: &Question, world: &World<'_>) -> Option<Help> {
        self.evaluator(world).help(question)
    }

    pub(crate) fn abilities(&mut self, world: &World<'_>) -> Abilities {
        self.evaluator(world).abilities()
    }

    pub(crate) fn fork(&mut self, world: &World<'_>) -> Result<BoxedEvaluator, String> {
        self.evaluator(world).fork()
    }

    /// Ends everything: the running job, and the waiting ones.
    pub(crate) fn close(mut self, world: &World<'_>, tell: &mut dyn FnMut(&str, News)) {
        if let Some(running) = self.running.take() {
            self.evaluator(world).interrupt();
            let finished = Finished::without_output(Outcome::Interrupted);
            tell(&running.id, News::Done(finished));
        }
        for job in mem::take(&mut self.queue) {
            let finished = Finished::without_output(Outcome::Interrupted);
            tell(&job.id, News::Done(finished));
        }
    }

    /// Time at which to run it if no other event occurs.
    pub(crate) fn deadline(&self, limits: &SessionLimits) -> Option<Instant> {
        let running = self.running.as_ref();
        let limit = running.and_then(|running| running.deadline(limits));
        let stream = running
            .filter(|running| running.streams && running.state == State::Waiting)
            .map(|running| running.streamed + STREAM_PAUSE);
        [limit, stream, self.tidy_at].into_iter().flatten().min()
    }

    /// Handles the passing of time.
    pub(crate) fn time_out(&mut self, world: &World<'_>, tell: &mut dyn FnMut(&str, News)) {
        self.tidy(world.now);
        self.check_time(world);
        if self
            .running
            .as_ref()
            .is_some_and(|running| running.state == State::Waiting)
        {
            self.stream(world.now, tell);
        }
    }

    fn evaluator(&mut self, world: &World<'_>) -> &mut BoxedEvaluator {
        self.evaluator.get_or_insert_with(|| (world.factory)())
    }

    fn begin_next(&mut self, world: &World<'_>, tell: &mut dyn FnMut(&str, News)) {
        let Some(job) = self.queue.pop_front() else {
            return;
        };
        self.queued -= job.bytes();
        self.tidy_at = None;
        let state = match &job.work {
            Work::Task(_) => State::Evaluating,
            Work::Load { page, .. } => State::Loading { page: *page },
        };
        match job.work {
            Work::Task(task) => self.evaluator(world).begin(task),
            Work::Load { path, .. } => tell(&job.id, News::Load(path)),
        }
        self.running = Some(Running {
            id: job.id,
            streams: job.streams,
            state,
            since: world.now,
            stopped: None,
            interrupt_again: None,
            woken: false,
            streamed: world.now,
            omitted: 0,
        });
    }

    fn progress(
        &mut self,
        world: &World<'_>,
        progress: Progress,
        tell: &mut dyn FnMut(&str, News),
    ) {
        match progress {
            Progress::Done(outcome) => return self.finish(world, outcome, tell),
            Progress::Form(answer) => {
                self.stream(world.now, tell);
                if let Some(running) = &self.running {
                    tell(&running.id, News::Form(answer));
                }
                return;
            }
            Progress::OutOfFuel => {}
            // A program that was reading still does.
            Progress::Waiting | Progress::NeedsInput if self.is_reading() => {}
            Progress::Waiting => self.become_state(State::Waiting),
            Progress::NeedsInput => return self.read(world, tell),
        }
        let due = |running: &Running| world.now - running.streamed >= STREAM_PAUSE;
        if self.running.as_ref().is_some_and(due) {
            self.stream(world.now, tell);
        }
    }

    fn is_reading(&self) -> bool {
        let state = self.running.as_ref().map(|running| running.state);
        matches!(state, Some(State::Reading(_)))
    }

    fn become_state(&mut self, state: State) {
        if let Some(running) = &mut self.running {
            running.state = state;
        }
    }

    /// Handles a program that reads. A client that accepts only one message cannot be notified: its input ends.
    fn read(&mut self, world: &World<'_>, tell: &mut dyn FnMut(&str, News)) {
        self.stream(world.now, tell);
        match &self.running {
            Some(running) if running.streams => tell(&running.id, News::NeedsInput),
            _ => {
                // The end of the input is never refused for lack of space.
                let _ = self.evaluator(world).input("");
                return;
            }
        }
        self.become_state(State::Reading(world.now));
    }

    /// Reports the output so far, to a client that requested streaming.
    fn stream(&mut self, now: Instant, tell: &mut dyn FnMut(&str, News)) {
        let (Some(running), Some(evaluator)) = (&mut self.running, &mut self.evaluator) else {
            return;
        };
        running.streamed = now;
        if !running.streams {
            return;
        }
        let (output, omitted) = evaluator.take_output();
        running.omitted += omitted;
        if !output.is_empty() {
            tell(&running.id, News::Output(output));
        }
    }

    /// Stops a job at its limit, and again after each pause until it ends.
    fn check_time(&mut self, world: &World<'_>) {
        let Some(running) = &mut self.running else {
            return;
        };
        let deadline = running.deadline(world.limits);
        if deadline.is_none_or(|deadline| world.now < deadline) {
            return;
        }
        let why = match (running.stopped, running.state) {
            (Some(why), _) if running.interrupt_again.is_some() => why,
            (_, State::Reading(_)) => Stopped::NoInput,
            _ => Stopped::TimedOut,
        };
        running.interrupt_again = Some(world.now + INTERRUPT_PAUSE);
        self.stop(why);
    }

    /// Stops the running job. A file still being read is not evaluated once it arrives.
    fn stop(&mut self, why: Stopped) {
        let Some(running) = &mut self.running else {
            return;
        };
        running.stopped = Some(why);
        if let State::Loading { .. } = running.state {
            return;
        }
        running.state = State::Evaluating;
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.interrupt();
        }
    }

    fn finish(&mut self, world: &World<'_>, outcome: Outcome, tell: &mut dyn FnMut(&str, News)) {
        let Some(running) = self.running.take() else {
            return;
        };
        let (output, omitted) = match &mut self.evaluator {
            Some(evaluator) => evaluator.take_output(),
            None => (String::new(), 0),
        };
        self.tidy_at = Some(world.now + TIDY_AFTER);
        let outcome = match (outcome, running.stopped) {
            (Outcome::Interrupted, Some(Stopped::TimedOut)) => timed_out(world.limits),
            (Outcome::Interrupted, Some(Stopped::NoInput)) => no_input(world.limits),
            (outcome, _) => outcome,
        };
        let finished = Finished {
            outcome,
            output,
            omitted: omitted + running.omitted,
        };
        tell(&running.id, News::Done(finished));
    }

    fn tidy(&mut self, now: Instant) {
        if self.running.is_none() && self.tidy_at.is_some_and(|at| now >= at) {
            self.tidy_at = None;
            self.queue.shrink_to_fit();
            if let Some(evaluator) = &mut self.evaluator {
                evaluator.tidy();
            }
        }
    }
}

impl Running {
    /// Returns the time at which the job is to be stopped, or stopped again.
    fn deadline(&self, limits: &SessionLimits) -> Option<Instant> {
        match self.state {
            State::Loading { .. } => None,
            _ if self.interrupt_again.is_some() => self.interrupt_again,
            // A program may catch a client's interrupt, so its limits stay in force.
            State::Reading(since) => Some(since + limits.input),
            State::Evaluating | State::Waiting => Some(self.since + limits.eval?),
        }
    }
}

fn timed_out(limits: &SessionLimits) -> Outcome {
    let limit = limits.eval.unwrap_or_default().as_secs_f32();
    let message = format!("the evaluation took longer than {limit} s");
    Outcome::Error(EvalError::new("limit-error", message))
}

fn no_input(limits: &SessionLimits) -> Outcome {
    let limit = limits.input.as_secs_f32();
    let message = format!("no input came within {limit} s");
    Outcome::Error(EvalError::new("limit-error", message))
}

/// Pause between reports of output, so that a loop that prints fills each message.
const STREAM_PAUSE: Duration = Duration::from_millis(10);

/// Pause between interrupts of a program that has exceeded a limit, and may catch the first ones or clean up.
const INTERRUPT_PAUSE: Duration = Duration::from_secs(5);

/// Idle time before memory is searched for parts to release.
const TIDY_AFTER: Duration = Duration::from_secs(1);

/// Cost of a request beside its evaluation, in operations.
const FUEL_PER_STEP: u64 = 50;
