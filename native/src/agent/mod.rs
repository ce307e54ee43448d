//! The agent's loop on this computer: sessions, replies that are processed once, and the next outbox.
//!
//! ```text
//!   reply ──parse──► journal: begin ──► for each command: intent, work, done ──► session ──► journal: end ──► outbox
//! ```
//!
//! Each arrow is on the disk before the next begins. Whenever the program is killed, [`Agent::resume`] continues:
//! what is done is not repeated, a file command is finished or repeated by its hashes, and a shell command whose end
//! nobody saw is reported as unknown and never run again by itself.

mod home;
mod journal;
mod next;
mod perform;
mod preview;
mod undo;

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use flylead_core::agent::{
    Command, CommandResult, Inbox, Reading, Rejected, Session, SessionError, decode, parse,
};

pub use home::Home;
use journal::{Begin, Journal};
pub use preview::Preview;

use crate::workspace::{FileError, Folder};

/// A session, its workspace, and the folder where it is kept.
#[derive(Debug)]
pub struct Agent {
    home: Home,
    session: Session,
    folder: Folder,
}

/// How a reply is processed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// How it is read.
    pub reading: Reading,
    /// A person has seen that it holds a copy of an outbox and wants what follows it.
    pub accept_copy: bool,
    /// Process it although the same text was processed before.
    pub force: bool,
}

/// Decides about shell commands. `Err`: what to tell the LLM.
pub type Approve<'a> = dyn FnMut(&str) -> Result<(), String> + 'a;

/// What became of a reply.
#[derive(Debug)]
pub struct Processed {
    /// A result for each command and error, in order.
    pub results: Vec<CommandResult>,
    /// `MESSAGE` and `DONE`, for the person.
    pub messages: Vec<String>,
    /// The outbox for the LLM. `None`: the session is complete.
    pub outbox: Option<PathBuf>,
}

impl Agent {
    /// Begins a session in a folder and writes its first outbox.
    ///
    /// # Errors
    /// The folders cannot be read or written.
    pub fn begin(home: Home, task: &str, workspace: &Path) -> Result<Self, AgentError> {
        let session = home.new_session(task, workspace)?;
        let agent = Self::with(home, session)?;
        agent.home.save(&agent.session)?;
        agent.write_outbox()?;
        Ok(agent)
    }

    /// Opens a session by its id, or the one that was written last.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(home: Home, id: Option<&str>) -> Result<Self, AgentError> {
        let session = home.load(id)?;
        Self::with(home, session)
    }

    fn with(home: Home, session: Session) -> Result<Self, AgentError> {
        let workspace = session
            .other
            .get("workspace")
            .and_then(|path| path.as_str())
            .unwrap_or(".");
        let folder = Folder::open(Path::new(workspace), &[home.path()])?;
        Ok(Self {
            home,
            session,
            folder,
        })
    }

    /// The session as it is now.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// The workspace.
    #[must_use]
    pub const fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Reads a reply and says what it would do, without doing anything.
    ///
    /// # Errors
    /// The reply as a whole is refused.
    pub fn check(&self, reply: &[u8], options: Options) -> Result<Inbox, AgentError> {
        let inbox = parse(&decode(reply)?, options.reading)?;
        if inbox.outbox_copy.is_some() && !options.accept_copy {
            return Err(AgentError::OutboxCopy {
                commands: inbox.commands().count(),
            });
        }
        if inbox.items.is_empty() {
            return Err(AgentError::NoCommands);
        }
        let other = inbox
            .echo
            .session
            .as_ref()
            .is_some_and(|id| *id != self.session.session_id);
        let stale = inbox
            .echo
            .sequence
            .is_some_and(|sequence| sequence != self.session.sequence_number);
        if (other || stale) && !options.force {
            return Err(AgentError::Stale {
                waiting: self.session.sequence_number,
            });
        }
        Ok(inbox)
    }

    /// Processes a reply, once. Each shell command is run only if `approve` agrees.
    ///
    /// # Errors
    /// The reply as a whole is refused or was processed before, an earlier one was interrupted, or the session cannot
    /// be written. What was done until then is in the journal.
    pub fn apply(
        &mut self,
        reply: &[u8],
        options: Options,
        approve: &mut Approve<'_>,
    ) -> Result<Processed, AgentError> {
        let mut journal = Journal::open(&self.home.folder_of(&self.session))?;
        if journal.interrupted().is_some() {
            return Err(AgentError::Interrupted);
        }
        let sha = journal::sha(reply);
        if let Some(sequence) = journal.processed(&sha).filter(|_| !options.force) {
            return Err(AgentError::AlreadyProcessed { sequence });
        }
        if self.session.is_complete {
            return Err(AgentError::Complete);
        }
        let inbox = self.check(reply, options)?;
        let sequence = self.session.sequence_number;
        let Reading {
            strict,
            strip_fences,
        } = options.reading;
        let begin = Begin {
            sequence,
            sha,
            strict,
            strip_fences,
        };
        home::write_atomically(&journal.reply_path(sequence), reply)?;
        journal.begin(begin.clone())?;
        self.perform(&mut journal, &begin, &inbox, approve)
    }

    /// Continues what was interrupted. Without anything to continue, the waiting outbox is there again.
    ///
    /// # Errors
    /// The session cannot be read or written.
    pub fn resume(&mut self, approve: &mut Approve<'_>) -> Result<Processed, AgentError> {
        let mut journal = Journal::open(&self.home.folder_of(&self.session))?;
        let Some(begin) = journal.interrupted() else {
            let outbox = if self.session.is_complete {
                None
            } else {
                Some(self.write_outbox()?)
            };
            return Ok(Processed {
                results: Vec::new(),
                messages: Vec::new(),
                outbox,
            });
        };
        let reply = std::fs::read(journal.reply_path(begin.sequence))?;
        let reading = Reading {
            strict: begin.strict,
            strip_fences: begin.strip_fences,
        };
        let inbox = parse(&decode(&reply)?, reading)?;
        self.perform(&mut journal, &begin, &inbox, approve)
    }

    /// The messages for the person in a reply.
    fn messages(inbox: &Inbox) -> Vec<String> {
        let text = |command: &Command| match command {
            Command::Message { text } => Some(text.clone()),
            Command::Done { summary } => Some(summary.clone()),
            _ => None,
        };
        inbox.commands().filter_map(text).collect()
    }
}

/// Why a reply or a session is not processed.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentError {
    /// The message as a whole is refused.
    Rejected(Rejected),
    /// There is no command in it.
    NoCommands,
    /// It holds a copy of an outbox; a person has to look at it.
    OutboxCopy {
        /// How many commands follow the copy.
        commands: usize,
    },
    /// It answers another outbox.
    Stale {
        /// The number of the outbox that waits.
        waiting: u32,
    },
    /// The same text was processed before.
    AlreadyProcessed {
        /// As the reply to this outbox.
        sequence: u32,
    },
    /// An earlier reply was interrupted.
    Interrupted,
    /// The session is over.
    Complete,
    /// There is no such session.
    NoSession,
    /// Another agent works in the same folder.
    Locked,
    /// The session's file is damaged or from a later version.
    Session(SessionError),
    /// A file of the workspace.
    File(FileError),
    /// The agent's own files.
    Io(io::Error),
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejected) => rejected.fmt(f),
            Self::NoCommands => f.write_str("no command blocks found; copy the whole reply"),
            Self::OutboxCopy { commands } => write!(
                f,
                "the text holds a copy of an outbox, and {commands} commands after it; copy the reply alone, or say that they are meant"
            ),
            Self::Stale { waiting } => write!(
                f,
                "the reply answers another outbox; outbox {waiting} waits"
            ),
            Self::AlreadyProcessed { sequence } => write!(
                f,
                "already processed as the reply to outbox {sequence}; nothing was done"
            ),
            Self::Interrupted => f.write_str("an earlier reply was interrupted; resume it first"),
            Self::Complete => f.write_str("the session is complete"),
            Self::NoSession => f.write_str("there is no such session"),
            Self::Locked => f.write_str("another agent works here"),
            Self::Session(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AgentError {}

impl From<Rejected> for AgentError {
    fn from(rejected: Rejected) -> Self {
        Self::Rejected(rejected)
    }
}

impl From<SessionError> for AgentError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<FileError> for AgentError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<io::Error> for AgentError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
