//! State of a connection for any protocol.

use alloc::{boxed::Box, collections::VecDeque, string::String, sync::Arc, vec::Vec};
use core::time::Duration;

use zylisp_lang::Share;

use super::{Dialect, InterruptElsewhere, Load, ServerConfig, ServerEvent, ServerLost};
use crate::{
    Instant,
    zylisp::{
        evaluator::EvaluatorFactory,
        session::{Interrupted, Job, News, Sessions, Told},
    },
};

/// Sessions, pending output and events, and deadlines for disconnecting a client.
pub struct Core {
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) sessions: Sessions,
    /// Data to send.
    pub(crate) out: Vec<u8>,
    pub(super) events: VecDeque<ServerEvent>,
    pub(super) faults: usize,
    /// Time since which an incomplete message has been arriving.
    pub(super) unfinished_since: Option<Instant>,
    /// Time at which a client that has not presented the token is disconnected.
    authorize_before: Option<Instant>,
    /// Time at which to check for a client that has closed its side.
    probe_at: Option<Instant>,
    /// Reason why the connection ends once everything is answered, if the client is at fault.
    fault: Option<ServerLost>,
    /// True once the client has closed its side.
    closed: bool,
    lost: bool,
    /// Number of unanswered interrupts of other connections' sessions.
    asked_elsewhere: usize,
    share: Share,
    /// Part of the share used by the incomplete message, in bytes.
    unfinished: usize,
}

impl Core {
    pub(super) fn new(now: Instant, config: Arc<ServerConfig>, factory: EvaluatorFactory) -> Self {
        let (name, limits) = (config.session.clone(), config.limits.clone());
        Self {
            sessions: Sessions::new(name, limits, factory),
            out: Vec::new(),
            events: VecDeque::new(),
            faults: 0,
            unfinished_since: None,
            authorize_before: config.token.is_some().then(|| now + config.token_timeout),
            probe_at: None,
            fault: None,
            closed: false,
            lost: false,
            asked_elsewhere: 0,
            share: config.budget.share(),
            unfinished: 0,
            config,
        }
    }

    /// Runs an operation on the sessions, whose reports the dialect words.
    pub(crate) fn with_sessions<D: Dialect, R>(
        &mut self,
        dialect: &mut D,
        work: impl FnOnce(&mut Sessions, Told<'_>) -> R,
    ) -> R {
        let Self {
            sessions,
            out,
            events,
            ..
        } = self;
        work(sessions, &mut |session, id, news| match news {
            News::Load(path) => events.push_back(ServerEvent::Load(Box::new(Load {
                session: session.into(),
                path,
            }))),
            News::Output(_) | News::Form(_) | News::NeedsInput | News::Done(_) => {
                dialect.news(out, session, id, news);
            }
        })
    }

    /// Enqueues a job for a session.
    ///
    /// # Errors
    /// There is not enough memory to store the job.
    pub(crate) fn enqueue(&mut self, session: Option<&str>, job: Job) -> Result<(), &'static str> {
        let bytes = job.bytes();
        if bytes > WITHOUT_ASKING && !self.reserve_with(bytes) {
            return Err("the server is out of memory for this request; try again later");
        }
        self.sessions.enqueue(session, job);
        Ok(())
    }

    pub(crate) fn interrupt<D: Dialect>(
        &mut self,
        dialect: &mut D,
        session: Option<&str>,
        target: Option<&str>,
    ) -> Option<Interrupted> {
        self.with_sessions(dialect, |sessions, told| {
            sessions.interrupt(session, target, told)
        })
    }

    /// Interrupts everything that runs. Returns true if there was anything.
    pub(super) fn interrupt_all<D: Dialect>(&mut self, dialect: &mut D) -> bool {
        let names: Vec<String> = self.sessions.names().map(String::from).collect();
        let found = names
            .iter()
            .filter(|name| self.interrupt(dialect, Some(name), None) == Some(Interrupted::Found));
        found.count() > 0
    }

    pub(crate) fn elsewhere(&mut self, id: String, session: String, target: Option<String>) {
        let elsewhere = InterruptElsewhere {
            id,
            session,
            target,
        };
        self.events
            .push_back(ServerEvent::InterruptElsewhere(Box::new(elsewhere)));
        self.asked_elsewhere += 1;
    }

    pub(super) fn answered_elsewhere(&mut self) {
        self.asked_elsewhere = self.asked_elsewhere.saturating_sub(1);
    }

    /// Returns true if the client has presented the token, or need not.
    pub(crate) fn is_authorized(&self) -> bool {
        self.authorize_before.is_none()
    }

    /// Checks the token that a client presents; returns true if it is correct.
    pub(crate) fn authorize(&mut self, shown: Option<&str>) -> bool {
        let wanted = self.config.token.as_deref().unwrap_or_default();
        let right = shown.is_some_and(|shown| !wanted.is_empty() && same(shown, wanted));
        if right {
            self.authorize_before = None;
        }
        right || self.is_authorized()
    }

    /// Disconnects the client, after pending output was sent.
    pub(crate) fn lose(&mut self, reason: ServerLost) {
        self.end(Some(reason));
    }

    pub(super) const fn is_lost(&self) -> bool {
        self.lost
    }

    /// Handles the end of the client's data; the second time, the client accepts nothing more either.
    pub(super) fn closed(&mut self, now: Instant) {
        if core::mem::replace(&mut self.closed, true) {
            self.end(None);
        } else {
            self.probe_at.get_or_insert(now + FIRST_PROBE);
        }
    }

    /// Handles unreadable input. Earlier requests are answered first.
    pub(super) fn unreadable(&mut self, now: Instant, reason: ServerLost) {
        self.fault.get_or_insert(reason);
        self.probe_at.get_or_insert(now + FIRST_PROBE);
    }

    /// Detects a client that has closed its side and has gone, by sending to it.
    pub(super) fn probe<D: Dialect>(&mut self, dialect: &mut D, now: Instant) {
        if self.probe_at.is_some_and(|at| now >= at) && !self.sessions.is_idle() {
            self.probe_at = Some(now + PROBE_EVERY);
            dialect.probe(self);
        }
    }

    /// Disconnects a client that closed its side, once everything is answered.
    pub(super) fn end_if_left(&mut self) {
        if self.probe_at.is_some() && self.sessions.is_idle() && self.asked_elsewhere == 0 {
            self.end(self.fault);
        }
    }

    /// Returns false while pending requests fill the limit, or after the end.
    pub(super) fn wants_input(&self) -> bool {
        self.probe_at.is_none() && !self.lost && !self.is_full()
    }

    /// Reserves memory for an unfinished message of this many bytes, and for pending requests; returns true if there is
    /// enough.
    pub(super) fn reserve(&mut self, unfinished: usize) -> bool {
        self.unfinished = unfinished;
        self.reserve_with(0)
    }

    /// Returns the reason to disconnect a client that is late.
    pub(super) fn overdue(&mut self, now: Instant) -> Option<ServerLost> {
        if self.authorize_before.is_some_and(|before| now >= before) {
            return Some(ServerLost::Unauthorized);
        }
        let since = self.unfinished_since?;
        if now < since + self.config.message_timeout {
            return None;
        }
        if self.is_full() {
            // The rest may be available; it is not read while so many requests are pending.
            self.unfinished_since = Some(now);
            return None;
        }
        Some(ServerLost::Unfinished)
    }

    /// Time at which to feed time if no other event occurs.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let unfinished = self.unfinished_since;
        let unfinished = unfinished.map(|since| since + self.config.message_timeout);
        let probe = self.probe_at.filter(|_| !self.sessions.is_idle());
        let deadlines = [
            self.authorize_before,
            unfinished,
            probe,
            self.sessions.deadline(),
        ];
        deadlines.into_iter().flatten().min().filter(|_| !self.lost)
    }

    fn end(&mut self, reason: Option<ServerLost>) {
        if !core::mem::replace(&mut self.lost, true) {
            self.sessions.abandon();
            self.events.push_back(ServerEvent::Ended { reason });
        }
    }

    fn is_full(&self) -> bool {
        let (bytes, count) = self.sessions.queued();
        bytes > self.config.message_limit || count > QUEUE_LIMIT
    }

    fn reserve_with(&mut self, more: usize) -> bool {
        let bytes = self.unfinished + self.sessions.queued().0 + more;
        let bytes = bytes.saturating_sub(WITHOUT_ASKING);
        bytes == self.share.bytes() || self.share.resize(bytes)
    }
}

/// Compares every byte, whatever the first difference is, so that the duration reveals nothing about the token.
fn same(shown: &str, wanted: &str) -> bool {
    let difference = shown
        .bytes()
        .zip(wanted.bytes())
        .fold(0, |difference, (a, b)| difference | (a ^ b));
    difference == 0 && shown.len() == wanted.len()
}

/// Limit of pending requests, regardless of their size.
const QUEUE_LIMIT: usize = 4096;

/// Memory that a connection may hold for received data without a request to the budget, in bytes.
const WITHOUT_ASKING: usize = 16 << 10;

/// Delay and interval of the checks for a client that has closed its side while it is served. On a socket, the end of a
/// client's data looks the same for one that still reads and one that has gone: only sending can distinguish them.
const FIRST_PROBE: Duration = Duration::from_millis(20);
const PROBE_EVERY: Duration = Duration::from_millis(20);
