//! The server's side of a connection: requests in, replies out, and evaluations in between.

mod config;
mod core;
mod dialect;
mod event;
mod zylisp;

use ::core::{fmt, mem, task::Waker};
use alloc::{string::String, sync::Arc};

use zylisp_lang::Source;

use super::{
    codec::{Malformed, MalformedReason, RequestBuilder, StreamDecoder},
    evaluator::EvaluatorFactory,
    session::Interrupted,
};
use crate::{Input, Instant, Machine, Output};

pub use config::ServerConfig;
pub(crate) use core::Core;
pub use dialect::Dialect;
pub use event::{InterruptElsewhere, Load, ServerEvent, ServerLost};
pub use zylisp::{ZylispDialect, ZylispServer};

/// A connection of a server: its protocol, its sessions and their evaluators; everything except sockets.
///
/// ```text
/// bytes ─► decoder ─► requests ─► dialect ─► sessions ─► evaluators, in slices
/// bytes ◄──────────── replies ◄── dialect ◄── news ◄──┘
/// ```
///
/// It is a machine like the others, with additional behavior: it wants its turn while there is something to evaluate
/// ([`Machine::wants_turn`]), reads nothing while too many requests are pending ([`Machine::wants_input`]), and
/// continues after the client has closed its side until everything is answered ([`Machine::is_over`]).
pub struct Server<D: Dialect> {
    core: Core,
    dialect: D,
    decoder: StreamDecoder<D::Tokens, RequestBuilder>,
}

impl<D: Dialect> Server<D> {
    pub(crate) fn speaking(
        now: Instant,
        dialect: D,
        config: Arc<ServerConfig>,
        factory: EvaluatorFactory,
    ) -> Self {
        let builder = RequestBuilder::new(D::field);
        Self {
            decoder: StreamDecoder::new(dialect.tokens(), builder, config.message_limit),
            core: Core::new(now, config, factory),
            dialect,
        }
    }

    /// Names the connection's session.
    #[must_use]
    pub fn named(mut self, session: impl Into<String>) -> Self {
        self.core.sessions.rename(session.into());
        self
    }

    /// Sets the waker to call when an evaluator can continue. The woken task calls [`awake`](Self::awake).
    pub fn set_waker(&mut self, waker: Waker) {
        self.core.sessions.set_waker(waker);
    }

    /// Continues evaluations that waited for something outside.
    pub fn awake(&mut self, now: Instant) {
        self.work(now);
    }

    /// Passes the file that [`ServerEvent::Load`] requested, or the reason why it cannot be read.
    pub fn loaded(&mut self, now: Instant, session: &str, source: Result<Source, String>) {
        let Self { core, dialect, .. } = self;
        core.with_sessions(dialect, |sessions, told| {
            sessions.loaded(now, session, source, told);
        });
        self.work(now);
    }

    /// Interrupts an evaluation for another connection: the running one, or a pending one; `None` if the session does
    /// not exist here.
    pub fn interrupt(
        &mut self,
        now: Instant,
        session: &str,
        target: Option<&str>,
    ) -> Option<Interrupted> {
        let Self { core, dialect, .. } = self;
        let found = core.interrupt(dialect, Some(session), target);
        self.work(now);
        found
    }

    /// Interrupts everything that runs here. Returns true if there was anything.
    pub fn interrupt_all(&mut self, now: Instant) -> bool {
        let Self { core, dialect, .. } = self;
        let found = core.interrupt_all(dialect);
        self.work(now);
        found
    }

    /// Answers [`ServerEvent::InterruptElsewhere`] with the result, if the session exists.
    pub fn interrupted(&mut self, id: String, found: Option<Interrupted>) {
        self.dialect.interrupted(&mut self.core, id, found);
        self.core.answered_elsewhere();
        self.core.end_if_left();
    }

    /// Returns true if nothing runs and nothing waits for its turn.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.core.sessions.is_idle()
    }

    /// Accepts a request, and starts to carry it out.
    pub(crate) fn request(&mut self, now: Instant, request: super::codec::Request) {
        if !self.core.is_lost() {
            self.core.faults = 0;
            self.dialect.request(&mut self.core, now, request);
            self.work(now);
        }
    }

    pub(crate) fn dialect(&mut self) -> &mut D {
        &mut self.dialect
    }

    /// Evaluates for a turn.
    fn work(&mut self, now: Instant) {
        let Self { core, dialect, .. } = self;
        // Evaluators that wait for something outside are always checked: a wake-up may lack the space to be reported.
        core.sessions.awake();
        let mut fuel = core.config.fuel;
        core.with_sessions(dialect, |sessions, told| sessions.run(now, &mut fuel, told));
        core.end_if_left();
    }

    fn receive(&mut self, now: Instant, bytes: &[u8]) {
        let Self {
            core,
            dialect,
            decoder,
        } = self;
        decoder.push(bytes, |found| {
            core.unfinished_since = None;
            match found {
                _ if core.is_lost() => {}
                Ok(request) => {
                    core.faults = 0;
                    dialect.request(core, now, request);
                }
                Err(malformed) => malformed_request(core, dialect, now, &malformed),
            }
        });
        if decoder.is_unfinished() {
            core.unfinished_since.get_or_insert(now);
        } else {
            core.unfinished_since = None;
        }
        if !core.reserve(decoder.bytes()) {
            let refused = decoder.give_up(MalformedReason::NoMemory);
            core.reserve(decoder.bytes());
            malformed_request(core, dialect, now, &refused);
        }
    }

    fn time_out(&mut self, now: Instant) {
        let Self {
            core,
            dialect,
            decoder,
        } = self;
        core.with_sessions(dialect, |sessions, told| sessions.time_out(now, told));
        core.probe(dialect, now);
        if let Some(reason) = core.overdue(now) {
            if reason == ServerLost::Unfinished {
                let after = core.config.message_timeout;
                let unfinished = decoder.give_up(MalformedReason::Unfinished { after });
                dialect.malformed(core, &unfinished);
            }
            core.lose(reason);
        }
    }
}

fn malformed_request<D: Dialect>(
    core: &mut Core,
    dialect: &mut D,
    now: Instant,
    malformed: &Malformed,
) {
    dialect.malformed(core, malformed);
    core.faults += 1;
    if malformed.reason == MalformedReason::Http {
        core.lose(ServerLost::Http);
    } else if core.faults >= core.config.fault_limit {
        core.lose(ServerLost::Garbage);
    } else if ends_stream::<D>(malformed) {
        core.unreadable(now, ServerLost::Garbage);
    }
}

/// Returns true if the start of the next message is ambiguous.
fn ends_stream<D: Dialect>(malformed: &Malformed) -> bool {
    D::FAULTS_ARE_FATAL && matches!(malformed.reason, MalformedReason::Syntax { .. })
}

impl<D: Dialect> Machine for Server<D> {
    type Event = ServerEvent;

    /// Handles an input. [`Input::Closed`] once means that the client sends nothing more, and twice that it accepts
    /// nothing more either.
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            _ if self.core.is_lost() => {}
            Input::Bytes(bytes) => self.receive(now, bytes),
            Input::Closed => self.core.closed(now),
            Input::Timeout => self.time_out(now),
        }
        if !self.core.is_lost() {
            self.work(now);
        }
    }

    fn poll_output(&mut self) -> Output<ServerEvent> {
        if !self.core.out.is_empty() {
            return Output::Transmit(mem::take(&mut self.core.out));
        }
        match self.core.events.pop_front() {
            Some(event) => Output::Event(event),
            None => Output::Idle(self.core.deadline()),
        }
    }

    fn wants_input(&self) -> bool {
        self.core.wants_input()
    }

    fn wants_turn(&self) -> bool {
        !self.core.is_lost() && self.core.sessions.wants_turn()
    }

    fn answers(&self) -> bool {
        true
    }

    fn is_over(&self) -> bool {
        self.core.is_lost()
    }
}

impl<D: Dialect> fmt::Debug for Server<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("config", &self.core.config)
            .finish_non_exhaustive()
    }
}
