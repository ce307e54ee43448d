//! Previews the effect of a reply before it is carried out.

use std::{collections::BTreeMap, convert::Infallible};

use flylead_core::agent::{
    Approval, Change, Failure, Host, Inbox, Ran, Step, Task, Turn, looks_secret,
    path::WorkspacePath,
};
use similar::TextDiff;

use super::{
    Agent, AgentError,
    perform::{FILE_LIMIT, at_once, file_error, read_before},
};
use crate::agent::workspace::{FileError, Runner, Workspace, runs_by_itself};

/// Preview of one command of a reply, for the user's approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// A file changes.
    Change {
        /// Path.
        path: String,
        /// Unified diff with three lines of context.
        diff: String,
        /// True if more than half of the file is removed, as when an LLM omits parts that it means to keep.
        shrinks: bool,
        /// Program that runs or obeys the file without being asked to.
        runner: Option<Runner>,
    },
    /// A file is sent with the next outbox.
    Read {
        /// Path.
        path: String,
        /// Size.
        bytes: u64,
        /// Reason to suspect a secret in the file.
        secret: Option<&'static str>,
    },
    /// A shell command.
    Run {
        /// The script.
        script: String,
    },
    /// A command that will fail, or an error of the reply.
    Fails {
        /// Line in the reply.
        line: usize,
        /// Reason for the refusal.
        why: String,
    },
}

impl Agent {
    /// Previews the effect of a reply's commands, in order. Changes made by shell commands are
    /// unknown.
    ///
    /// # Errors
    /// The workspace cannot be opened.
    pub fn preview(&self, inbox: &Inbox) -> Result<Vec<Preview>, AgentError> {
        let mut files = Files {
            workspace: self.workspace()?,
            changed: BTreeMap::new(),
            previews: BTreeMap::new(),
        };
        let mut turn = Turn::new(inbox.clone(), self.session.clone(), self.root());
        let Ok(()) = at_once(turn.carry_out(&mut files));
        let after = turn.end(String::new());
        let mut previews = files.previews;
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

/// Workspace as it would be after the commands so far.
struct Files<'a> {
    workspace: &'a dyn Workspace,
    changed: BTreeMap<String, Option<Vec<u8>>>,
    /// Previews by the indices of the commands.
    previews: BTreeMap<usize, Preview>,
}

impl Host for Files<'_> {
    type Error = Infallible;

    async fn approve(&mut self, step: &Step<'_>) -> Result<Approval, Infallible> {
        if let Task::Run { script } = step.task {
            let script = script.to_owned();
            self.previews.insert(step.index, Preview::Run { script });
        }
        Ok(Approval::Run)
    }

    async fn read(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
    ) -> Result<Option<Vec<u8>>, Failure<Infallible>> {
        let content = self.content(step, path);
        let content = content.map_err(|error| Failure::Step(file_error(path, &error)))?;
        if let (Task::Read { .. }, Some(content)) = (&step.task, &content) {
            self.previews.insert(step.index, reading(path, content));
        }
        Ok(content)
    }

    async fn change(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
        change: &mut Change,
    ) -> Result<(), Failure<Infallible>> {
        let mut preview = difference(path.as_str(), before, change.after.as_deref());
        if let Preview::Change { runner, .. } = &mut preview
            && change.after.is_some()
        {
            let resolved = || self.workspace.resolved(path);
            *runner = runs_by_itself(path.as_str())
                .or_else(|| resolved().and_then(|path| runs_by_itself(&path)));
        }
        self.previews.insert(step.index, preview);
        self.changed.insert(path.to_string(), change.after.clone());
        Ok(())
    }

    async fn run(&mut self, _: &Step<'_>, _: &str) -> Result<Ran, Failure<Infallible>> {
        Ok(Ran {
            success: true,
            summary: String::new(),
            output: Vec::new(),
            notes: Vec::new(),
        })
    }
}

impl Files<'_> {
    fn content(&self, step: &Step<'_>, path: &WorkspacePath) -> Result<Option<Vec<u8>>, FileError> {
        if let Some(known) = self.changed.get(path.as_str()) {
            return Ok(known.clone());
        }
        match &step.task {
            Task::Change { command, .. } => {
                Ok(read_before(self.workspace, path, command)?.into_content())
            }
            Task::Read { .. } | Task::Run { .. } => self.workspace.read(path, FILE_LIMIT).map(Some),
        }
    }
}

fn difference(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Preview {
    let text =
        |content: Option<&[u8]>| String::from_utf8_lossy(content.unwrap_or_default()).into_owned();
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
        runner: None,
    }
}

fn reading(path: &WorkspacePath, content: &[u8]) -> Preview {
    Preview::Read {
        path: path.to_string(),
        bytes: content.len() as u64,
        secret: looks_secret(path.as_str(), content),
    }
}
