//! Undoes the changes of one reply.

use flylead_core::agent::{
    CommandResult, Outcome,
    path::{self, Names},
    sha,
};

use super::{
    Agent, AgentError,
    journal::{Change, Entry, Journal},
};
use crate::agent::workspace::FileError;

impl Agent {
    /// Undoes the changes of the reply to an outbox, by default of the last reply, in reverse order. Changes that shell
    /// commands made without a sandbox are unknown and stay. Returns what was done to each file.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub fn undo(&mut self, sequence: Option<u32>) -> Result<Vec<String>, AgentError> {
        let mut journal = Journal::open(self.home.folder_of(&self.session)?)?;
        let undone = |wanted| {
            journal
                .entries
                .iter()
                .any(|entry| matches!(entry, Entry::Undone { sequence } if *sequence == wanted))
        };
        let last = journal.entries.iter().rev().find_map(|entry| match entry {
            Entry::End { sequence, .. } => (!undone(*sequence)).then_some(*sequence),
            Entry::Begin(_) | Entry::Intent(_) | Entry::Done(_) | Entry::Undone { .. } => None,
        });
        let Some(sequence) = sequence.or(last) else {
            return Ok(Vec::new());
        };
        let mut said = Vec::new();
        let mut seen = Vec::new();
        for entry in journal.entries.iter().rev() {
            if let Entry::Intent(intent) = entry
                && intent.sequence == sequence
                && !seen.contains(&intent.index)
            {
                seen.push(intent.index);
                let is_done = |done: &Outcome| done.success;
                match &intent.file {
                    Some(change) if journal.done(sequence, intent.index).is_none_or(is_done) => {
                        said.push(self.restore(&journal, sequence, intent.index, change)?);
                    }
                    // A failed command may have changed files, too.
                    None => said.extend(self.take_back(&journal, sequence, intent.index)?),
                    Some(_) => {}
                }
            }
        }
        journal.add(Entry::Undone { sequence })?;
        self.tell(sequence, &said)?;
        Ok(said)
    }

    /// Informs the LLM that its files differ from those it wrote.
    fn tell(&mut self, sequence: u32, said: &[String]) -> Result<(), AgentError> {
        if said.is_empty() || self.session.is_complete {
            return Ok(());
        }
        let summary = format!(
            "The person undid the changes of your reply to message {sequence} ({})",
            said.join("; ")
        );
        let result = CommandResult::new("UNDO".into(), true, summary);
        self.session.last_results.push(result);
        self.home.save(&self.session)?;
        self.forget_outbox()?;
        self.write_outbox()?;
        Ok(())
    }

    fn take_back(
        &self,
        journal: &Journal,
        sequence: u32,
        index: usize,
    ) -> Result<Vec<String>, AgentError> {
        let said = self
            .workspace()?
            .take_back(&journal.undo_folder(sequence, index))?;
        Ok(match said.len().saturating_sub(MOST_NAMED) {
            0 => said,
            more => {
                let (left, done): (Vec<_>, Vec<_>) =
                    said.into_iter().partition(|it| !it.ends_with(AS_BEFORE));
                let named = done.len().min(MOST_NAMED);
                let mut said = [left, done[..named].to_vec()].concat();
                said.push(format!("and {more} more of a command: as before"));
                said
            }
        })
    }

    fn restore(
        &self,
        journal: &Journal,
        sequence: u32,
        index: usize,
        change: &Change,
    ) -> Result<String, AgentError> {
        let workspace = self.workspace()?;
        let name = &change.path;
        let Ok((path, _)) = path::judge(name, Names::Unix) else {
            return Ok(format!("{name}: left as it is"));
        };
        let now = match workspace.read(&path, super::perform::FILE_LIMIT) {
            Ok(content) => Some(sha(&content)),
            Err(FileError::NotFound) => None,
            Err(error) => return Ok(format!("{name}: left as it is ({error})")),
        };
        let is_there = now.is_none() && workspace.form(&path).is_some();
        if now != change.after || is_there {
            return Ok(format!("{name}: left as it is (changed since)"));
        }
        let image = || journal.image(sequence, index).map_err(FileError::from);
        let restored = match (&change.before, &change.form) {
            (Some(_), Some(form)) => {
                image().and_then(|image| workspace.restore(&path, form, &image))
            }
            (Some(_), None) => image().and_then(|image| workspace.write(&path, &image)),
            (None, Some(form)) => workspace.restore(&path, form, &[]),
            (None, None) => workspace.delete(&path),
        };
        Ok(match restored {
            Ok(()) => {
                if let Some(made) = &change.made {
                    workspace.remove_empty_folders(&path, made);
                }
                format!("{name}{AS_BEFORE}")
            }
            Err(error) => format!("{name}: left as it is ({error})"),
        })
    }
}

const AS_BEFORE: &str = ": as before";
const MOST_NAMED: usize = 50;
