//! A reply's commands, one after the other, each exactly once.

use std::fs;

use flylead_core::agent::{
    Command, CommandResult, Inbox, LineRange, ReadRequest, edit,
    output::{clean, shorten},
    path::{self, Names, WorkspacePath},
};

use super::{
    Agent, AgentError, Approve, Processed, home,
    journal::{Begin, Change, Done, Entry, Intent, Journal, sha},
};
use crate::{
    shell::{self, End, Limits, Ran},
    workspace::{FileError, Workspace},
};

/// What a command did, before it is a result.
struct Outcome {
    success: bool,
    summary: String,
    output: Option<String>,
    read: Option<ReadRequest>,
}

impl Outcome {
    fn new(success: bool, summary: impl Into<String>) -> Self {
        Self {
            success,
            summary: summary.into(),
            output: None,
            read: None,
        }
    }

    fn failed(summary: impl Into<String>) -> Self {
        Self::new(false, summary)
    }
}

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
        let (mut results, mut reads, mut complete) = (Vec::new(), Vec::<ReadRequest>::new(), false);
        for (index, item) in inbox.items.iter().enumerate() {
            let done = match journal.done(sequence, index) {
                Some(done) => done.clone(),
                None => {
                    let outcome = match &item.outcome {
                        Err(fault) => Outcome::failed(format!("line {}: {fault}", item.line)),
                        Ok(_) if complete => Outcome::failed("SKIPPED: comes after [DONE]"),
                        Ok(command) => {
                            self.perform_one(journal, (sequence, index), command, approve)?
                        }
                    };
                    let name = match &item.outcome {
                        Ok(command) => command.kind().name().to_owned(),
                        Err(fault) => fault.command.clone(),
                    };
                    let result = CommandResult {
                        output: outcome.output,
                        notes: item.notes.iter().map(ToString::to_string).collect(),
                        ..CommandResult::new(name, outcome.success, outcome.summary)
                    };
                    let done = Done {
                        sequence,
                        index,
                        result,
                        read: outcome.read,
                    };
                    journal.add(Entry::Done(done.clone()))?;
                    done
                }
            };
            complete |= matches!(item.outcome, Ok(Command::Done { .. }));
            reads.extend(done.read.filter(|read| !reads.contains(read)));
            results.push(done.result);
        }
        self.session.last_results = results;
        self.session.read_file_requests = reads;
        self.session.is_complete = complete;
        self.session.updated_at = home::now();
        if !complete {
            self.session.sequence_number += 1;
        }
        Ok(())
    }

    fn perform_one(
        &self,
        journal: &mut Journal,
        at: (u32, usize),
        command: &Command,
        approve: &mut Approve<'_>,
    ) -> Result<Outcome, AgentError> {
        Ok(match command {
            Command::Message { .. } => Outcome::new(true, "Shown to the person"),
            Command::Done { .. } => Outcome::new(true, "The session is complete"),
            Command::RunCommand { command } => self.run(journal, at, command, approve)?,
            Command::ReadFile(request) => self.request(request),
            Command::CreateFile { path, .. }
            | Command::EditFile { path, .. }
            | Command::DeleteFile { path } => match path::judge(path, names()) {
                Err(refusal) => Outcome::failed(format!("{refusal}: '{path}'")),
                Ok((judged, _)) => self.change(journal, at, command, &judged)?,
            },
        })
    }

    fn request(&self, request: &ReadRequest) -> Outcome {
        let judged = match path::judge(&request.path, names()) {
            Err(refusal) => return Outcome::failed(format!("{refusal}: '{}'", request.path)),
            Ok((judged, _)) => judged,
        };
        match self.folder.read(&judged, FILE_LIMIT) {
            Err(error) => Outcome::failed(file_error(&judged, &error)),
            Ok(content) => {
                let read = ReadRequest {
                    path: judged.as_str().to_owned(),
                    ..request.clone()
                };
                let summary = format!(
                    "'{judged}' is below ({} bytes, sha {})",
                    content.len(),
                    &sha(&content)[..8]
                );
                Outcome {
                    read: Some(read),
                    ..Outcome::new(true, summary)
                }
            }
        }
    }

    /// Changes a file: what it will be is known, and on the disk as a hash, before it is.
    fn change(
        &self,
        journal: &mut Journal,
        (sequence, index): (u32, usize),
        command: &Command,
        path: &WorkspacePath,
    ) -> Result<Outcome, AgentError> {
        let before = match self.folder.read(path, FILE_LIMIT) {
            Ok(content) => Some(content),
            Err(FileError::NotFound) => None,
            Err(FileError::Outside | FileError::Link)
                if matches!(command, Command::DeleteFile { .. }) =>
            {
                None
            }
            Err(error) => return Ok(Outcome::failed(file_error(path, &error))),
        };
        let hash = before.as_deref().map(sha);
        if let Some(change) = journal
            .intent(sequence, index)
            .and_then(|intent| intent.file.clone())
        {
            let redo = change.before == change.after;
            if hash == change.after && !redo {
                return Ok(Outcome::new(true, change.summary));
            }
            if hash != change.before {
                return Ok(Outcome::failed(format!(
                    "'{path}' was interrupted and is neither what it was nor what it should be"
                )));
            }
        }
        let (after, summary) = match plan(command, path, before.as_deref()) {
            Ok(planned) => planned,
            Err(why) => return Ok(Outcome::failed(why)),
        };
        if let Some(before) = &before {
            home::write_atomically(&journal.image_path(sequence, index), before)?;
        }
        let change = Change {
            path: path.as_str().to_owned(),
            before: hash,
            after: after.as_deref().map(sha),
            summary: summary.clone(),
        };
        journal.add(Entry::Intent(Intent {
            sequence,
            index,
            file: Some(change),
        }))?;
        let done = match &after {
            Some(after) => self.folder.write(path, after),
            None => self.folder.delete(path),
        };
        Ok(match done {
            Err(error) => Outcome::failed(file_error(path, &error)),
            Ok(()) => Outcome {
                output: context(command, after.as_deref()),
                ..Outcome::new(true, summary)
            },
        })
    }

    fn run(
        &self,
        journal: &mut Journal,
        (sequence, index): (u32, usize),
        script: &str,
        approve: &mut Approve<'_>,
    ) -> Result<Outcome, AgentError> {
        if journal.intent(sequence, index).is_some() {
            return Ok(Outcome::failed(format!(
                "'{script}' was interrupted, its outcome is unknown; it was not run again"
            )));
        }
        if let Err(why) = approve(script) {
            return Ok(Outcome::failed(format!("'{script}' was not run: {why}")));
        }
        journal.add(Entry::Intent(Intent {
            sequence,
            index,
            file: None,
        }))?;
        let ran = match shell::run(script, self.folder.path(), Limits::default()) {
            Ok(ran) => ran,
            Err(error) => {
                return Ok(Outcome::failed(format!(
                    "'{script}' could not be started: {error}"
                )));
            }
        };
        let text = clean(&ran.output);
        let log = journal.log_path(sequence, index);
        let long = text.chars().count() > OUTPUT_LIMIT;
        if long {
            fs::write(&log, &ran.output)?;
        }
        let name = log
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let output = shorten(
            text.trim_end(),
            OUTPUT_LIMIT,
            name.as_deref().filter(|_| long),
        );
        let (success, summary) = ended(script, &ran);
        Ok(Outcome {
            output: (!output.is_empty()).then_some(output),
            ..Outcome::new(success, summary)
        })
    }
}

/// What a file command makes of a file (`None`: it deletes it), and how to say so.
pub(super) fn plan(
    command: &Command,
    path: &WorkspacePath,
    before: Option<&[u8]>,
) -> Result<(Option<Vec<u8>>, String), String> {
    match command {
        Command::CreateFile { content, .. } => {
            let lines = |content: &[u8]| edit::count_lines(content);
            let summary = match before {
                None => format!("Created '{path}'"),
                Some(before) => {
                    format!(
                        "Overwrote '{path}' ({} -> {} lines)",
                        lines(before),
                        lines(content.as_bytes())
                    )
                }
            };
            Ok((Some(content.clone().into_bytes()), summary))
        }
        Command::EditFile {
            lines,
            replacement,
            expect,
            sha: wanted,
            ..
        } => {
            let before = before.ok_or_else(|| format!("File '{path}' not found"))?;
            if wanted
                .as_ref()
                .is_some_and(|wanted| !sha(before).starts_with(&wanted.to_ascii_lowercase()))
            {
                return Err(format!(
                    "'{path}' is another one than the sha says; read it again before editing"
                ));
            }
            let LineRange { first, last } = *lines;
            let edited = edit::apply(before, *lines, replacement, expect.as_deref());
            let edited = edited.map_err(|error| match error {
                edit::EditError::InvalidRange { lines } => {
                    format!("Invalid line range {first}-{last} for '{path}' ({lines} lines)")
                }
                error => format!("'{path}': {error}"),
            })?;
            Ok((
                Some(edited),
                format!("Replaced lines {first}-{last} of '{path}'"),
            ))
        }
        _ => Ok((None, format!("Deleted '{path}'"))),
    }
}

/// The lines around an edit with their new numbers: what later edits have to count with.
fn context(command: &Command, after: Option<&[u8]>) -> Option<String> {
    let Command::EditFile {
        lines, replacement, ..
    } = command
    else {
        return None;
    };
    let text = String::from_utf8_lossy(after?).into_owned();
    let first = (lines.first as usize).saturating_sub(CONTEXT).max(1);
    let count =
        replacement.lines().count().min(CONTEXT_LIMIT) + (lines.first as usize - first) + CONTEXT;
    let numbered = text.lines().enumerate().skip(first - 1).take(count);
    let numbered: Vec<String> = numbered
        .map(|(at, line)| format!("{:>5}| {line}", at + 1))
        .collect();
    (!numbered.is_empty()).then(|| format!("now\n{}", numbered.join("\n")))
}

fn ended(script: &str, ran: &Ran) -> (bool, String) {
    let (success, mut summary) = match ran.end {
        End::Exited(status) => (
            status.success(),
            format!("Ran '{script}' ({})", exit_words(status)),
        ),
        End::TimedOut => (false, format!("Command timed out (30s): '{script}'")),
        End::Flooded => (
            false,
            format!("Command was stopped, because it printed too much: '{script}'"),
        ),
    };
    if ran.left_behind > 0 && matches!(ran.end, End::Exited(_)) {
        summary += &format!("; {} background processes stopped", ran.left_behind);
    }
    if ran.survivors > 0 {
        summary += &format!("; {} processes could NOT be stopped", ran.survivors);
    }
    (success, summary)
}

fn exit_words(status: std::process::ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("exit code {}, signal {signal}", 128 + signal);
        }
    }
    status
        .code()
        .map_or_else(|| "no exit code".into(), |code| format!("exit code {code}"))
}

fn file_error(path: &WorkspacePath, error: &FileError) -> String {
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
const CONTEXT: usize = 3;
const CONTEXT_LIMIT: usize = 12;
