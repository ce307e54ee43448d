//! Represents the content of a message.

use alloc::{string::String, vec::Vec};

use super::{fault::Fault, note::Note};
use crate::agent::command::{Command, Kind};

/// Content of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inbox {
    /// Commands and errors, in the order of the message; empty if the message has none.
    pub items: Vec<Item>,
    /// Session and sequence that the reply claims to answer, if any.
    pub echo: Echo,
    /// Lines that look like commands but are not, because other text precedes the tag. For the person.
    pub hints: Vec<usize>,
    /// Last line of a copy of an outbox in the message. The text after it is in `items`; a person has to decide whether
    /// it is the reply. Without a person, nothing of it may run.
    pub outbox_copy: Option<usize>,
}

/// A block of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The line of its opening tag, from 1.
    pub line: usize,
    /// Command to carry out, or the reason why it is refused.
    pub outcome: Result<Command, Fault>,
    /// Notes for the LLM.
    pub notes: Vec<Note>,
    /// Kind of command, if the tag named one.
    pub(super) kind: Option<Kind>,
}

/// `Session: a1b2c3d4` and `Sequence: 3`, if the reply repeats them outside of its commands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Echo {
    /// The session's id.
    pub session: Option<String>,
    /// The number of the outbox that is answered.
    pub sequence: Option<u32>,
}

impl Inbox {
    /// Iterates over the commands, without the errors.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.items
            .iter()
            .filter_map(|item| item.outcome.as_ref().ok())
    }

    /// Iterates over the reply's messages to the person: `MESSAGE` and `DONE`.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.commands().filter_map(Command::message)
    }

    /// Iterates over the errors, with their lines.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &Fault)> {
        self.items
            .iter()
            .filter_map(|item| Some((item.line, item.outcome.as_ref().err()?)))
    }
}
