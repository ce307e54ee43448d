//! Journal of started and finished steps: one line of JSON each, flushed to disk before the next step.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use cap_std::fs::File;
use flylead_core::agent::Outcome;
use serde::{Deserialize, Serialize};

use super::store::Store;
use crate::agent::workspace::Form;

/// A step of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Entry {
    Begin(Begin),
    Intent(Intent),
    Done(Done),
    End { sequence: u32, sha: String },
    Undone { sequence: u32 },
}

impl Entry {
    pub(super) const fn intent(&self) -> Option<&Intent> {
        match self {
            Self::Intent(intent) => Some(intent),
            Self::Begin(_) | Self::Done(_) | Self::End { .. } | Self::Undone { .. } => None,
        }
    }

    const fn done(&self) -> Option<&Done> {
        match self {
            Self::Done(done) => Some(done),
            Self::Begin(_) | Self::Intent(_) | Self::End { .. } | Self::Undone { .. } => None,
        }
    }
}

/// A reply, kept beside the journal, is about to be processed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Begin {
    pub(super) sequence: u32,
    pub(super) sha: String,
    pub(super) strict: bool,
    pub(super) strip_fences: bool,
}

/// A command is about to change something.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Intent {
    pub(super) sequence: u32,
    pub(super) index: usize,
    /// Change by a file command; `None` for a shell command.
    pub(super) file: Option<Change>,
}

/// File before and after a command, by the hashes of its contents; `None` if it does not exist.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// Properties of the path besides its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<Form>,
    /// Uppermost folder that was created for the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) made: Option<String>,
    /// Outcome once the change is made.
    pub(super) outcome: Outcome,
}

/// A command was executed or refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Done {
    pub(super) sequence: u32,
    pub(super) index: usize,
    pub(super) outcome: Outcome,
}

/// Journal of a session, and the files kept beside it.
#[derive(Debug)]
pub(super) struct Journal {
    folder: Store,
    undo: Store,
    file: File,
    pub(super) entries: Vec<Entry>,
}

impl Journal {
    /// Reads the journal. A last line truncated by a crash is removed.
    pub(super) fn open(folder: Store) -> io::Result<Self> {
        let undo = folder.folder("undo")?;
        let text = folder.read_if_there(FILE, LIMIT)?.unwrap_or_default();
        let mut entries = Vec::new();
        let mut whole = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let Ok(entry) = serde_json::from_slice(line) else {
                break;
            };
            if !line.ends_with(b"\n") {
                break;
            }
            entries.push(entry);
            whole += line.len();
        }
        let file = folder.append(FILE)?;
        file.set_len(whole as u64)?;
        Ok(Self {
            folder,
            undo,
            file,
            entries,
        })
    }

    pub(super) fn add(&mut self, entry: Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.entries.push(entry);
        Ok(())
    }

    pub(super) fn begin(&mut self, begin: Begin) -> io::Result<()> {
        self.add(Entry::Begin(begin))
    }

    /// Returns the reply that was started and not finished.
    pub(super) fn interrupted(&self) -> Option<Begin> {
        let last = self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Begin(begin) => Some(Some(begin.clone())),
            Entry::End { .. } => Some(None),
            Entry::Intent(_) | Entry::Done(_) | Entry::Undone { .. } => None,
        });
        last.flatten()
    }

    /// Returns the outbox to which this text was processed as the reply.
    pub(super) fn processed(&self, sha: &str) -> Option<u32> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::End {
                sequence,
                sha: done,
            } => (done == sha).then_some(*sequence),
            Entry::Begin(_) | Entry::Intent(_) | Entry::Done(_) | Entry::Undone { .. } => None,
        })
    }

    /// Returns the recorded outcome of a command.
    pub(super) fn done(&self, sequence: u32, index: usize) -> Option<&Outcome> {
        let mut dones = self.entries.iter().rev().filter_map(Entry::done);
        let done = dones.find(|done| (done.sequence, done.index) == (sequence, index));
        done.map(|done| &done.outcome)
    }

    pub(super) fn intent(&self, sequence: u32, index: usize) -> Option<&Intent> {
        let mut intents = self.entries.iter().rev().filter_map(Entry::intent);
        intents.find(|intent| (intent.sequence, intent.index) == (sequence, index))
    }

    /// Keeps a reply before any of it is executed.
    pub(super) fn keep_reply(&self, sequence: u32, reply: &[u8]) -> io::Result<()> {
        self.folder.write(&reply_name(sequence), reply)
    }

    /// Returns the kept reply to an outbox.
    pub(super) fn reply(&self, sequence: u32) -> io::Result<Vec<u8>> {
        self.folder.read(&reply_name(sequence), LIMIT)
    }

    /// Keeps a command's complete output, and returns the file's name.
    pub(super) fn keep_log(
        &self,
        sequence: u32,
        index: usize,
        output: &[u8],
    ) -> io::Result<String> {
        let name = format!("{}.log", command_name(sequence, index));
        self.folder.write(&name, output)?;
        Ok(name)
    }

    /// Keeps a file's content from before a command.
    pub(super) fn keep_image(&self, sequence: u32, index: usize, image: &[u8]) -> io::Result<()> {
        self.undo.write(&command_name(sequence, index), image)
    }

    /// Returns the folder with the data for undoing a shell command. It exists if the command changed something.
    pub(super) fn undo_folder(&self, sequence: u32, index: usize) -> PathBuf {
        let name = format!("{}.d", command_name(sequence, index));
        self.undo.path_of(&name)
    }

    /// Returns a file's content from before a command.
    pub(super) fn image(&self, sequence: u32, index: usize) -> io::Result<Vec<u8>> {
        self.undo.read(&command_name(sequence, index), LIMIT)
    }
}

fn reply_name(sequence: u32) -> String {
    format!("reply_seq{sequence:04}.txt")
}

fn command_name(sequence: u32, index: usize) -> String {
    format!("seq{sequence:04}_cmd{}", index + 1)
}

const FILE: &str = "journal.jsonl";
/// Size limit of a file in the journal's folder, in bytes.
const LIMIT: u64 = 1024 * 1024 * 1024;
