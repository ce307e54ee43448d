//! The agent's loop on this computer: manages sessions, processes each reply once, and writes the next outbox.
//!
//! ```text
//!   reply ──parse──► journal: begin ──► for each command: intent, work, done ──► session ──► journal: end ──► outbox
//! ```
//!
//! Each arrow is on the disk before the next begins. Whenever the program is killed, [`Agent::resume`] continues:
//! finished commands are not repeated, a file command is finished or repeated by its hashes, and a shell command with
//! an unobserved end is reported as unknown and never rerun automatically.

mod error;
mod given;
mod home;
mod inbox;
mod journal;
mod location;
mod next;
mod open;
mod perform;
mod preview;
pub mod shell;
mod store;
mod undo;
pub mod workspace;

use std::{cell::OnceCell, path::PathBuf};

use flylead_core::agent::{
    CommandResult, Eol, Inbox, Numbering, Overrides, ParseOptions, Session, Step, Truncate, decode,
    parse, sha,
};

pub use error::AgentError;
pub use flylead_core::agent::Approval;
pub use given::Given;
pub use home::Home;
pub use inbox::{InboxFolder, Taken};
use journal::{Begin, Journal};
pub use location::{Location, current_folder, old_sessions};
pub use open::Access;
pub use preview::Preview;

use crate::agent::workspace::Workspace;

/// A session, its workspace, and the folder that stores it.
#[derive(Debug)]
pub struct Agent {
    home: Home,
    session: Session,
    access: Access,
    workspace: OnceCell<Box<dyn Workspace>>,
}

/// Settings that the user chooses for a whole session.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// Line numbering to which edits refer.
    pub numbering: Numbering,
    /// Line ends of new files.
    pub eol: Eol,
    /// Part of a command's long output that is kept.
    pub truncate: Truncate,
}

/// Options for processing a reply.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Options for parsing the reply.
    pub parse: ParseOptions,
    /// The user has noticed that the reply repeats an outbox, and wants the part that follows it.
    pub accept_copy: bool,
    /// Processes the reply even if it claims to answer another outbox.
    pub force: bool,
    /// Processes the reply even if the same text was processed before, as the reply to another outbox.
    pub again: bool,
}

/// Callback that approves each step of a reply before it is executed.
pub type Approve<'a> = dyn FnMut(&Step<'_>) -> Approval + 'a;

/// Result of processing a reply.
#[derive(Debug)]
pub struct Processed {
    /// Results of commands and errors, in order.
    pub results: Vec<CommandResult>,
    /// Texts of `MESSAGE` and `DONE`, for the user.
    pub messages: Vec<String>,
    /// Outbox for the LLM; `None` once the session is complete.
    pub outbox: Option<PathBuf>,
}

impl Agent {
    /// Begins a session in the workspace of a home, and writes its first outbox.
    ///
    /// # Errors
    /// The folders cannot be read or written, or the board does not exist.
    pub fn begin(home: Home, task: &str, settings: Settings) -> Result<Self, AgentError> {
        Self::begin_with(home, task, settings, Given::default())
    }

    /// Like [`begin`](Self::begin), with files that the first outbox shows.
    ///
    /// # Errors
    /// As for [`begin`](Self::begin), or a file cannot be shown.
    pub fn begin_with(
        home: Home,
        task: &str,
        settings: Settings,
        given: Given,
    ) -> Result<Self, AgentError> {
        let session = home.new_session(task, settings)?;
        let mut agent = Self::with(home, session);
        agent.give(given)?;
        let outbox = agent.outbox()?;
        agent.home.save(&agent.session)?;
        let name = agent.session.outbox_name();
        agent.home.outbox().write(&name, outbox.as_bytes())?;
        Ok(agent)
    }

    /// Opens a session by its id, or the most recently written one.
    ///
    /// # Errors
    /// The session does not exist, or cannot be read.
    pub fn open(home: Home, id: Option<&str>) -> Result<Self, AgentError> {
        let session = home.load(id)?;
        Ok(Self::with(home, session))
    }

    /// Sets custom permissions for shell commands.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self.workspace = OnceCell::new();
        self
    }

    fn with(home: Home, session: Session) -> Self {
        Self {
            home,
            session,
            access: Access::default(),
            workspace: OnceCell::new(),
        }
    }

    /// Returns the workspace, opening it at the first call.
    ///
    /// # Errors
    /// The folder or the board does not exist.
    pub fn workspace(&self) -> Result<&dyn Workspace, AgentError> {
        let workspace = match self.workspace.get() {
            Some(workspace) => workspace,
            None => {
                let opened = open::open(self.home.workspace(), self.home.path(), self.access)?;
                self.workspace.get_or_init(|| opened)
            }
        };
        Ok(&**workspace)
    }

    /// Returns the workspace's folder, or its board.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.home.workspace()
    }

    /// Returns the current session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Reads a reply without executing it.
    ///
    /// # Errors
    /// The reply as a whole is refused, or was processed before.
    pub fn check(&self, reply: &[u8], options: Options) -> Result<Inbox, AgentError> {
        let journal = Journal::open(self.home.folder_of(&self.session)?)?;
        self.check_against(&journal, reply, options)
    }

    fn check_against(
        &self,
        journal: &Journal,
        reply: &[u8],
        options: Options,
    ) -> Result<Inbox, AgentError> {
        if let Some(sequence) = journal.processed(&sha(reply)).filter(|_| !options.again) {
            let waiting = (!self.session.is_complete).then_some(self.session.sequence_number);
            return Err(AgentError::AlreadyProcessed { sequence, waiting });
        }
        let parsing = ParseOptions {
            commands: self.session.commands,
            ..options.parse
        };
        let inbox = parse(&decode(reply)?, parsing)?;
        inbox.answers(
            &self.session,
            Overrides {
                accept_copy: options.accept_copy,
                accept_stale: options.force,
            },
        )?;
        Ok(inbox)
    }

    /// Processes a reply, once. Each step is executed only if `approve` agrees.
    ///
    /// # Errors
    /// The reply as a whole is refused or was processed before, an earlier one was interrupted, or the session cannot
    /// be written. The journal records the steps executed until then.
    pub fn apply(
        &mut self,
        reply: &[u8],
        options: Options,
        approve: &mut Approve<'_>,
    ) -> Result<Processed, AgentError> {
        let mut journal = Journal::open(self.home.folder_of(&self.session)?)?;
        if journal.interrupted().is_some() {
            return Err(AgentError::Interrupted);
        }
        let inbox = self.check_against(&journal, reply, options)?;
        let sequence = self.session.sequence_number;
        let ParseOptions {
            strict,
            strip_fences,
            ..
        } = options.parse;
        let begin = Begin {
            sequence,
            sha: sha(reply),
            strict,
            strip_fences,
        };
        journal.keep_reply(sequence, reply)?;
        journal.begin(begin.clone())?;
        self.perform(&mut journal, &begin, inbox, approve)
    }

    /// Continues an interrupted reply. If none was interrupted, the waiting outbox is written again.
    ///
    /// # Errors
    /// The session cannot be read or written.
    pub fn resume(&mut self, approve: &mut Approve<'_>) -> Result<Processed, AgentError> {
        let mut journal = Journal::open(self.home.folder_of(&self.session)?)?;
        self.tidy()?;
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
        let reply = journal.reply(begin.sequence)?;
        let reading = ParseOptions {
            strict: begin.strict,
            strip_fences: begin.strip_fences,
            commands: self.session.commands,
        };
        let inbox = parse(&decode(&reply)?, reading)?;
        self.perform(&mut journal, &begin, inbox, approve)
    }

    /// Reopens a completed session: its next outbox awaits a reply.
    ///
    /// # Errors
    /// The session cannot be written.
    pub fn reopen(&mut self) -> Result<PathBuf, AgentError> {
        if self.session.is_complete {
            self.session.is_complete = false;
            self.session.sequence_number += 1;
            self.session.updated_at = home::now();
            self.home.save(&self.session)?;
        }
        self.write_outbox()
    }

    /// Removes the temporary files of killed runs. No other process writes now, as the session's folder is locked.
    fn tidy(&self) -> Result<usize, AgentError> {
        Ok(self.workspace()?.tidy())
    }
}
