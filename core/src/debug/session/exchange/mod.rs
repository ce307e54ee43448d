//! Commands to a stopped program, and their answers.

mod typed;

use alloc::{
    collections::VecDeque,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::time::Duration;

use memchr::memmem;

use super::{Action, BreakpointId, DebugError, End, Event, Reply, RequestId, Session};
use crate::{
    Instant,
    debug::{rewrite::Dialect, wire::Literal},
    raw_repl::LostReason,
};

pub(super) use typed::Typed;

/// Purpose of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    /// No recipient.
    Nobody,
    /// The application: a value.
    Value(RequestId),
    /// The application: variables with these names, in this order, or as named by the board.
    Variables(RequestId, Option<Vec<String>>),
    /// The application: confirmation.
    Done(RequestId),
    /// A stop at an exception: true if it is wanted.
    Condition,
    /// Breakpoints that are set then.
    Breakpoints(Vec<BreakpointId>),
    /// One of several variables of a board that reports them one by one: the name, and true for the last.
    OneOf(RequestId, String, bool),
}

impl Session {
    /// Sends a command that will be answered once.
    pub(super) fn ask(&mut self, now: Instant, command: &str, expected: Expected) {
        self.type_line(now, command);
        self.expected.push_back(expected);
        if self.deadline.is_none() {
            self.deadline = Some(now + REPLY_TIMEOUT);
        }
    }

    /// Sends a command that will not be answered.
    pub(super) fn type_line(&mut self, now: Instant, command: &str) {
        let command = format!("{}{command}", self.launch.token);
        match self.dialect() {
            Dialect::Walrus => self
                .output
                .push_back(Action::Send(format!("{command}\n").into_bytes())),
            Dialect::Old => {
                self.echo.expect(now, &command);
                self.type_on();
            }
        }
    }

    /// Types as much as the board has room for, of lines that it echoes as it reads them.
    pub(super) fn type_on(&mut self) {
        if let Some(bytes) = self.echo.due() {
            self.output.push_back(Action::Send(bytes));
        }
    }

    /// Gives back input that the board consumed in search of a command, but that was typed for the program.
    pub(super) fn give_back(&mut self, text: &str) {
        let text = match self.features {
            Some(features) if !features.has_files => text.replace('\n', "\r"),
            _ => text.to_string(),
        };
        // The raw REPL sends Ctrl-A to find out if a program has ended, and this session requests pauses.
        self.asked.update &= !text.contains('\x1e');
        let text = text.replace(['\x01', '\x1e'], "");
        self.typed.give_back(text.as_bytes());
        self.type_kept();
    }

    /// Returns true if the program itself would read what is typed.
    pub(super) fn listens(&self) -> bool {
        let is_running = !self.is_between && self.stop.is_none() && self.undecided.is_none();
        is_running && self.serving.is_empty() && self.echo.is_empty()
    }

    /// Types buffered input, and asks for changes to be taken in, if the program reads from stdin itself.
    pub(super) fn type_kept(&mut self) {
        if self.listens()
            && let Some(typed) = self.typed.take()
        {
            self.output.push_back(Action::Send(typed));
        }
        if !self.changed.is_empty() || self.exceptions_changed {
            self.request_update();
        }
    }

    /// Returns the request that this answer belongs to.
    pub(super) fn answered(&mut self, now: Instant) -> Option<Expected> {
        let expected = self.expected.pop_front();
        self.interrupted = false;
        self.deadline = (!self.expected.is_empty()).then(|| now + REPLY_TIMEOUT);
        expected
    }

    /// Stores a part of an answer whose rest comes in separate messages: the line length of a message is limited.
    pub(super) fn part(&mut self, now: Instant, values: &Literal) {
        let room = MOST_VALUES.saturating_sub(self.parts.len());
        let values = values.list().unwrap_or_default();
        self.parts.extend(values.iter().take(room).cloned());
        if !self.interrupted {
            self.deadline = Some(now + REPLY_TIMEOUT);
        }
    }

    pub(super) fn next_request(&mut self) -> RequestId {
        self.last_request += 1;
        RequestId(self.last_request)
    }

    pub(super) fn reply(&mut self, id: RequestId, reply: Result<Reply, DebugError>) {
        self.tell(Event::Replied { id, reply });
    }

    /// Drops open requests: the program no longer waits.
    pub(super) fn forget_stop(&mut self) {
        self.stop = None;
        self.undecided = None;
        self.frames.clear();
        self.deadline = None;
        self.interrupted = false;
        self.partial.clear();
        self.parts.clear();
        for expected in core::mem::take(&mut self.expected) {
            match expected {
                Expected::Value(id)
                | Expected::Variables(id, _)
                | Expected::Done(id)
                | Expected::OneOf(id, _, true) => {
                    self.reply(id, Err(DebugError::Running));
                }
                Expected::Nobody
                | Expected::Condition
                | Expected::Breakpoints(_)
                | Expected::OneOf(..) => {}
            }
        }
    }

    /// Interrupts the running program repeatedly: Ctrl-C is lost on a board that has not begun to run it.
    pub(super) fn interrupt(&mut self, now: Instant) {
        self.output.push_back(Action::Interrupt);
        self.deadline = Some(now + INTERRUPT_AGAIN);
    }

    /// Handles what is due at `now`: sends Ctrl-C again to a program that did not stop, interrupts an expression that
    /// takes too long, interrupts a board that does not echo its input, and gives up one that stays silent even then.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
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

/// Input for a board that reads with `input()`, which echoes its input before acting on it.
///
/// Such a board has little room for unread input, 64 bytes on a micro:bit (`UART_RX_BUF_SIZE` in its `mphalport.cpp`),
/// and loses the rest. Therefore a line is sent once the one before has been echoed, and only as much at once as there
/// is room for.
#[derive(Debug, Default)]
pub(super) struct Echo {
    lines: VecDeque<Vec<u8>>,
    /// Number of bytes of the first line that were sent.
    sent: usize,
    /// Number of bytes already echoed.
    returned: usize,
    /// Possible beginning of the echo.
    held: Vec<u8>,
    /// Time by which more of the echo must have arrived.
    deadline: Option<Instant>,
}

impl Echo {
    fn expect(&mut self, now: Instant, line: &str) {
        self.lines.push_back([line.as_bytes(), b"\r\n"].concat());
        if self.lines.len() == 1 {
            self.begin(now);
        }
    }

    fn begin(&mut self, now: Instant) {
        [self.sent, self.returned] = [0, 0];
        self.deadline = (!self.lines.is_empty()).then(|| now + REPLY_TIMEOUT);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the input to send now, if the board has room for it.
    fn due(&mut self) -> Option<Vec<u8>> {
        // A line end is sent as `\r`, and echoed as `\r\n`.
        let line = self.lines.front()?.strip_suffix(b"\n")?;
        let is_awaited = self.sent > self.returned + ROOM / 2;
        let end = line.len().min(self.returned + ROOM);
        if is_awaited || end <= self.sent {
            return None;
        }
        let bytes = line[self.sent..end].to_vec();
        self.sent = end;
        Some(bytes)
    }

    /// Returns the output without the expected echo.
    pub(super) fn strip(&mut self, now: Instant, output: Vec<u8>) -> Vec<u8> {
        self.held.extend(output);
        let mut rest = Vec::new();
        while let Some(line) = self.lines.front() {
            let Some(at) = memmem::find(&self.held, line) else {
                let known = (0..line.len()).rev();
                let held = known.filter(|&length| self.held.ends_with(&line[..length]));
                let held = held.max().unwrap_or_default();
                rest.extend(self.held.drain(..self.held.len() - held));
                if held > self.returned {
                    self.returned = held;
                    self.deadline = Some(now + REPLY_TIMEOUT);
                }
                return rest;
            };
            rest.extend(self.held.drain(..at + line.len()).take(at));
            self.lines.pop_front();
            self.begin(now);
        }
        rest.append(&mut self.held);
        rest
    }

    /// Stops expecting an echo, and returns the data held back.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        core::mem::take(self).held
    }
}

/// Number of bytes in flight to a board: half of the smallest board's buffer.
const ROOM: usize = 32;
/// Time limit of an expression, and of the echo of typed input.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit of variables in one answer.
const MOST_VALUES: usize = 64 * 1024;
/// Time that a program may continue after Ctrl-C before it is sent again.
const INTERRUPT_AGAIN: Duration = Duration::from_secs(3);
/// Time that a board has to notice Ctrl-C.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    const NOW: Instant = Instant::START;

    #[test]
    fn no_more_is_sent_than_the_board_has_room_for() {
        let long = "x".repeat(70);
        let mut echo = Echo::default();
        echo.expect(NOW, &long);
        echo.expect(NOW, "c");
        assert_eq!(echo.due(), Some(vec![b'x'; 32]));
        assert_eq!(echo.due(), None, "nothing has come back");
        assert!(echo.strip(NOW, vec![b'x'; 15]).is_empty());
        assert_eq!(echo.due(), None, "hardly anything has");
        assert!(echo.strip(NOW, vec![b'x'; 5]).is_empty());
        assert_eq!(echo.due(), Some(vec![b'x'; 20]));
        assert!(echo.strip(NOW, vec![b'x'; 32]).is_empty());
        assert_eq!(echo.due(), Some([&[b'x'; 18][..], b"\r"].concat()));
        assert!(
            echo.strip(NOW, [&[b'x'; 18][..], b"\r"].concat())
                .is_empty()
        );
        assert_eq!(echo.due(), None, "the line has not ended");
        assert_eq!(echo.strip(NOW, b"\nanswer".to_vec()), b"answer");
        assert_eq!(echo.due(), Some(b"c\r".to_vec()));
        assert_eq!(echo.strip(NOW, b"c\r\nafter".to_vec()), b"after");
        assert_eq!((echo.due(), echo.deadline()), (None, None));
    }

    #[test]
    fn a_line_that_does_not_come_back_is_late_whatever_else_comes() {
        let mut echo = Echo::default();
        echo.expect(NOW, "abc");
        assert_eq!(echo.due(), Some(b"abc\r".to_vec()));
        let deadline = echo.deadline();
        assert!(deadline.is_some());
        let later = NOW + Duration::from_secs(1);
        assert_eq!(echo.strip(later, b"bc\r\n".to_vec()), b"bc\r\n");
        assert_eq!(echo.deadline(), deadline);
        assert_eq!(echo.strip(later, b"bc\r\na".to_vec()), b"bc\r\n");
        assert!(echo.deadline() > deadline, "it has begun to come back");
    }
}
