//! Taking back what the file commands of one reply did.

use std::fs;

use flylead_core::agent::path::{self, Names};

use super::{
    Agent, AgentError,
    journal::{Change, Entry, Journal, sha},
};
use crate::workspace::{FileError, Workspace};

impl Agent {
    /// Puts back the files that the reply to an outbox changed, the last change first. What shell commands did is not
    /// known and stays. `None`: the last reply. Answers what was done to each file.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub fn undo(&mut self, sequence: Option<u32>) -> Result<Vec<String>, AgentError> {
        let mut journal = Journal::open(&self.home.folder_of(&self.session))?;
        let undone = |wanted| {
            journal
                .entries
                .iter()
                .any(|entry| matches!(entry, Entry::Undone { sequence } if *sequence == wanted))
        };
        let last = journal.entries.iter().rev().find_map(|entry| match entry {
            Entry::End { sequence, .. } if !undone(*sequence) => Some(*sequence),
            _ => None,
        });
        let Some(sequence) = sequence.or(last) else {
            return Ok(Vec::new());
        };
        let mut said = Vec::new();
        for entry in journal.entries.iter().rev() {
            if let Entry::Intent(intent) = entry
                && intent.sequence == sequence
                && let Some(change) = &intent.file
            {
                said.push(self.restore(&journal, sequence, intent.index, change));
            }
        }
        journal.add(Entry::Undone { sequence })?;
        Ok(said)
    }

    fn restore(&self, journal: &Journal, sequence: u32, index: usize, change: &Change) -> String {
        let name = &change.path;
        let Ok((path, _)) = path::judge(name, Names::Unix) else {
            return format!("{name}: left as it is");
        };
        let now = match self.folder.read(&path, super::perform::FILE_LIMIT) {
            Ok(content) => Some(sha(&content)),
            Err(FileError::NotFound) => None,
            Err(error) => return format!("{name}: left as it is ({error})"),
        };
        if now != change.after {
            return format!("{name}: left as it is (changed since)");
        }
        let restored = match &change.before {
            None => self.folder.delete(&path),
            Some(_) => fs::read(journal.image_path(sequence, index))
                .map_err(FileError::from)
                .and_then(|image| self.folder.write(&path, &image)),
        };
        match restored {
            Ok(()) => format!("{name}: as before"),
            Err(error) => format!("{name}: left as it is ({error})"),
        }
    }
}
