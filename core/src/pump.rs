//! A machine that cannot be left undrained, and what its driver waits for.

use alloc::{collections::VecDeque, vec::Vec};
use core::mem;

use crate::{Input, Instant, Machine, Output};

/// Owns a [`Machine`], drains it after each change, and tells a driver what to wait for.
///
/// A driver needs no other rule than [`poll`](Self::poll): it hands out the events, waits for the
/// first thing that the [`Wait`] names, and reports it. This one blocks on a socket, and runs any
/// machine here:
///
/// ```
#[doc = include_str!("../doc/driver.rs")]
/// ```
///
/// A driver whose link queues what it is given, as the streams of a browser do, takes all of it by
/// [`take_transmit`](Self::take_transmit) instead.
#[derive(Debug)]
pub struct Pump<M: Machine> {
    machine: M,
    unsent: VecDeque<u8>,
    events: VecDeque<M::Event>,
    deadline: Option<Instant>,
    /// True while the peer may send.
    reads: bool,
    /// True while the peer may receive.
    writes: bool,
}

/// Conditions to wait for until the [`Pump`] is fed again. Whichever comes first is reported, then
/// the pump is polled again. Without any, the conversation [is over](Self::is_over).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The peer takes bytes of [`Pump::unsent`]: report the number by [`Pump::sent`], and a link
    /// that takes none any more by [`Pump::write_failed`].
    pub write: bool,
    /// The peer sends: report [`Input::Bytes`], its end by [`Input::Closed`], and an error of the
    /// link by [`Pump::read_failed`]. While this is false its bytes stay with the operating
    /// system, so that a peer that asks faster than it is answered has to wait.
    pub read: bool,
    /// The machine has work at hand: report [`Input::Timeout`] as soon as other tasks, and bytes
    /// that are there already, had their turn.
    pub turn: bool,
    /// Time at which to report [`Input::Timeout`].
    pub until: Option<Instant>,
    /// The application gives a command. While this is false its next one waits, for the peer has
    /// left too many bytes unread.
    pub command: bool,
    over: bool,
}

impl Wait {
    /// Returns true once nothing can happen any more: the peer has closed, every event is handed
    /// out, and the machine has nothing left to answer.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.over
    }
}

impl<M: Machine> Pump<M> {
    /// Takes the machine and whatever it wants done at once.
    pub fn new(machine: M) -> Self {
        let mut pump = Self {
            machine,
            unsent: VecDeque::new(),
            events: VecDeque::new(),
            deadline: None,
            reads: true,
            writes: true,
        };
        pump.drain();
        pump
    }

    /// Feeds what happened.
    pub fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let closed = matches!(input, Input::Closed);
        self.reads &= !closed;
        self.machine.handle_input(now, input);
        self.drain();
        if closed && self.machine.is_over() && !self.machine.answers() {
            // The peer has gone, and nothing is owed to it.
            self.unsent.clear();
        }
    }

    /// Gives the machine a command of the application, and returns what it answers.
    pub fn command<R>(&mut self, command: impl FnOnce(&mut M) -> R) -> R {
        let answer = command(&mut self.machine);
        self.drain();
        answer
    }

    /// Returns the conditions to wait for.
    ///
    /// Nothing is read while an event waits to be handed out; and a machine that
    /// [answers](Machine::answers) reads nothing while its peer leaves 64 KiB of answers unread.
    /// So neither queue grows without bound.
    #[must_use]
    pub fn poll(&self) -> Wait {
        let is_told = self.events.is_empty();
        let has_room = self.unsent.len() < UNSENT_LIMIT;
        let may_read = self.machine.wants_input() && (has_room || !self.machine.answers());
        Wait {
            write: !self.unsent.is_empty(),
            read: self.reads && is_told && may_read,
            turn: is_told && has_room && self.machine.wants_turn(),
            until: self.deadline,
            command: has_room,
            over: !self.reads && is_told && self.machine.is_over(),
        }
    }

    /// Bytes for the peer, in order; those behind a seam come after these were [sent](Self::sent).
    #[must_use]
    pub fn unsent(&self) -> &[u8] {
        self.unsent.as_slices().0
    }

    /// The peer has taken this number of the [unsent](Self::unsent) bytes.
    ///
    /// # Panics
    /// There are not as many.
    pub fn sent(&mut self, length: usize) {
        self.unsent.drain(..length);
        if self.unsent.is_empty() {
            self.unsent.shrink_to(UNSENT_KEPT);
        }
    }

    /// The peer takes nothing more. What it said last may still be read, unless the machine
    /// [answers](Machine::answers): then nobody can be answered any more.
    pub fn write_failed(&mut self, now: Instant) {
        self.writes = false;
        self.unsent.clear();
        if self.machine.answers() || !self.reads {
            self.read_failed(now);
        }
    }

    /// The peer neither sends nor takes anything. A machine that would go on after
    /// [`Input::Closed`] is told a second time.
    pub fn read_failed(&mut self, now: Instant) {
        self.writes = false;
        self.unsent.clear();
        for _ in 0..2 {
            if self.reads || !self.machine.is_over() {
                self.handle_input(now, Input::Closed);
            }
        }
    }

    /// Returns true once the peer has ended one of the two directions.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        !self.reads || !self.writes
    }

    /// Takes everything to be sent, in order; empty if there is nothing.
    #[must_use = "bytes that are not sent are lost"]
    pub fn take_transmit(&mut self) -> Vec<u8> {
        mem::take(&mut self.unsent).into()
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<M::Event> {
        self.events.pop_front()
    }

    /// Time at which to feed [`Input::Timeout`] if no other event occurs.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The machine, to look at.
    #[must_use]
    pub fn machine(&self) -> &M {
        &self.machine
    }

    fn drain(&mut self) {
        loop {
            match self.machine.poll_output() {
                Output::Transmit(bytes) => self.transmit(bytes),
                Output::Event(event) => self.events.push_back(event),
                Output::Idle(deadline) => {
                    self.deadline = deadline;
                    return;
                }
            }
        }
    }

    fn transmit(&mut self, bytes: Vec<u8>) {
        match (self.writes, self.unsent.is_empty()) {
            (false, _) => {}
            (true, true) => self.unsent = bytes.into(),
            (true, false) => self.unsent.extend(bytes),
        }
    }
}

/// Unsent bytes after which commands have to wait.
const UNSENT_LIMIT: usize = 64 * 1024;
/// Capacity of the empty buffer for unsent bytes.
const UNSENT_KEPT: usize = 256;
