//! A machine that is always drained, and the conditions its driver waits for.

use alloc::{collections::VecDeque, vec::Vec};
use core::mem;

use crate::{Input, Instant, Machine, Output};

/// Owns a [`Machine`], drains it after each change, and tells a driver what to wait for.
///
/// A driver only has to follow [`poll`](Self::poll): it delivers the events, waits for the first condition in the
/// [`Wait`], and reports it. This one blocks on a socket, and runs any machine here:
///
/// ```
#[doc = include_str!("../../doc/driver.rs")]
/// ```
///
/// A driver whose link queues its input, as the streams of a browser do, takes all bytes by
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

/// Conditions to wait for until the [`Pump`] is fed again. Report the first one to occur, then poll the pump again.
/// Without any condition, the conversation [is over](Self::is_over).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The peer takes bytes of [`Pump::unsent`]: report the number by [`Pump::sent`], and a link
    /// that takes none any more by [`Pump::write_failed`].
    pub write: bool,
    /// The peer sends: report [`Input::Bytes`], its end by [`Input::Closed`], and an error of the link by
    /// [`Pump::read_failed`]. While this is false, its bytes stay with the operating system, so that a peer that sends
    /// requests faster than they are answered has to wait.
    pub read: bool,
    /// The machine has pending work: report [`Input::Timeout`] as soon as other tasks, and bytes that are already
    /// available, have had their turn.
    pub turn: bool,
    /// Time at which to report [`Input::Timeout`].
    pub until: Option<Instant>,
    /// The application gives a command. While this is false, its next command waits, because the peer has left too many
    /// bytes unread.
    pub command: bool,
    over: bool,
}

impl Wait {
    /// Returns true once nothing more can happen: the peer has closed, every event was delivered, and the machine has
    /// nothing left to answer.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.over
    }
}

impl<M: Machine> Pump<M> {
    /// Wraps a machine, and collects its initial output.
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

    /// Feeds an input to the machine.
    pub fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let closed = matches!(input, Input::Closed);
        self.reads &= !closed;
        self.machine.handle_input(now, input);
        self.drain();
        if closed && self.machine.is_over() && !self.machine.answers() {
            // The peer has gone, and no more bytes are sent.
            self.unsent.clear();
        }
    }

    /// Passes a command of the application to the machine, and returns the result.
    pub fn command<R>(&mut self, command: impl FnOnce(&mut M) -> R) -> R {
        let answer = command(&mut self.machine);
        self.drain();
        answer
    }

    /// Returns the conditions to wait for.
    ///
    /// Nothing is read while an event awaits delivery; and a machine that [answers](Machine::answers) reads nothing
    /// while its peer leaves 64 KiB of answers unread. Neither queue therefore grows without bound.
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

    /// Returns the bytes for the peer, in order; bytes in later segments follow once these were [sent](Self::sent).
    #[must_use]
    pub fn unsent(&self) -> &[u8] {
        self.unsent.as_slices().0
    }

    /// Records that the peer has accepted this number of the [unsent](Self::unsent) bytes.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn sent(&mut self, length: usize) {
        self.unsent.drain(..length);
        if self.unsent.is_empty() {
            self.unsent.shrink_to(UNSENT_KEPT);
        }
    }

    /// Records that the peer accepts nothing more. Its last bytes may still be read, unless the machine
    /// [answers](Machine::answers): no answer could be delivered then.
    pub fn write_failed(&mut self, now: Instant) {
        self.writes = false;
        self.unsent.clear();
        if self.machine.answers() || !self.reads {
            self.read_failed(now);
        }
    }

    /// Records that the peer neither sends nor accepts anything. A machine that would continue after [`Input::Closed`]
    /// is told a second time.
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

    /// Takes all bytes to send, in order; empty if there are none.
    #[must_use = "bytes that are not sent are lost"]
    pub fn take_transmit(&mut self) -> Vec<u8> {
        mem::take(&mut self.unsent).into()
    }

    /// Returns the next event for the application.
    pub fn poll_event(&mut self) -> Option<M::Event> {
        self.events.pop_front()
    }

    /// Time at which to feed [`Input::Timeout`] if no other event occurs.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the machine, for inspection.
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

/// Number of unsent bytes above which commands have to wait.
const UNSENT_LIMIT: usize = 64 * 1024;
/// Capacity of the empty buffer for unsent bytes.
const UNSENT_KEPT: usize = 256;
