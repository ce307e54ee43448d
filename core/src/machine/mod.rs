//! The convention that every protocol here follows.

pub(crate) mod pump;
pub(crate) mod setters;
pub(crate) mod time;
pub mod trace;

use alloc::vec::Vec;
use core::fmt::Debug;

use crate::Instant;

/// A protocol with no I/O of its own: events go in, and actions come out.
///
/// Every machine has two groups of methods, and their names tell who calls them. The outside world calls
/// [`handle_input`](Self::handle_input); the driver calls [`poll_output`](Self::poll_output); the application calls the
/// machine's own verbs (`exec`, `eval`, …), which take `now` first and return an error if the caller is at fault.
/// Faults of the peer are events.
///
/// The machine must be drained after every input and every verb: call `poll_output` until it returns [`Output::Idle`].
/// [`Pump`](crate::Pump) does this, so a driver cannot forget to.
pub trait Machine {
    /// Event for the application.
    type Event: Debug;

    /// Handles one input at `now`. Bytes may be split anywhere. It cannot fail: faults in the input become events.
    fn handle_input(&mut self, now: Instant, input: Input<'_>);

    /// Returns the next action, or [`Output::Idle`] if there is none until more input arrives.
    fn poll_output(&mut self) -> Output<Self::Event>;

    /// Returns true if the machine accepts bytes. While it does not, a driver leaves them with the operating system, so
    /// that a peer that sends requests faster than they are answered has to wait.
    fn wants_input(&self) -> bool {
        true
    }

    /// Returns true if work remains that needs no further input. A driver feeds [`Input::Timeout`] for it as soon as
    /// the peer has accepted most of the unsent bytes and other tasks had their turn.
    fn wants_turn(&self) -> bool {
        false
    }

    /// Returns true if the machine answers requests of its peer. Nothing is then read while the peer leaves too many
    /// answers unread. A client must continue to read meanwhile, or both sides may wait for each other.
    fn answers(&self) -> bool {
        false
    }

    /// Returns true if the machine has nothing left to send once the peer has closed its side. A machine that still has
    /// answers to send returns false, and its driver keeps the link until it returns true.
    fn is_over(&self) -> bool {
        true
    }
}

/// Input to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// The peer sent these bytes.
    Bytes(&'a [u8]),
    /// The peer is gone: end of stream, unplugged, refused. Nothing can be sent any more, except by a machine that
    /// continues afterwards ([`Machine::is_over`]); it is told a second time when sending fails.
    Closed,
    /// Time has passed. An early or repeated call has no effect.
    Timeout,
}

/// Action that a machine requests.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Output<E> {
    /// Send these bytes to the peer, in this order. Never empty.
    Transmit(Vec<u8>),
    /// Report this event to the application.
    Event(E),
    /// Do nothing until more input arrives, or until this time, if given.
    Idle(Option<Instant>),
}
