//! A machine that cannot be left undrained.

use alloc::{collections::VecDeque, vec::Vec};
use core::mem;

use crate::{Input, Instant, Machine, Output};

/// Owns a [`Machine`] and drains it after each change, so no driver can forget to.
///
/// A driver is this loop:
///
/// ```text
/// loop {
///     send   pump.take_transmit()
///     while  let Some(event) = pump.poll_event() { hand it out }
///     wait   for the first of: chunk · closed · command · pump.deadline()
///     feed   exactly that one
/// }
/// ```
#[derive(Debug)]
pub struct Pump<M: Machine> {
    machine: M,
    transmit: Vec<u8>,
    events: VecDeque<M::Event>,
    deadline: Option<Instant>,
}

impl<M: Machine> Pump<M> {
    /// Takes the machine and whatever it wants done at once.
    pub fn new(machine: M) -> Self {
        let mut pump = Self {
            machine,
            transmit: Vec::new(),
            events: VecDeque::new(),
            deadline: None,
        };
        pump.drain();
        pump
    }

    /// Feeds what happened.
    pub fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.machine.handle_input(now, input);
        self.drain();
    }

    /// Gives the machine a command of the application, and returns what it answers.
    pub fn command<R>(&mut self, command: impl FnOnce(&mut M) -> R) -> R {
        let answer = command(&mut self.machine);
        self.drain();
        answer
    }

    /// Everything to be sent, in order; empty when there is nothing.
    #[must_use = "bytes that are not sent are lost"]
    pub fn take_transmit(&mut self) -> Vec<u8> {
        mem::take(&mut self.transmit)
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<M::Event> {
        self.events.pop_front()
    }

    /// When to feed [`Input::Timeout`] if nothing else happens before.
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
                Output::Transmit(bytes) if self.transmit.is_empty() => self.transmit = bytes,
                Output::Transmit(bytes) => self.transmit.extend_from_slice(&bytes),
                Output::Event(event) => self.events.push_back(event),
                Output::Idle(deadline) => {
                    self.deadline = deadline;
                    return;
                }
            }
        }
    }
}
