//! A whole message becomes commands and errors before anything runs.

use alloc::{string::String, vec::Vec};

use super::{
    command::{Command, Kind},
    fault::{Fault, Note, Rejected, Unfit},
    parser::Parser,
    session::Session,
};

/// How a message is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// Follow the letter of the document: other cases, other quotes, one-line blocks and blanks in closing tags are
    /// errors. Content is protected just the same.
    pub strict: bool,
    /// Take away a Markdown fence that encloses the whole body of a file that is not Markdown.
    pub strip_fences: bool,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inbox {
    /// Commands and errors, in the order of the message. Empty: the message holds no command at all.
    pub items: Vec<Item>,
    /// The session and sequence that the reply says it answers, if it does.
    pub echo: Echo,
    /// Lines that look like commands and are none, because something stands before the tag. For the person.
    pub hints: Vec<usize>,
    /// The message holds a copy of an outbox up to this line. What follows it is in `items`; a person has to say
    /// whether that is the reply. Without a person, nothing of it may run.
    pub outbox_copy: Option<usize>,
}

/// A block of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The line of its opening tag, from 1.
    pub line: usize,
    /// What to do, or why not.
    pub outcome: Result<Command, Fault>,
    /// What the LLM should know.
    pub notes: Vec<Note>,
    /// Which command, where the tag named one.
    pub(super) kind: Option<Kind>,
}

/// `Session: a1b2c3d4` and `Sequence: 3`, where the reply repeats them outside of its commands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Echo {
    /// The session's id.
    pub session: Option<String>,
    /// The number of the outbox that is answered.
    pub sequence: Option<u32>,
}

impl Inbox {
    /// The commands, without the errors.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.items
            .iter()
            .filter_map(|item| item.outcome.as_ref().ok())
    }

    /// The errors, with their lines.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &Fault)> {
        self.items
            .iter()
            .filter_map(|item| Some((item.line, item.outcome.as_ref().err()?)))
    }
}

/// What a person has said about a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Word {
    /// It holds a copy of an outbox, and what follows the copy is meant.
    pub accept_copy: bool,
    /// It is meant although it says that it answers another outbox.
    pub accept_stale: bool,
}

impl Inbox {
    /// Whether the message may be carried out as the reply that a session waits for.
    ///
    /// # Errors
    /// Why it may not. Nothing of it may run.
    pub fn answers(&self, session: &Session, word: Word) -> Result<(), Unfit> {
        if session.is_complete {
            return Err(Unfit::Complete);
        }
        if self.outbox_copy.is_some() && !word.accept_copy {
            let commands = self.commands().count();
            return Err(Unfit::OutboxCopy { commands });
        }
        if self.items.is_empty() {
            return Err(Unfit::NoCommands);
        }
        let waiting = session.sequence_number;
        let other = |id: &String| *id != session.session_id;
        let stale = self.echo.session.as_ref().is_some_and(other)
            || self
                .echo
                .sequence
                .is_some_and(|sequence| sequence != waiting);
        if stale && !word.accept_stale {
            return Err(Unfit::Stale { waiting });
        }
        Ok(())
    }
}

/// Reads a message. What the LLM meant as content is never a command; what could be content is an error.
///
/// ```
/// use flylead_core::agent::{parse, Command, Reading};
///
/// let reply = "I add the file.\n[CREATE_FILE path=\"hi.txt\"]\nhi\n[/CREATE_FILE]\n";
/// let inbox = parse(reply, Reading::default()).unwrap();
/// let wanted = Command::CreateFile { path: "hi.txt".into(), content: "hi\n".into() };
/// assert_eq!(inbox.commands().collect::<Vec<_>>(), [&wanted]);
/// ```
///
/// # Errors
/// The message as a whole is refused, and nothing of it may run.
pub fn parse(message: &str, reading: Reading) -> Result<Inbox, Rejected> {
    if message.len() > MESSAGE_LIMIT {
        return Err(Rejected::TooLong {
            bytes: message.len(),
        });
    }
    Parser::new(message, reading).read()
}

/// The longest message, in bytes.
pub const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;
/// The longest body, in bytes.
pub const BODY_LIMIT: usize = 8 * 1024 * 1024;
/// The longest line, in bytes.
pub const LINE_LIMIT: usize = 1024 * 1024;
/// The most commands and errors in one message.
pub const COMMAND_LIMIT: usize = 1000;
