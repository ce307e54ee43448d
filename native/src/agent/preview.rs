//! What a reply would do, before it does it.

use std::collections::BTreeMap;

use flylead_core::agent::{Inbox, Outcome, Step, Turn, path::WorkspacePath};
use similar::TextDiff;

use super::{
    Agent, AgentError,
    perform::{FILE_LIMIT, file_error},
    secrets::looks_secret,
};
use crate::workspace::{FileError, Runner, Workspace, runs_by_itself};

/// One command of a reply, as a person wants to see it before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preview {
    /// A file changes: a unified diff.
    Change {
        /// Its path.
        path: String,
        /// The diff, with three lines of context.
        diff: String,
        /// More than half of the file goes, as when an LLM leaves out what it means to keep.
        shrinks: bool,
        /// What runs the file, or obeys it, without the person naming it.
        runner: Option<Runner>,
    },
    /// A file goes out with the next outbox.
    Read {
        /// Its path.
        path: String,
        /// Its size.
        bytes: u64,
        /// Why it looks as if it held a secret.
        secret: Option<&'static str>,
    },
    /// A shell command.
    Run {
        /// The script.
        script: String,
    },
    /// A command that will fail, or an error of the reply.
    Fails {
        /// The line of the reply.
        line: usize,
        /// Why.
        why: String,
    },
}

impl Agent {
    /// What the commands of a reply would do one after the other. What shell commands change is not known.
    ///
    /// # Errors
    /// The workspace cannot be opened.
    pub fn preview(&self, inbox: &Inbox) -> Result<Vec<Preview>, AgentError> {
        let workspace = self.workspace()?;
        let mut files = Files {
            workspace,
            changed: BTreeMap::new(),
        };
        let mut turn = Turn::new(inbox, &self.session, self.root());
        let mut previews = BTreeMap::new();
        while let Some(step) = turn.next() {
            let (preview, outcome) = files.try_out(&turn, &step);
            previews.extend(preview.map(|preview| (turn.index(), preview)));
            turn.done(outcome);
        }
        let mut after = self.session.clone();
        turn.end(&mut after, String::new());
        for (index, (item, result)) in inbox.items.iter().zip(&after.last_results).enumerate() {
            if !result.success {
                let line = item.line;
                let why = format!("{}: {}", result.command, result.summary);
                previews.insert(index, Preview::Fails { line, why });
            }
        }
        Ok(previews.into_values().collect())
    }
}

/// The workspace as it would be.
struct Files<'a> {
    workspace: &'a dyn Workspace,
    changed: BTreeMap<String, Option<Vec<u8>>>,
}

impl Files<'_> {
    fn try_out(&mut self, turn: &Turn<'_>, step: &Step<'_>) -> (Option<Preview>, Outcome) {
        match step {
            Step::Run { command } => {
                let script = (*command).to_owned();
                (Some(Preview::Run { script }), Outcome::new(true, ""))
            }
            Step::Read { path } => {
                let content = self.read(path);
                let content = content.and_then(|content| content.ok_or(FileError::NotFound));
                match content {
                    Ok(content) => (Some(reading(path, &content)), turn.found(&content)),
                    Err(error) => (None, Outcome::failed(file_error(path, &error))),
                }
            }
            Step::Change { path, .. } => {
                let before = self.read(path).unwrap_or_default();
                match turn.change(before.as_deref()) {
                    Err(why) => (None, Outcome::failed(why)),
                    Ok(change) => {
                        let preview = difference(path.as_str(), &before, &change.after);
                        let outcome = Turn::changed(&change);
                        self.changed.insert(path.to_string(), change.after);
                        (Some(preview), outcome)
                    }
                }
            }
            _ => (None, Outcome::failed("this program cannot do that")),
        }
    }

    fn read(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, FileError> {
        if let Some(known) = self.changed.get(path.as_str()) {
            return Ok(known.clone());
        }
        match self.workspace.read(path, FILE_LIMIT) {
            Ok(content) => Ok(Some(content)),
            Err(FileError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn difference(path: &str, before: &Option<Vec<u8>>, after: &Option<Vec<u8>>) -> Preview {
    let text = |content: &Option<Vec<u8>>| {
        String::from_utf8_lossy(content.as_deref().unwrap_or_default()).into_owned()
    };
    let (old, new) = (text(before), text(after));
    let diff = TextDiff::from_lines(&old, &new)
        .unified_diff()
        .context_radius(3)
        .to_string();
    let shrinks = after.is_some() && new.lines().count() * 2 < old.lines().count();
    Preview::Change {
        path: path.to_owned(),
        diff,
        shrinks,
        runner: after.is_some().then(|| runs_by_itself(path)).flatten(),
    }
}

fn reading(path: &WorkspacePath, content: &[u8]) -> Preview {
    Preview::Read {
        path: path.to_string(),
        bytes: content.len() as u64,
        secret: looks_secret(path.as_str(), content),
    }
}
