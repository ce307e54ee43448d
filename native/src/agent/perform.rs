//! A reply's commands, one after the other, each exactly once.

use flylead_core::agent::{
    Command, Inbox, Outcome, Step, Truncate, Turn,
    output::{clean, truncate},
    path::{Names, Root, WorkspacePath},
    sha,
};

use super::{
    Agent, AgentError, Approval, Approve, Processed, home,
    journal::{Begin, Change, Done, Entry, Intent, Journal},
    open,
};
use crate::workspace::{FileError, Form, Workspace};

impl Agent {
    /// Performs what is not done yet, then ends the reply: session, journal, outbox.
    pub(super) fn perform(
        &mut self,
        journal: &mut Journal,
        begin: &Begin,
        inbox: &Inbox,
        approve: &mut Approve<'_>,
    ) -> Result<Processed, AgentError> {
        let sequence = begin.sequence;
        // The session may have been written before the journal's end was: then only the end is missing.
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
            messages: Self::messages(inbox),
            outbox,
        })
    }

    fn perform_all(
        &mut self,
        journal: &mut Journal,
        sequence: u32,
        inbox: &Inbox,
        approve: &mut Approve<'_>,
    ) -> Result<(), AgentError> {
        let workspace = self.workspace()?;
        let truncate = self.session.truncate;
        let mut turn = Turn::new(inbox, &self.session, self.root());
        while let Some(step) = turn.next() {
            let index = turn.index();
            let outcome = match journal.done(sequence, index) {
                Some(outcome) => outcome.clone(),
                None => {
                    let mut at = At {
                        workspace,
                        journal: &mut *journal,
                        sequence,
                        index,
                        truncate,
                    };
                    let outcome = at.perform(&turn, &step, approve)?;
                    journal.add(Entry::Done(Done {
                        sequence,
                        index,
                        outcome: outcome.clone(),
                    }))?;
                    outcome
                }
            };
            turn.done(outcome);
        }
        turn.end(&mut self.session, home::now());
        Ok(())
    }
}

impl Agent {
    /// What the LLM's paths are judged by.
    pub(super) fn root(&self) -> Root {
        Root {
            names: names(),
            path: Some(open::root(self.home.workspace()).to_owned()),
        }
    }
}

/// One command of a reply, about to be performed.
struct At<'a> {
    workspace: &'a dyn Workspace,
    journal: &'a mut Journal,
    sequence: u32,
    index: usize,
    truncate: Truncate,
}

impl At<'_> {
    fn perform(
        &mut self,
        turn: &Turn<'_>,
        step: &Step<'_>,
        approve: &mut Approve<'_>,
    ) -> Result<Outcome, AgentError> {
        let approval = match self.is_begun() {
            true => Approval::Run,
            false => approve(step),
        };
        if let Approval::Refuse(why) = approval {
            return Ok(Outcome::failed(not_done(step, &why)));
        }
        match step {
            Step::Run { command } => self.run(command, approval),
            Step::Read { path } => Ok(match self.workspace.read(path, FILE_LIMIT) {
                Ok(content) => turn.found(&content),
                Err(error) => {
                    Outcome::failed(file_error(path, &error) + &self.in_other_letters(path))
                }
            }),
            Step::Change { path, command } => self.change(turn, path, command),
            _ => Ok(Outcome::failed("this program cannot do that")),
        }
    }

    /// Changes a file: what it will be is known, and on the disk as a hash, before it is.
    fn change(
        &mut self,
        turn: &Turn<'_>,
        path: &WorkspacePath,
        command: &Command,
    ) -> Result<Outcome, AgentError> {
        let before = match read_before(self.workspace, path, command) {
            Ok(before) => before,
            Err(error) => return Ok(Outcome::failed(file_error(path, &error))),
        };
        if let Some(outcome) = self.interrupted(path, before.hash()) {
            return Ok(outcome);
        }
        let planned = match turn.change(before.content()) {
            Ok(planned) => planned,
            Err(why) => return Ok(Outcome::failed(why + &self.in_other_letters(path))),
        };
        if let Before::File(content) = &before {
            let (sequence, index) = (self.sequence, self.index);
            self.journal.keep_image(sequence, index, content)?;
        }
        let mut outcome = Turn::changed(&planned);
        let other = self.in_other_letters(path);
        if matches!(before, Before::Nothing) && !other.is_empty() {
            outcome.notes.push(format!("made '{path}'{other}"));
        }
        self.intend(Some(Change {
            path: path.as_str().to_owned(),
            before: before.hash(),
            after: planned.after.as_deref().map(sha),
            form: self.workspace.form(path),
            outcome: outcome.clone(),
        }))?;
        let done = match &planned.after {
            Some(after) => self.workspace.write(path, after),
            None => self.workspace.delete(path),
        };
        Ok(match done {
            Ok(()) => outcome,
            Err(error) => Outcome::failed(file_error(path, &error)),
        })
    }

    /// A file that looks the same, for results about one that is not there.
    fn in_other_letters(&self, path: &WorkspacePath) -> String {
        let other = self.workspace.look_alike(path);
        other.map_or_else(String::new, |other| {
            format!(
                "; '{other}' looks the same and is written with other code points (NFC and NFD)"
            )
        })
    }

    /// The outcome of a change that was interrupted, unless it has to be made again.
    fn interrupted(&self, path: &WorkspacePath, now: Option<String>) -> Option<Outcome> {
        let intent = self.journal.intent(self.sequence, self.index)?;
        let change = intent.file.as_ref()?;
        if now == change.after && change.before != change.after {
            return Some(change.outcome.clone());
        }
        let why = "was interrupted and is neither what it was nor what it should be";
        (now != change.before).then(|| Outcome::failed(format!("'{path}' {why}")))
    }

    /// Whether an earlier run began with the step, and was interrupted.
    fn is_begun(&self) -> bool {
        self.journal.intent(self.sequence, self.index).is_some()
    }

    fn run(&mut self, script: &str, approval: Approval) -> Result<Outcome, AgentError> {
        if self.is_begun() {
            return Ok(Outcome::failed(format!(
                "'{script}' was interrupted, its outcome is unknown; it was not run again"
            )));
        }
        let (instead, script) = match approval {
            Approval::RunInstead(other) => (Some(script), other),
            Approval::Run | Approval::Refuse(_) => (None, script.to_owned()),
        };
        let workspace = self.workspace;
        self.intend(None)?;
        let ran = match workspace.run(&script) {
            Ok(ran) => ran,
            Err(error) => {
                let why = format!("'{script}' could not be started: {error}");
                return Ok(Outcome::failed(why));
            }
        };
        let text = clean(&ran.output);
        let long = text.chars().count() > OUTPUT_LIMIT;
        let log = match long {
            true => Some(
                self.journal
                    .keep_log(self.sequence, self.index, &ran.output)?,
            ),
            false => None,
        };
        let output = truncate(text.trim_end(), OUTPUT_LIMIT, self.truncate, log.as_deref());
        let mut notes = ran.notes;
        notes.extend(instead.map(|it| format!("the person ran this instead of '{it}'")));
        Ok(Outcome {
            output: (!output.is_empty()).then_some(output),
            notes,
            ..Outcome::new(ran.success, ran.summary)
        })
    }

    fn intend(&mut self, file: Option<Change>) -> Result<(), AgentError> {
        self.journal.add(Entry::Intent(Intent {
            sequence: self.sequence,
            index: self.index,
            file,
        }))?;
        Ok(())
    }
}

/// What the LLM is told of a step that the person did not allow.
fn not_done(step: &Step<'_>, why: &str) -> String {
    match step {
        Step::Run { command } => format!("'{command}' was not run: {why}"),
        Step::Read { path } => format!("'{path}' was not read: {why}"),
        Step::Change { path, .. } => format!("'{path}' is as it was: {why}"),
        _ => why.to_owned(),
    }
}

/// A file before a command.
enum Before {
    File(Vec<u8>),
    /// A link that leads nowhere or outside: it can be deleted, and only that.
    Link,
    Nothing,
}

impl Before {
    fn content(&self) -> Option<&[u8]> {
        match self {
            Self::File(content) => Some(content),
            Self::Link => Some(&[]),
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

fn read_before(
    workspace: &dyn Workspace,
    path: &WorkspacePath,
    command: &Command,
) -> Result<Before, FileError> {
    let is_deletion = matches!(command, Command::DeleteFile { .. });
    match workspace.read(path, FILE_LIMIT) {
        Ok(content) => Ok(Before::File(content)),
        Err(FileError::Outside | FileError::Link) if is_deletion => Ok(Before::Link),
        // A link that leads nowhere is not found either, and can be deleted.
        Err(FileError::NotFound)
            if is_deletion && matches!(workspace.form(path), Some(Form::Link { .. })) =>
        {
            Ok(Before::Link)
        }
        Err(FileError::NotFound) => Ok(Before::Nothing),
        Err(error) => Err(error),
    }
}

pub(super) fn file_error(path: &WorkspacePath, error: &FileError) -> String {
    match error {
        FileError::NotFound => format!("File '{path}' not found"),
        FileError::Outside | FileError::Protected => format!("{error}: '{path}'"),
        _ => format!("'{path}': {error}"),
    }
}

pub(super) const fn names() -> Names {
    if cfg!(windows) {
        Names::Windows
    } else {
        Names::Unix
    }
}

/// The largest file that is read or edited.
pub(super) const FILE_LIMIT: u64 = 64 * 1024 * 1024;
/// The document's limit for a command's output, in characters.
const OUTPUT_LIMIT: usize = 4000;
