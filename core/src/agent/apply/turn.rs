//! A reply while it is carried out, by whoever has files and a shell.
//!
//! ```text
//!   Turn::next ──► Step::Change ──► read the file ──► Turn::change ──► write or delete it ──► Turn::done(changed)
//!              ──► Step::Read   ──► read the file ─────────────────────────────────────────► Turn::done(found)
//!              ──► Step::Run    ──► run it ───────────────────────────────────────────────► Turn::done(…)
//!              ──► None         ──► Turn::end: the session has the results and waits for the next reply
//! ```
//!
//! What needs neither is done on the way: errors, messages, paths that are refused, and everything behind `DONE`.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde::{Deserialize, Serialize};

use super::{
    change::{self, Change},
    edit::{self, Snapshot},
    path::{Refusal, Root, Warning, WorkspacePath},
};
use crate::agent::{
    command::{Command, LineRange, ReadRequest},
    parse::{Inbox, Item},
    session::{CommandResult, Session},
    settings::{Eol, Numbering},
    sha::short_sha,
};

/// What somebody with files and a shell has to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Change a file: [`Turn::change`] says how.
    Change {
        /// The file.
        path: WorkspacePath,
        /// The command.
        command: &'a Command,
    },
    /// Read a file, and give it to [`Turn::found`].
    Read {
        /// The file.
        path: WorkspacePath,
    },
    /// Run a shell command, if that is allowed.
    Run {
        /// The script.
        command: &'a str,
    },
}

/// What became of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Whether it was done.
    pub success: bool,
    /// What was done, or why not, in one line.
    pub summary: String,
    /// What it printed, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What the LLM should know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to show in the next outbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<ReadRequest>,
    /// The first eight digits of the SHA-256 of the file as the LLM knows it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

impl Outcome {
    /// An outcome without output.
    #[must_use]
    pub fn new(success: bool, summary: impl Into<String>) -> Self {
        Self {
            success,
            summary: summary.into(),
            output: None,
            notes: Vec::new(),
            read: None,
            known: None,
        }
    }

    /// It was not done.
    #[must_use]
    pub fn failed(why: impl Into<String>) -> Self {
        Self::new(false, why)
    }
}

/// A reply while it is carried out.
#[derive(Debug)]
pub struct Turn<'a> {
    items: &'a [Item],
    root: Root,
    numbering: Numbering,
    eol: Eol,
    known: BTreeMap<String, String>,
    results: Vec<CommandResult>,
    reads: Vec<ReadRequest>,
    /// `DONE` was there, whether it was accepted or not.
    is_done: bool,
    is_complete: bool,
    snapshots: BTreeMap<String, Snapshot>,
    moves: Vec<Move>,
}

/// An edit that made a file longer or shorter.
#[derive(Debug)]
struct Move {
    path: String,
    first: u32,
    lines: i64,
}

enum Next<'a> {
    Ask(Step<'a>),
    /// It is done with these words.
    Settled(&'static str),
}

impl<'a> Turn<'a> {
    /// Begins with the first command.
    #[must_use]
    pub fn new(inbox: &'a Inbox, session: &Session, root: Root) -> Self {
        Self {
            items: &inbox.items,
            root,
            numbering: session.edit_numbering,
            eol: session.eol,
            known: session.known_files.clone(),
            results: Vec::new(),
            reads: Vec::new(),
            is_done: false,
            is_complete: false,
            snapshots: BTreeMap::new(),
            moves: Vec::new(),
        }
    }

    /// The next task; the same one until it is [`done`](Self::done). `None`: the reply is carried out.
    #[allow(
        clippy::should_implement_trait,
        reason = "it answers the same until it is told more"
    )]
    pub fn next(&mut self) -> Option<Step<'a>> {
        let items = self.items;
        while let Some(item) = items.get(self.results.len()) {
            match self.task(item) {
                Ok(Next::Ask(task)) => return Some(task),
                Ok(Next::Settled(summary)) => self.done(Outcome::new(true, summary)),
                Err(why) => self.done(Outcome::failed(why)),
            }
        }
        None
    }

    /// Which command of the message the task is, from 0. The same whenever the same message is carried out.
    #[must_use]
    pub fn index(&self) -> usize {
        self.results.len()
    }

    /// The line of the message where the task is written.
    #[must_use]
    pub fn line(&self) -> usize {
        self.items.get(self.index()).map_or(0, |item| item.line)
    }

    /// How to change the file of a [`Step::Change`], which is `before` (`None`: there is none).
    ///
    /// # Errors
    /// Why it is not to be changed.
    pub fn change(&self, before: Option<&[u8]>) -> Result<Change, String> {
        let (command, path) = self.file_command().ok_or("is no file command")?;
        if before.is_none() && matches!(command, Command::DeleteFile { .. }) {
            return Err(format!("File '{path}' not found"));
        }
        let translated = self.translated(command, &path, before)?;
        let mut change = change::plan(&translated, &path, before)?;
        change.notes = self.warnings(&translated, &path, before);
        Ok(change)
    }

    /// The outcome of a change that was made.
    #[must_use]
    pub fn changed(change: &Change) -> Outcome {
        Outcome {
            output: change.context.clone(),
            notes: change.notes.clone(),
            known: change.after.as_deref().map(short_sha),
            ..Outcome::new(true, change.summary.clone())
        }
    }

    /// The outcome of a [`Step::Read`].
    #[must_use]
    pub fn found(&self, content: &[u8]) -> Outcome {
        let Some(Ok(Command::ReadFile(request))) = self.command() else {
            return Outcome::failed("is not read");
        };
        let Ok((path, warning)) = self.judged(&request.path) else {
            return Outcome::failed("is not read");
        };
        let path = path.to_string();
        let sha = short_sha(content);
        let summary = format!("'{path}' is below ({} bytes, sha {sha})", content.len());
        let read = ReadRequest {
            path,
            ..request.clone()
        };
        Outcome {
            read: Some(read),
            known: Some(sha),
            notes: warning
                .filter(|warning| *warning == Warning::Absolute)
                .iter()
                .map(ToString::to_string)
                .collect(),
            ..Outcome::new(true, summary)
        }
    }

    /// The task is done, or not; the next one is next.
    pub fn done(&mut self, outcome: Outcome) {
        let Some(item) = self.items.get(self.results.len()) else {
            return;
        };
        let is_done = matches!(item.outcome, Ok(Command::Done { .. }));
        self.is_done |= is_done;
        self.is_complete |= is_done && outcome.success;
        if outcome.success {
            self.remember(item, &outcome);
        }
        let mut notes: Vec<String> = item.notes.iter().map(ToString::to_string).collect();
        notes.extend(outcome.notes);
        let name = match &item.outcome {
            Ok(command) => command.kind().name().to_string(),
            Err(fault) => fault.command.clone(),
        };
        self.reads
            .extend(outcome.read.filter(|read| !self.reads.contains(read)));
        self.results.push(CommandResult {
            output: outcome.output,
            notes,
            ..CommandResult::new(name, outcome.success, outcome.summary)
        });
    }

    /// Gives the session the results. `now` is the time as `2025-01-15T10:30:00Z`.
    pub fn end(self, session: &mut Session, now: String) {
        session.last_results = self.results;
        session.read_file_requests = self.reads;
        session.known_files = self.known;
        session.is_complete = self.is_complete;
        session.updated_at = now;
        if !self.is_complete {
            session.sequence_number += 1;
        }
    }

    fn command(&self) -> Option<Result<&'a Command, ()>> {
        let item = self.items.get(self.results.len())?;
        Some(item.outcome.as_ref().map_err(|_| ()))
    }

    /// What the item asks of others; or why not.
    fn task(&self, item: &'a Item) -> Result<Next<'a>, String> {
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
            Command::RunCommand { command } => Next::Ask(Step::Run { command }),
            Command::ReadFile(request) => {
                let (path, _) = self.judged(&request.path)?;
                Next::Ask(Step::Read { path })
            }
            Command::CreateFile { path, .. }
            | Command::EditFile { path, .. }
            | Command::DeleteFile { path } => {
                let (path, _) = self.judged(path)?;
                if path.is_protected(&[]) {
                    return Err(refused(Refusal::Protected, path.as_str()));
                }
                Next::Ask(Step::Change { path, command })
            }
        })
    }

    /// A session with something left that the LLM has not seen is not complete (CodingAgent protocol v1.0, "Error
    /// Handling": the LLM receives these results in the next outbox and can adapt its approach).
    fn whether_done(&self) -> Result<Next<'a>, String> {
        let failed = self.results.iter().filter(|result| !result.success).count();
        let rest = self.items.iter().skip(self.results.len() + 1);
        let left = rest
            .filter(|item| !item.outcome.as_ref().is_ok_and(is_said))
            .count();
        let (count, what) = match (failed, left) {
            (0, 0) => return Ok(Next::Settled("The session is complete")),
            (0, left) => (left, "came after [DONE] and nothing of that was done"),
            (failed, _) => (failed, "failed"),
        };
        Err(format!(
            "the session goes on, because {count} of the reply's commands {what}; send [DONE] again when all is well"
        ))
    }

    fn judged(&self, written: &str) -> Result<(WorkspacePath, Option<Warning>), String> {
        let judged = self.root.judge(written);
        judged.map_err(|refusal| refused(refusal, written))
    }

    fn file_command(&self) -> Option<(&'a Command, WorkspacePath)> {
        let command = self.command()?.ok()?;
        let (path, _) = self.judged(command.path()?).ok()?;
        Some((command, path))
    }

    /// The command with its lines as they are now, and a whole file with the line ends that it has or shall have.
    fn translated(
        &self,
        command: &Command,
        path: &WorkspacePath,
        before: Option<&[u8]>,
    ) -> Result<Command, String> {
        let mut command = command.clone();
        if let Command::CreateFile { content, .. } = &mut command {
            let text = before.filter(|before| !edit::is_binary(before));
            let eol = self.eol.of_file_or_self(text.unwrap_or_default());
            *content = eol.apply(content);
        }
        if let (Command::EditFile { lines, .. }, Numbering::Snapshot) =
            (&mut command, self.numbering)
            && let Some(snapshot) = self.snapshots.get(path.as_str())
        {
            let LineRange { first, last } = *lines;
            *lines = snapshot.translate(*lines).ok_or_else(|| {
                format!("lines {first}-{last} of '{path}' overlap an earlier edit of this message")
            })?;
        }
        Ok(command)
    }

    fn warnings(
        &self,
        command: &Command,
        path: &WorkspacePath,
        before: Option<&[u8]>,
    ) -> Vec<String> {
        let creates = matches!(command, Command::CreateFile { .. });
        let warning = command.path().and_then(|path| self.judged(path).ok()?.1);
        let warning = warning.filter(|warning| creates || *warning == Warning::Absolute);
        let mut notes: Vec<String> = warning.iter().map(ToString::to_string).collect();
        if let Command::EditFile { lines, .. } = command {
            notes.extend(self.edit_warnings(*lines, path, before));
        }
        notes
    }

    fn edit_warnings(
        &self,
        lines: LineRange,
        path: &WorkspacePath,
        before: Option<&[u8]>,
    ) -> Vec<String> {
        let mut notes = Vec::new();
        let is_above =
            |earlier: &&Move| earlier.path == path.as_str() && earlier.first <= lines.first;
        let moved: i64 = self
            .moves
            .iter()
            .filter(is_above)
            .map(|earlier| earlier.lines)
            .sum();
        if moved != 0 && self.numbering == Numbering::Sequential {
            notes.push(format!(
                "earlier edits of this message moved these lines by {moved:+}; the numbers were taken as those after them"
            ));
        }
        let known = self.known.get(path.as_str());
        if known.is_some_and(|known| before.is_some_and(|before| short_sha(before) != *known)) {
            notes.push(
                "the file was changed by something else since you saw it; look at it again".into(),
            );
        }
        notes
    }

    /// What later commands of the message have to know about this one.
    fn remember(&mut self, item: &Item, outcome: &Outcome) {
        let Ok(command) = &item.outcome else { return };
        let Some(Ok((path, _))) = command.path().map(|path| self.judged(path)) else {
            return;
        };
        let path = path.as_str().to_string();
        match &outcome.known {
            Some(known) => self.known.insert(path.clone(), known.clone()),
            None => self.known.remove(&path),
        };
        match command {
            Command::EditFile {
                lines, replacement, ..
            } => self.remember_edit(path, *lines, replacement),
            Command::CreateFile { .. } | Command::DeleteFile { .. } => {
                self.moves.retain(|earlier| earlier.path != path);
                let snapshot = self.snapshots.entry(path).or_default();
                snapshot.edited(ALL_LINES, 0);
            }
            _ => {}
        }
    }

    fn remember_edit(&mut self, path: String, lines: LineRange, replacement: &str) {
        let new = edit::count_lines(replacement.as_bytes());
        let old = i64::from(lines.last) - i64::from(lines.first) + 1;
        self.moves.push(Move {
            path: path.clone(),
            first: lines.first,
            lines: i64::try_from(new).unwrap_or(i64::MAX).saturating_sub(old),
        });
        self.snapshots.entry(path).or_default().edited(lines, new);
    }
}

/// What is said to the person and needs nothing else.
const fn is_said(command: &Command) -> bool {
    matches!(command, Command::Message { .. } | Command::Done { .. })
}

fn refused(refusal: Refusal, path: &str) -> String {
    format!("{refusal}: '{path}'")
}

const ALL_LINES: LineRange = LineRange {
    first: 1,
    last: u32::MAX,
};
