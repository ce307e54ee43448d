//! Executes a reply's commands in order, each exactly once.

use flylead_core::agent::{
    Approval, Change, Failure, FileCommand, Host, Inbox, Outcome, Ran, Step, Task, Turn,
    path::{Names, Root, WorkspacePath},
    sha,
};
use futures_util::FutureExt as _;

use super::{
    Agent, AgentError, Approve, Processed, home,
    journal::{self, Begin, Done, Entry, Intent, Journal},
    open,
};
use crate::agent::workspace::{FileError, Form, Workspace};

impl Agent {
    /// Executes the remaining commands, then completes the reply: session, journal, outbox.
    pub(super) fn perform(
        &mut self,
        journal: &mut Journal,
        begin: &Begin,
        inbox: Inbox,
        approve: &mut Approve<'_>,
    ) -> Result<Processed, AgentError> {
        let sequence = begin.sequence;
        let messages = inbox.messages().map(str::to_owned).collect();
        // The session may have been written and the journal's end not: then only the end is missing.
        if self.session.sequence_number == sequence && !self.session.is_complete {
            self.perform_all(journal, sequence, inbox, approve)?;
            self.home.save(&self.session)?;
        }
        let outbox = if self.session.is_complete {
            None
        } else {
            Some(self.write_outbox()?)
        };
        journal.add(Entry::End {
            sequence,
            sha: begin.sha.clone(),
        })?;
        let results = self.session.last_results.clone();
        Ok(Processed {
            results,
            messages,
            outbox,
        })
    }

    fn perform_all(
        &mut self,
        journal: &mut Journal,
        sequence: u32,
        inbox: Inbox,
        approve: &mut Approve<'_>,
    ) -> Result<(), AgentError> {
        let mut turn = Turn::new(inbox, self.session.clone(), self.root());
        let mut host = Journaled {
            workspace: self.workspace()?,
            journal,
            sequence,
            approve,
            before: None,
        };
        at_once(turn.carry_out(&mut host))?;
        self.session = turn.end(home::now());
        Ok(())
    }
}

/// Returns the result of a turn whose host never waits: it reads, writes and runs synchronously.
///
/// # Panics
/// The host waits.
pub(super) fn at_once<T>(turn: impl Future<Output = T>) -> T {
    turn.now_or_never().expect("the host never waits")
}

impl Agent {
    /// Returns the root by which the LLM's paths are judged.
    pub(super) fn root(&self) -> Root {
        Root {
            names: names(),
            path: Some(open::root(self.home.workspace()).to_owned()),
        }
    }
}

/// Workspace that journals each step before it begins and after it has ended.
struct Journaled<'a, 'b> {
    workspace: &'a dyn Workspace,
    journal: &'a mut Journal,
    sequence: u32,
    approve: &'a mut Approve<'b>,
    /// Hash of the step's file when it was read.
    before: Option<String>,
}

impl Host for Journaled<'_, '_> {
    type Error = AgentError;

    async fn resume(&mut self, step: &Step<'_>) -> Result<Option<Outcome>, AgentError> {
        if let Some(outcome) = self.journal.done(self.sequence, step.index) {
            return Ok(Some(outcome.clone()));
        }
        let Some(intent) = self.journal.intent(self.sequence, step.index) else {
            return Ok(None);
        };
        Ok(match (&step.task, &intent.file) {
            (Task::Change { path, command }, Some(change)) => {
                match read_before(self.workspace, path, command) {
                    Ok(before) => interrupted(path, change, before.hash()),
                    Err(FileError::NotFound) => interrupted(path, change, None),
                    Err(error) => Some(Outcome::failed(file_error(path, &error))),
                }
            }
            (Task::Run { script }, _) => Some(Outcome::failed(format!(
                "'{script}' was interrupted, so its outcome is unknown; it was not run again"
            ))),
            (Task::Change { .. }, None) | (Task::Read { .. }, _) => None,
        })
    }

    async fn approve(&mut self, step: &Step<'_>) -> Result<Approval, AgentError> {
        let is_begun = self.journal.intent(self.sequence, step.index).is_some();
        Ok(match is_begun {
            true => Approval::Run,
            false => (self.approve)(step),
        })
    }

    async fn read(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
    ) -> Result<Option<Vec<u8>>, Failure<AgentError>> {
        let read = match &step.task {
            Task::Change { command, .. } => read_before(self.workspace, path, command),
            Task::Read { .. } | Task::Run { .. } => {
                self.workspace.read(path, FILE_LIMIT).map(Before::File)
            }
        };
        let before = read.map_err(|error| {
            Failure::Step(file_error(path, &error) + &self.in_other_letters(path))
        })?;
        self.before = before.hash();
        Ok(before.into_content())
    }

    /// Changes a file. The hash of its new content is on the disk before the file changes.
    async fn change(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
        change: &mut Change,
    ) -> Result<(), Failure<AgentError>> {
        if let (Some(_), Some(content)) = (&self.before, before) {
            let kept = self.journal.keep_image(self.sequence, step.index, content);
            kept.map_err(AgentError::from)?;
        }
        let other = self.in_other_letters(path);
        if before.is_none() && !other.is_empty() {
            change.notes.push(format!("created '{path}'{other}"));
        }
        self.intend(
            step,
            Some(journal::Change {
                path: path.as_str().to_owned(),
                before: self.before.clone(),
                after: change.after.as_deref().map(sha),
                form: self.workspace.form(path),
                made: self.workspace.missing_folder(path),
                outcome: Turn::changed(change),
            }),
        )?;
        let done = match &change.after {
            Some(after) => self.workspace.write(path, after),
            None => self.workspace.delete(path),
        };
        done.map_err(|error| Failure::Step(file_error(path, &error)))
    }

    async fn run(&mut self, step: &Step<'_>, script: &str) -> Result<Ran, Failure<AgentError>> {
        self.intend(step, None)?;
        let undo = self.journal.undo_folder(self.sequence, step.index);
        let ran = self.workspace.run(script, &undo);
        ran.map_err(|error| Failure::Step(format!("'{script}' could not be started: {error}")))
    }

    async fn keep_output(
        &mut self,
        step: &Step<'_>,
        output: &[u8],
    ) -> Result<Option<String>, Failure<AgentError>> {
        let log = self.journal.keep_log(self.sequence, step.index, output);
        Ok(Some(log.map_err(AgentError::from)?))
    }

    async fn done(&mut self, step: &Step<'_>, outcome: &Outcome) -> Result<(), AgentError> {
        if self.journal.done(self.sequence, step.index).is_none() {
            self.journal.add(Entry::Done(Done {
                sequence: self.sequence,
                index: step.index,
                outcome: outcome.clone(),
            }))?;
        }
        Ok(())
    }
}

impl Journaled<'_, '_> {
    /// Returns a note about a file whose name looks the same, for a result about a missing one.
    fn in_other_letters(&self, path: &WorkspacePath) -> String {
        let other = self.workspace.look_alike(path);
        other.map_or_else(String::new, |other| {
            format!("; '{other}' looks the same but consists of other code points (NFC and NFD)")
        })
    }

    fn intend(&mut self, step: &Step<'_>, file: Option<journal::Change>) -> Result<(), AgentError> {
        self.journal.add(Entry::Intent(Intent {
            sequence: self.sequence,
            index: step.index,
            file,
        }))?;
        Ok(())
    }
}

/// Returns the outcome of an interrupted change, unless the change has to be repeated. The file has the hash `now`.
fn interrupted(
    path: &WorkspacePath,
    change: &journal::Change,
    now: Option<String>,
) -> Option<Outcome> {
    if now == change.after && change.before != change.after {
        return Some(change.outcome.clone());
    }
    let why = "was interrupted, and its content is neither the old nor the new one";
    (now != change.before).then(|| Outcome::failed(format!("'{path}' {why}")))
}

/// State of a file before a command.
pub(super) enum Before {
    File(Vec<u8>),
    /// A link that leads nowhere or outside; it can only be deleted.
    Link,
    Nothing,
}

impl Before {
    pub(super) fn into_content(self) -> Option<Vec<u8>> {
        match self {
            Self::File(content) => Some(content),
            Self::Link => Some(Vec::new()),
            Self::Nothing => None,
        }
    }

    fn hash(&self) -> Option<String> {
        match self {
            Self::File(content) => Some(sha(content)),
            Self::Link | Self::Nothing => None,
        }
    }
}

/// Reads the file that a command changes. A missing one is an error, except for commands that create it.
pub(super) fn read_before(
    workspace: &dyn Workspace,
    path: &WorkspacePath,
    command: &FileCommand<'_>,
) -> Result<Before, FileError> {
    let is_deletion = matches!(command, FileCommand::Delete);
    let creates = matches!(command, FileCommand::Create { .. });
    match workspace.read(path, FILE_LIMIT) {
        Ok(content) => Ok(Before::File(content)),
        Err(FileError::Outside | FileError::Link) if is_deletion => Ok(Before::Link),
        // A dangling link is not found either, and can be deleted.
        Err(FileError::NotFound)
            if is_deletion && matches!(workspace.form(path), Some(Form::Link { .. })) =>
        {
            Ok(Before::Link)
        }
        Err(FileError::NotFound) if creates => Ok(Before::Nothing),
        Err(error) => Err(error),
    }
}

pub(super) fn file_error(path: &WorkspacePath, error: &FileError) -> String {
    match error {
        FileError::NotFound => format!("File '{path}' not found"),
        FileError::Outside | FileError::Protected => format!("{error}: '{path}'"),
        FileError::Directory
        | FileError::NotADirectory
        | FileError::Link
        | FileError::Special
        | FileError::OtherSpelling { .. }
        | FileError::TooLong { .. }
        | FileError::Io(_) => format!("'{path}': {error}"),
    }
}

pub(super) const fn names() -> Names {
    if cfg!(windows) {
        Names::Windows
    } else {
        Names::Unix
    }
}

/// Size limit of a file to read or edit, in bytes.
pub(super) const FILE_LIMIT: u64 = 64 * 1024 * 1024;
