//! The sessions of a connection: its own, and cloned ones.

use alloc::{format, string::String, vec::Vec};
use core::task::Waker;

use super::{Interrupted, Job, News, Session, SessionLimits, World};
use crate::{
    Instant,
    zylisp::evaluator::{Abilities, EvaluatorFactory, Help, Question},
};
use zylisp_lang::Source;

/// The sessions of one connection. Their news carry the session's name and the request's id.
pub(crate) struct Sessions {
    /// The connection's own session is the first.
    list: Vec<Session>,
    limits: SessionLimits,
    factory: EvaluatorFactory,
    waker: Waker,
    /// Index of the session whose turn it is.
    turn: usize,
    /// Number of sessions created, for their names.
    made: usize,
}

/// Receiver of a session's name, a request's id, and the news about it.
pub(crate) type Told<'a> = &'a mut dyn FnMut(&str, &str, News);

impl Sessions {
    pub(crate) fn new(name: String, limits: SessionLimits, factory: EvaluatorFactory) -> Self {
        Self {
            list: [Session::new(name, None)].into(),
            limits,
            factory,
            waker: Waker::noop().clone(),
            turn: 0,
            made: 0,
        }
    }

    /// Sets the waker to call when an evaluator can continue.
    pub(crate) fn set_waker(&mut self, waker: Waker) {
        self.waker = waker;
    }

    pub(crate) fn rename(&mut self, name: String) {
        self.list[0].name = name;
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|session| session.name.as_str())
    }

    /// Returns true if the session exists here. A missing name stands for the connection's own session.
    pub(crate) fn has(&self, name: Option<&str>) -> bool {
        self.position(name).is_some()
    }

    /// Enqueues a job for a session.
    pub(crate) fn enqueue(&mut self, name: Option<&str>, job: Job) {
        if let Some(session) = self.find(name) {
            session.enqueue(job);
        }
    }

    /// Creates a session that begins with everything that another one contains.
    pub(crate) fn clone_of(&mut self, now: Instant, name: Option<&str>) -> Result<String, String> {
        if self.list.len() >= self.limits.sessions {
            let limit = self.limits.sessions;
            return Err(format!("a connection has at most {limit} sessions"));
        }
        let evaluator = self
            .with(now, name, |session, world| session.fork(world))
            .ok_or("there is no such session")??;
        self.made += 1;
        let name = format!("{}-{}", self.list[0].name, self.made);
        self.list.push(Session::new(name.clone(), Some(evaluator)));
        Ok(name)
    }

    /// Ends a session. The connection's own session is replaced by a new one. Returns true if the session existed.
    pub(crate) fn close(&mut self, now: Instant, name: Option<&str>, told: Told<'_>) -> bool {
        let Some(at) = self.position(name) else {
            return false;
        };
        let session = match at {
            0 => {
                let fresh = Session::new(self.list[0].name.clone(), None);
                core::mem::replace(&mut self.list[0], fresh)
            }
            _ => self.list.remove(at),
        };
        let name = session.name.clone();
        session.close(&self.world(now), &mut |id, news| told(&name, id, news));
        true
    }

    pub(crate) fn interrupt(
        &mut self,
        name: Option<&str>,
        target: Option<&str>,
        told: Told<'_>,
    ) -> Option<Interrupted> {
        let at = self.position(name)?;
        let mut found = Interrupted::Idle;
        self.telling(Instant::START, at, told, |session, _, tell| {
            found = session.interrupt(target, tell);
        });
        Some(found)
    }

    pub(crate) fn input(
        &mut self,
        now: Instant,
        name: Option<&str>,
        text: &str,
    ) -> Result<(), String> {
        self.with(now, name, |session, world| session.input(text, world))
            .ok_or("there is no such session")?
    }

    /// Returns the answer to a question about names, unless the evaluator requires a job for that.
    pub(crate) fn help(
        &mut self,
        now: Instant,
        name: Option<&str>,
        question: &Question,
    ) -> Option<Help> {
        self.with(now, name, |session, world| session.help(question, world))?
    }

    /// Returns the abilities of the session's evaluator; none if the session does not exist.
    pub(crate) fn abilities(&mut self, now: Instant, name: Option<&str>) -> Abilities {
        self.with(now, name, Session::abilities).unwrap_or_default()
    }

    pub(crate) fn loaded(
        &mut self,
        now: Instant,
        name: &str,
        source: Result<Source, String>,
        told: Told<'_>,
    ) {
        if let Some(at) = self.position(Some(name)) {
            self.telling(now, at, told, |session, world, tell| {
                session.loaded(source, world, tell);
            });
        }
    }

    /// Runs all sessions with work, in turn, while there is fuel.
    pub(crate) fn run(&mut self, now: Instant, fuel: &mut u64, told: Told<'_>) {
        for left in (1..=self.list.len()).rev() {
            self.turn = (self.turn + 1) % self.list.len();
            let share = *fuel / left as u64;
            let mut rest = share;
            self.telling(now, self.turn, told, |session, world, tell| {
                session.run(world, &mut rest, tell);
            });
            *fuel -= share - rest;
        }
    }

    /// Handles the passing of time.
    pub(crate) fn time_out(&mut self, now: Instant, told: Told<'_>) {
        for at in 0..self.list.len() {
            self.telling(now, at, told, |session, world, tell| {
                session.time_out(world, tell);
            });
        }
    }

    /// Records that some evaluator may be able to continue.
    pub(crate) fn awake(&mut self) {
        self.list.iter_mut().for_each(Session::awake);
    }

    pub(crate) fn wants_turn(&self) -> bool {
        self.list.iter().any(Session::wants_turn)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.list.iter().all(Session::is_idle)
    }

    /// Returns the memory held by waiting jobs, in bytes, and their number.
    pub(crate) fn queued(&self) -> (usize, usize) {
        self.list
            .iter()
            .map(Session::queued)
            .fold((0, 0), |(bytes, count), (more, others)| {
                (bytes + more, count + others)
            })
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        let deadlines = self.list.iter();
        deadlines
            .filter_map(|session| session.deadline(&self.limits))
            .min()
    }

    /// Ends everything without reporting it.
    pub(crate) fn abandon(&mut self) {
        let name = core::mem::take(&mut self.list[0].name);
        self.list = [Session::new(name, None)].into();
        self.turn = 0;
    }

    fn position(&self, name: Option<&str>) -> Option<usize> {
        match name {
            None => Some(0),
            Some(name) => self.list.iter().position(|session| session.name == name),
        }
    }

    fn find(&mut self, name: Option<&str>) -> Option<&mut Session> {
        self.position(name).map(|at| &mut self.list[at])
    }

    fn with<R>(
        &mut self,
        now: Instant,
        name: Option<&str>,
        work: impl FnOnce(&mut Session, &World<'_>) -> R,
    ) -> Option<R> {
        let at = self.position(name)?;
        Some(self.at(now, at, work))
    }

    fn at<R>(
        &mut self,
        now: Instant,
        at: usize,
        work: impl FnOnce(&mut Session, &World<'_>) -> R,
    ) -> R {
        let world = World {
            now,
            limits: &self.limits,
            factory: &self.factory,
            waker: &self.waker,
        };
        work(&mut self.list[at], &world)
    }

    /// Runs an operation on a session, and reports its news with its name.
    fn telling(
        &mut self,
        now: Instant,
        at: usize,
        told: Told<'_>,
        work: impl FnOnce(&mut Session, &World<'_>, &mut dyn FnMut(&str, News)),
    ) {
        self.at(now, at, |session, world| {
            let name = core::mem::take(&mut session.name);
            work(session, world, &mut |id, news| told(&name, id, news));
            session.name = name;
        });
    }

    fn world(&self, now: Instant) -> World<'_> {
        World {
            now,
            limits: &self.limits,
            factory: &self.factory,
            waker: &self.waker,
        }
    }
}
