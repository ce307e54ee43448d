//! What was begun and what was done, a line of JSON each, on the disk before the next step.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use flylead_core::agent::Outcome;
use serde::{Deserialize, Serialize};

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

/// A reply, kept beside the journal, begins to be processed.
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
    /// What a file command changes. `None`: a shell command.
    pub(super) file: Option<Change>,
}

/// A file before and after a command, by the hashes of its contents. `None`: there is no file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// The outcome when it is done.
    pub(super) outcome: Outcome,
}

/// A command is done, or refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Done {
    pub(super) sequence: u32,
    pub(super) index: usize,
    pub(super) outcome: Outcome,
}

/// A session's journal.
#[derive(Debug)]
pub(super) struct Journal {
    folder: PathBuf,
    file: File,
    pub(super) entries: Vec<Entry>,
}

impl Journal {
    /// Reads the journal. A last line that was cut off by a crash is cut off for good.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder.join("undo"))?;
        let path = folder.join("journal.jsonl");
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            text => text?,
        };
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
        let file = File::options().create(true).append(true).open(path)?;
        file.set_len(whole as u64)?;
        Ok(Self {
            folder: folder.to_owned(),
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

    /// The reply that was begun and not ended.
    pub(super) fn interrupted(&self) -> Option<Begin> {
        let last = self
            .entries
            .iter()
            .rev()
            .find(|entry| matches!(entry, Entry::Begin(_) | Entry::End { .. }));
        match last {
            Some(Entry::Begin(begin)) => Some(begin.clone()),
            _ => None,
        }
    }

    /// The outbox that this text was processed as the reply to.
    pub(super) fn processed(&self, sha: &str) -> Option<u32> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::End {
                sequence,
                sha: done,
            } if done == sha => Some(*sequence),
            _ => None,
        })
    }

    /// What is known of one command.
    pub(super) fn done(&self, sequence: u32, index: usize) -> Option<&Outcome> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Done(done) if (done.sequence, done.index) == (sequence, index) => {
                Some(&done.outcome)
            }
            _ => None,
        })
    }

    pub(super) fn intent(&self, sequence: u32, index: usize) -> Option<&Intent> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Intent(intent) if (intent.sequence, intent.index) == (sequence, index) => {
                Some(intent)
            }
            _ => None,
        })
    }

    pub(super) fn reply_path(&self, sequence: u32) -> PathBuf {
        self.folder.join(format!("reply_seq{sequence:04}.txt"))
    }

    pub(super) fn log_path(&self, sequence: u32, index: usize) -> PathBuf {
        self.folder
            .join(format!("seq{sequence:04}_cmd{}.log", index + 1))
    }

    pub(super) fn image_path(&self, sequence: u32, index: usize) -> PathBuf {
        self.folder
            .join("undo")
            .join(format!("seq{sequence:04}_cmd{}", index + 1))
    }
}
