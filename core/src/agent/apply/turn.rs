//! A reply being carried out by an application that has files and a shell.
//!
//! ```text
//!   Turn::step ──► Task::Change ──► read the file ──► Turn::plan ──► write or delete it ──► Turn::done(Turn::changed(…))
//!              ──► Task::Read   ──► read the file ──────────────────────────────────────► Turn::done(Turn::found(…))
//!              ──► Task::Run    ──► run it ─────────────────────────────────────────────► Turn::done(…)
//!              ──► None         ──► Turn::end: the session has the results and waits for the next reply
//! ```
//!
//! [`Turn::carry_out`] does that in this order with a [`Host`](super::Host). Items that need no host are handled on the
//! way: errors, messages, refused paths, and everything after `DONE`.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    change::{self, Change, Edit, FileCommand},
    edit,
    edits::Edits,
    outcome::Outcome,
    path::{Refusal, Root, Warning, WorkspacePath},
};
use crate::agent::{
    command::{Command, ReadRequest},
    parse::{Inbox, Item},
    session::{CommandResult, Session},
    settings::Numbering,
    sha::short_sha,
};

/// Next step for a host with files and a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'a> {
    /// Index of the command in the reply, from 0; stable whenever the same reply is carried out.
    pub index: usize,
    /// Line of the reply that holds the command, from 1.
    pub line: usize,
    /// Task to carry out.
    pub task: Task<'a>,
}

/// Kind of work that a step consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task<'a> {
    /// Change a file, as [`Turn::plan`] determines.
    Change {
        /// The file.
        path: WorkspacePath,
        /// Command to apply to the file.
        command: FileCommand<'a>,
    },
    /// Read a file, and pass its content to [`Turn::found`].
    Read {
        /// The file.
        path: WorkspacePath,
    },
    /// Run a shell command, or a program on a board.
    Run {
        /// The script.
        script: &'a str,
    },
}

/// A reply being carried out.
#[derive(Debug)]
pub struct Turn {
    inbox: Inbox,
    session: Session,
    root: Root,
    results: Vec<CommandResult>,
    reads: Vec<ReadRequest>,
    /// True once `DONE` was reached, whether or not it was accepted.
    is_done: bool,
    is_complete: bool,
    edits: Edits,
    /// Files shown by the next message, with the first digits of their SHA-256: the LLM knows them only from then on.
    shown: BTreeMap<String, String>,
}

enum Next<'a> {
    Ask(Task<'a>),
    /// The step is complete, with this summary.
    Settled(&'static str),
}

impl Turn {
    /// Begins to carry out the reply that a session is waiting for; see [`Inbox::answers`]. Paths are judged by `root`.
    #[must_use]
    pub fn new(inbox: Inbox, session: Session, root: Root) -> Self {
        let mut turn = Self {
            inbox,
            session,
            root,
            results: Vec::new(),
            reads: Vec::new(),
            is_done: false,
            is_complete: false,
            edits: Edits::default(),
            shown: BTreeMap::new(),
        };
        turn.settle();
        turn
    }

    /// Returns the current step until it is [`done`](Self::done), or `None` once the reply is
    /// carried out.
    #[must_use]
    pub fn step(&self) -> Option<Step<'_>> {
        let item = self.item()?;
        match self.next(item) {
            Ok(Next::Ask(task)) => Some(Step {
                index: self.results.len(),
                line: item.line,
                task,
            }),
            Ok(Next::Settled(_)) | Err(_) => None,
        }
    }

    /// Plans the change for the file of a [`Task::Change`]. `before` is its current content; `None` if the file does
    /// not exist.
    ///
    /// # Errors
    /// The reason why the file must not be changed, for the LLM.
    pub fn plan(&self, before: Option<&[u8]>) -> Result<Change, String> {
        let Some(Step {
            task: Task::Change { path, command },
            ..
        }) = self.step()
        else {
            return Err("this command changes no file".into());
        };
        let command = self.as_meant(command, &path, before)?;
        let mut change = change::plan(&command, &path, before)?;
        change.notes.extend(self.notes(&command, &path, before));
        Ok(change)
    }

    /// Returns the outcome of a change that was made.
    #[must_use]
    pub fn changed(change: &Change) -> Outcome {
        Outcome {
            output: change.context.clone(),
            notes: change.notes.clone(),
            known: change.after.as_deref().map(short_sha),
            ..Outcome::new(true, change.summary.clone())
        }
    }

    /// Returns the outcome of a [`Task::Read`] whose file holds `content`.
    #[must_use]
    pub fn found(&self, content: &[u8]) -> Outcome {
        let command = self.item().map(|item| &item.outcome);
        let Some(Ok(Command::ReadFile(request))) = command else {
            return Outcome::failed("this command reads no file");
        };
        let (path, warning) = match self.judged(&request.path) {
            Ok((path, warning)) => (path.to_string(), warning),
            Err(why) => return Outcome::failed(why),
        };
        let warning = warning.filter(|warning| *warning == Warning::Absolute);
        let sha = short_sha(content);
        let summary = format!("'{path}' is below ({} bytes, sha {sha})", content.len());
        Outcome {
            read: Some(ReadRequest {
                path,
                ..request.clone()
            }),
            known: Some(sha),
            notes: warning.iter().map(ToString::to_string).collect(),
            ..Outcome::new(true, summary)
        }
    }

    /// Records the outcome of the step, and advances to the next one.
    pub fn done(&mut self, outcome: Outcome) {
        self.record(outcome);
        self.settle();
    }

    /// Returns the session after the reply, with its results. `now` is the time as `2025-01-15T10:30:00Z`. Steps that
    /// remain are not carried out.
    #[must_use]
    pub fn end(mut self, now: String) -> Session {
        while self.item().is_some() {
            self.done(Outcome::failed("was not done"));
        }
        let mut session = self.session;
        session.known_files.append(&mut self.shown);
        session.last_results = self.results;
        session.read_file_requests = self.reads;
        session.is_complete = self.is_complete;
        session.updated_at = now;
        if !self.is_complete {
            session.sequence_number += 1;
        }
        session
    }

    /// Returns the session that is waiting for the reply, with its current knowledge of files.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the reply.
    #[must_use]
    pub const fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    fn item(&self) -> Option<&Item> {
        self.inbox.items.get(self.results.len())
    }

    /// Handles items that need no host.
    fn settle(&mut self) {
        while let Some(item) = self.item() {
            let outcome = match self.next(item) {
                Ok(Next::Ask(_)) => return,
                Ok(Next::Settled(summary)) => Outcome::new(true, summary),
                Err(why) => Outcome::failed(why),
            };
            self.record(outcome);
        }
    }

    fn record(&mut self, outcome: Outcome) {
        let Some(item) = self.inbox.items.get(self.results.len()) else {
            return;
        };
        let is_done = matches!(item.outcome, Ok(Command::Done { .. }));
        let name = match &item.outcome {
            Ok(command) => command.kind().name().to_string(),
            Err(fault) => fault.command.clone(),
        };
        let mut notes: Vec<String> = item.notes.iter().map(ToString::to_string).collect();
        self.is_done |= is_done;
        self.is_complete |= is_done && outcome.success;
        self.remember(&outcome);
        notes.extend(outcome.notes);
        self.reads
            .extend(outcome.read.filter(|read| !self.reads.contains(read)));
        self.results.push(CommandResult {
            output: outcome.output,
            notes,
            ..CommandResult::new(name, outcome.success, outcome.summary)
        });
    }

    /// Returns the item's request to the host, or the reason why it is not carried out.
    fn next<'a>(&self, item: &'a Item) -> Result<Next<'a>, String> {
        let command = match &item.outcome {
            Err(fault) => return Err(format!("line {}: {fault}", item.line)),
            Ok(command) if self.is_done && !is_said(command) => {
                return Err("SKIPPED: comes after [DONE]".into());
            }
            Ok(command) => command,
        };
        Ok(match command {
            Command::Message { .. } => Next::Settled("Shown to the person"),
            Command::Done { .. } => self.whether_done()?,
            Command::RunCommand { command } => Next::Ask(Task::Run { script: command }),
            Command::ReadFile(request) => Next::Ask(Task::Read {
                path: self.judged(&request.path)?.0,
            }),
            Command::CreateFile { path, .. }
            | Command::AppendFile { path, .. }
            | Command::EditFile { path, .. }
            | Command::ReplaceText { path, .. }
            | Command::DeleteFile { path } => {
                let (path, _) = self.judged(path)?;
                if path.is_protected(&[]) {
                    return Err(refused(Refusal::Protected, path.as_str()));
                }
                if self.session.read_only.iter().any(|it| *it == path.as_str()) {
                    return Err(format!("REJECTED: '{path}' is read-only in this session"));
                }
                let command = FileCommand::of(command).ok_or("this command changes no file")?;
                Next::Ask(Task::Change { path, command })
            }
        })
    }

    /// Accepts `DONE` unless the LLM has not seen some result: the session is then not complete (CodingAgent protocol
    /// v1.0, "Execution Errors": the LLM receives these results in the next outbox and can adapt its approach).
    fn whether_done(&self) -> Result<Next<'static>, String> {
        let failed = self.results.iter().filter(|result| !result.success).count();
        let rest = self.inbox.items.iter().skip(self.results.len() + 1);
        let left = rest
            .filter(|item| !item.outcome.as_ref().is_ok_and(is_said))
            .count();
        let (count, what) = match (failed, left) {
            (0, 0) => return Ok(Next::Settled("The session is complete")),
            (0, left) => (left, "came after [DONE] and had no effect"),
            (failed, _) => (failed, "failed"),
        };
        Err(format!(
            "the session continues, because {count} of the reply's commands {what}; send [DONE] again when everything has succeeded"
        ))
    }

    fn judged(&self, written: &str) -> Result<(WorkspacePath, Option<Warning>), String> {
        let judged = self.root.judge(written);
        judged.map_err(|refusal| refused(refusal, written))
    }

    /// Returns the command with its current line numbers; a whole file gets the line ends that it has or will have.
    fn as_meant<'a>(
        &self,
        command: FileCommand<'a>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
    ) -> Result<FileCommand<'a>, String> {
        Ok(match command {
            FileCommand::Create { content } => {
                let text = before.filter(|before| !edit::is_binary(before));
                let eol = self.session.eol.of_file_or_self(text.unwrap_or_default());
                let content = eol.apply(&content).into();
                FileCommand::Create { content }
            }
            FileCommand::Edit(edit) => {
                let numbering = self.session.edit_numbering;
                if numbering == Numbering::Snapshot && edit.sha.is_none() && edit.expect.is_none() {
                    self.refuse_unseen(path, before)?;
                }
                let lines = self.edits.lines_now(edit.lines, path, numbering)?;
                FileCommand::Edit(Edit { lines, ..edit })
            }
            command @ (FileCommand::Append { .. }
            | FileCommand::Replace { .. }
            | FileCommand::Delete) => command,
        })
    }

    /// Refuses line numbers of a file that the LLM has not seen, or has seen only in another state.
    fn refuse_unseen(&self, path: &WorkspacePath, before: Option<&[u8]>) -> Result<(), String> {
        let now = before.map(short_sha);
        match self.session.known_files.get(path.as_str()) {
            _ if now.is_none() => Ok(()),
            Some(known) if Some(known) == now.as_ref() => Ok(()),
            Some(_) => Err(format!(
                "'{path}' has changed since you saw it, so its line numbers differ; edit it again with the numbers of the next \
                 message, or with SEARCH and REPLACE"
            )),
            None => Err(format!(
                "the current content of '{path}' was never shown to you, so you cannot know its line numbers; edit it with the \
                 numbers of the next message, or with SEARCH and REPLACE"
            )),
        }
    }

    /// Collects further notes about a change for the LLM.
    fn notes(
        &self,
        command: &FileCommand<'_>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
    ) -> Vec<String> {
        let creates = matches!(command, FileCommand::Create { .. });
        let written = self
            .item()
            .and_then(|item| item.outcome.as_ref().ok()?.path());
        let warning = written.and_then(|written| self.judged(written).ok()?.1);
        let warning = warning.filter(|warning| creates || *warning == Warning::Absolute);
        let mut notes: Vec<String> = warning.iter().map(ToString::to_string).collect();
        if let FileCommand::Edit(edit) = command {
            let numbering = self.session.edit_numbering;
            notes.extend(self.edits.moved(edit.lines, path, numbering));
            notes.extend(self.changed_since(path, before));
        }
        notes
    }

    fn changed_since(&self, path: &WorkspacePath, before: Option<&[u8]>) -> Option<String> {
        let known = self.session.known_files.get(path.as_str())?;
        (short_sha(before?) != *known)
            .then(|| "the file has changed since you saw it; read it again".into())
    }

    /// Records the parts of an outcome that later commands of the reply depend on.
    fn remember(&mut self, outcome: &Outcome) {
        let item = self.inbox.items.get(self.results.len());
        let Some(command) = item.and_then(|item| item.outcome.as_ref().ok()) else {
            return;
        };
        let judged = command.path().map(|path| self.judged(path));
        let Some(Ok((path, _))) = judged else { return };
        if let (Some(_), Some(sha)) = (&outcome.read, &outcome.known) {
            self.shown.insert(path.to_string(), sha.clone());
            return;
        }
        if !outcome.success {
            return;
        }
        if let Some(command) = FileCommand::of(command) {
            self.edits.remember(&path, &command);
        }
        self.shown.remove(path.as_str());
        let known = &mut self.session.known_files;
        let has_known_lines = match command {
            Command::CreateFile { .. } => true,
            // A message has shown the old texts, but never the place of the new ones.
            Command::ReplaceText { .. } => false,
            _ => known.contains_key(path.as_str()),
        };
        match outcome.known.as_ref().filter(|_| has_known_lines) {
            Some(sha) => known.insert(path.to_string(), sha.clone()),
            None => known.remove(path.as_str()),
        };
    }
}

/// Returns true for a command that only addresses the person.
const fn is_said(command: &Command) -> bool {
    matches!(command, Command::Message { .. } | Command::Done { .. })
}

fn refused(refusal: Refusal, path: &str) -> String {
    format!("{refusal}: '{path}'")
}
