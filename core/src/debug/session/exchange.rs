//! Commands to a stopped program, and what it answers.

use alloc::{collections::VecDeque, string::String, vec::Vec};
use core::time::Duration;

use super::{Action, BreakpointId, DebugError, End, Event, Reply, RequestId, Session};
use crate::{Instant, debug::rewrite::Dialect, raw_repl::LostReason};

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    /// Nobody.
    Nobody,
    /// The application: a value.
    Value(RequestId),
    /// The application: variables by these names, in this order, or as the board names them.
    Variables(RequestId, Option<Vec<String>>),
    /// The application: that it is done.
    Done(RequestId),
    /// Breakpoints that are set then.
    Breakpoints(Vec<BreakpointId>),
    /// One of several variables of a board that tells them one by one: the name, and whether it is the last.
    OneOf(RequestId, String, bool),
}

impl Session {
    /// Sends a command that will be answered once.
    pub(super) fn ask(&mut self, now: Instant, command: &str, expected: Expected) {
        self.type_line(command);
        self.expected.push_back(expected);
        if self.deadline.is_none() {
            self.deadline = Some(now + REPLY_TIMEOUT);
        }
    }

    /// Sends a command that will not be answered.
    pub(super) fn type_line(&mut self, command: &str) {
        let end = match self.dialect() {
            Dialect::Walrus => '\n',
            Dialect::Old => '\r',
        };
        if self.dialect() == Dialect::Old {
            self.echo.expect(command);
        }
        let line = [command.as_bytes(), &[end as u8]].concat();
        self.output.push_back(Action::Send(line));
    }

    /// The request that this answer is for.
    pub(super) fn answered(&mut self, now: Instant) -> Option<Expected> {
        let expected = self.expected.pop_front();
        self.interrupted = false;
        self.deadline = (!self.expected.is_empty()).then(|| now + REPLY_TIMEOUT);
        expected
    }

    pub(super) fn next_request(&mut self) -> RequestId {
        self.last_request += 1;
        RequestId(self.last_request)
    }

    pub(super) fn reply(&mut self, id: RequestId, reply: Result<Reply, DebugError>) {
        self.tell(Event::Replied { id, reply });
    }

    /// The program no longer waits: what was asked for stays unanswered.
    pub(super) fn forget_stop(&mut self) {
        self.stop = None;
        self.frames.clear();
        self.deadline = None;
        self.partial.clear();
        for expected in core::mem::take(&mut self.expected) {
            match expected {
                Expected::Value(id)
                | Expected::Variables(id, _)
                | Expected::Done(id)
                | Expected::OneOf(id, _, true) => {
                    self.reply(id, Err(DebugError::Running));
                }
                Expected::Nobody | Expected::Breakpoints(_) | Expected::OneOf(..) => {}
            }
        }
    }

    /// Interrupts the running program, again and again: Ctrl-C is lost on a board that has not begun to run it.
    pub(super) fn interrupt(&mut self, now: Instant) {
        self.output.push_back(Action::Interrupt);
        self.deadline = Some(now + INTERRUPT_AGAIN);
    }

    /// What is due at `now`: a program that did not stop for Ctrl-C gets another one, an expression that takes too long
    /// is interrupted, and a board that says nothing even then is given up.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        if self.stop.is_none() && (self.asked.pause || self.asked.terminate) {
            self.interrupt(now);
        } else if self.interrupted {
            let after = REPLY_TIMEOUT + INTERRUPT_TIMEOUT;
            self.end(End::Lost(LostReason::TimedOut { after }));
        } else {
            self.interrupted = true;
            self.deadline = Some(now + INTERRUPT_TIMEOUT);
            self.output.push_back(Action::Interrupt);
        }
    }
}

/// What a board that reads with `input()` sends back of what it reads, before it does anything with it.
#[derive(Debug, Default)]
pub(super) struct Echo(VecDeque<u8>);

impl Echo {
    fn expect(&mut self, line: &str) {
        self.0.extend(line.bytes().chain(*b"\r\n"));
    }

    /// Output without the echo that it begins with.
    pub(super) fn strip(&mut self, output: Vec<u8>) -> Vec<u8> {
        let same = output
            .iter()
            .zip(&self.0)
            .take_while(|(got, expected)| got == expected)
            .count();
        self.0.drain(..same);
        if same < output.len() {
            self.0.clear();
        }
        output[same..].to_vec()
    }
}

/// How long an expression may take.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a program may go on after Ctrl-C before it gets another one.
const INTERRUPT_AGAIN: Duration = Duration::from_secs(3);
/// How long a board may take to notice Ctrl-C.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);
