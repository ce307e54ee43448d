//! The one convention that every protocol here follows.

use alloc::vec::Vec;
use core::fmt::Debug;

use crate::Instant;

/// A protocol with no I/O of its own: what happens goes in, what to do about it comes out.
///
/// Two groups of methods are on every machine, and the name says who calls them. The world calls
/// [`handle_input`](Self::handle_input); the driver calls [`poll_output`](Self::poll_output); the application calls
/// the machine's own verbs (`exec`, `eval`, …), which take `now` first and answer with a `Result` when the caller is
/// at fault. Faults of the peer are events.
///
/// After every input and every verb the machine must be drained: call `poll_output` until it answers
/// [`Output::Idle`]. [`Pump`](crate::Pump) does this, so a driver cannot forget to.
pub trait Machine {
    /// Event for the application.
    type Event: Debug;

    /// Takes in one thing that happened at `now`. Bytes may be split anywhere. It cannot fail: what is wrong with
    /// the input becomes an event.
    fn handle_input(&mut self, now: Instant, input: Input<'_>);

    /// The next thing to do, or [`Output::Idle`] when there is none until more input comes.
    fn poll_output(&mut self) -> Output<Self::Event>;

    /// Returns true if the machine accepts bytes. A driver leaves them with the operating system
    /// while they may not, so that a peer that asks faster than it is answered has to wait.
    fn wants_input(&self) -> bool {
        true
    }

    /// Returns true if work remains that needs no further input. A driver feeds [`Input::Timeout`]
    /// for it as soon as the peer has taken most of what was to be sent and others had their turn.
    fn wants_turn(&self) -> bool {
        false
    }

    /// Returns true if the machine answers requests of its peer. Nothing is then read while the peer
    /// leaves too many answers unread; a client must read on meanwhile, or both sides may wait for
    /// each other.
    fn answers(&self) -> bool {
        false
    }

    /// Returns true if the machine has nothing left to send once the peer has closed its side. One
    /// that still has something to answer then says no, and its driver keeps the link until it says
    /// yes.
    fn is_over(&self) -> bool {
        true
    }
}

/// One thing that happened to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// The peer sent these bytes.
    Bytes(&'a [u8]),
    /// The peer is gone: end of stream, unplugged, refused. Nothing can be sent any more, but by a machine that goes on
    /// after it ([`Machine::is_over`]), which is told a second time when that fails.
    Closed,
    /// Time has passed. Calling too early or too often does nothing.
    Timeout,
}

/// One thing that a machine wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Output<E> {
    /// Send these bytes to the peer, in this order. Never empty.
    Transmit(Vec<u8>),
    /// Tell the application.
    Event(E),
    /// Nothing to do before more input, or before this time if there is one.
    Idle(Option<Instant>),
}
