//! Carries out a reply, one command after the other, with a host's files, shell and consent.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use super::{
    change::{Change, not_found},
    outcome::Outcome,
    path::WorkspacePath,
    turn::{Step, Task, Turn},
};
use crate::agent::{
    command::{Kind, ReadRequest},
    outbox::output::{clean, truncate},
    secrets::looks_secret,
    sha::short_sha,
};

/// Access to files, a shell and the person's consent, with an optional journal.
///
/// A failure caused by the file or the command is a [`Failure::Step`], which is reported to the LLM; the next step
/// follows. A failure after which the host cannot continue is a [`Failure::Turn`], which ends the turn at that point.
#[allow(
    async_fn_in_trait,
    reason = "a host stays on the thread of whoever carries the reply out"
)]
pub trait Host {
    /// Error that stops the host.
    type Error;

    /// Returns the outcome of a step that an interrupted earlier run had begun; `None` if the step is still to be done.
    async fn resume(&mut self, _step: &Step<'_>) -> Result<Option<Outcome>, Self::Error> {
        Ok(None)
    }

    /// Asks for consent to a step before any part of it is done.
    async fn approve(&mut self, step: &Step<'_>) -> Result<Approval, Self::Error>;

    /// Returns the content of a step's file; `None` if the file does not exist.
    async fn read(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
    ) -> Result<Option<Vec<u8>>, Failure<Self::Error>>;

    /// Changes the file of a step, whose content was `before`. A journal stores that content first. Notes for the LLM
    /// may be added.
    async fn change(
        &mut self,
        step: &Step<'_>,
        path: &WorkspacePath,
        before: Option<&[u8]>,
        change: &mut Change,
    ) -> Result<(), Failure<Self::Error>>;

    /// Runs a script to its end, successful or not.
    async fn run(&mut self, step: &Step<'_>, script: &str) -> Result<Ran, Failure<Self::Error>>;

    /// Stores the full output that is too long for the LLM, and returns its location; `None` if it is not stored.
    async fn keep_output(
        &mut self,
        _step: &Step<'_>,
        _output: &[u8],
    ) -> Result<Option<String>, Failure<Self::Error>> {
        Ok(None)
    }

    /// Records the outcome of a step before the next one begins.
    async fn done(&mut self, _step: &Step<'_>, _outcome: &Outcome) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Decision about a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// Carry it out.
    Run,
    /// Run another shell command in place of this one, and report that to the LLM.
    RunInstead(String),
    /// Do not carry it out; contains the message for the LLM.
    Refuse(String),
}

/// Outcome of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// True if the script succeeded.
    pub success: bool,
    /// Way in which the script ended, in one line.
    pub summary: String,
    /// Output of the script; the middle of a very long output may be missing.
    pub output: Vec<u8>,
    /// Further notes for the LLM.
    pub notes: Vec<String>,
}

/// Reason why a host does not carry out a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure<E> {
    /// The step cannot be carried out, for this reason, which is reported to the LLM.
    Step(String),
    /// The turn cannot continue.
    Turn(E),
}

impl<E> From<E> for Failure<E> {
    fn from(error: E) -> Self {
        Self::Turn(error)
    }
}

impl Turn {
    /// Carries out the rest of the reply. Afterwards, [`Turn::end`] returns the resulting session.
    ///
    /// # Errors
    /// The error that stops the host. The step is not done, and the next call begins with it.
    pub async fn carry_out<H: Host>(&mut self, host: &mut H) -> Result<(), H::Error> {
        while let Some(step) = self.step() {
            let outcome = match host.resume(&step).await? {
                Some(outcome) => outcome,
                None => match self.perform(&step, host).await {
                    Ok(outcome) => outcome,
                    Err(Failure::Step(why)) => Outcome::failed(why),
                    Err(Failure::Turn(error)) => return Err(error),
                },
            };
            host.done(&step, &outcome).await?;
            self.done(outcome);
        }
        Ok(())
    }

    async fn perform<H: Host>(
        &self,
        step: &Step<'_>,
        host: &mut H,
    ) -> Result<Outcome, Failure<H::Error>> {
        let instead = match host.approve(step).await? {
            Approval::Run => None,
            Approval::RunInstead(script) => Some(script),
            Approval::Refuse(why) => return Ok(Outcome::failed(not_done(&step.task, &why))),
        };
        match &step.task {
            Task::Read { path } => {
                let content = host.read(step, path).await?;
                let content = content.ok_or_else(|| Failure::Step(not_found(path)))?;
                Ok(self.found(&content))
            }
            Task::Change { path, .. } => {
                let before = host.read(step, path).await?;
                let mut change = match self.plan(before.as_deref()) {
                    Ok(change) => change,
                    Err(why) => return Ok(with_file(why, &step.task, before.as_deref())),
                };
                host.change(step, path, before.as_deref(), &mut change)
                    .await?;
                Ok(Self::changed(&change))
            }
            Task::Run { script } => self.run(step, script, instead, host).await,
        }
    }

    async fn run<H: Host>(
        &self,
        step: &Step<'_>,
        script: &str,
        instead: Option<String>,
        host: &mut H,
    ) -> Result<Outcome, Failure<H::Error>> {
        let note = instead
            .is_some()
            .then(|| format!("the person ran this instead of '{script}'"));
        let script = instead.unwrap_or_else(|| script.to_owned());
        let Ran {
            success,
            summary,
            output,
            mut notes,
        } = host.run(step, &script).await?;
        notes.extend(note);
        let text = clean(&output);
        let log = match text.chars().count() > OUTPUT_LIMIT {
            true => host.keep_output(step, &output).await?,
            false => None,
        };
        let how = self.session().truncate;
        let text = truncate(text.trim_end(), OUTPUT_LIMIT, how, log.as_deref());
        Ok(Outcome {
            output: (!text.is_empty()).then_some(text),
            notes,
            ..Outcome::new(success, summary)
        })
    }
}

/// Returns the outcome of a failed edit, with the file's current content for the next message, so that no round is
/// lost. Content that looks like a secret is not attached.
fn with_file(why: String, task: &Task<'_>, before: Option<&[u8]>) -> Outcome {
    let read = match (task, before) {
        (Task::Change { path, command }, Some(content)) if command.kind() == Kind::EditFile => {
            let is_open =
                looks_secret(path.as_str(), content).is_none() && content.len() <= ATTACHED;
            is_open.then(|| ReadRequest {
                numbered: true,
                ..ReadRequest::plain(path.as_str().to_owned())
            })
        }
        _ => None,
    };
    let known = read.as_ref().and(before).map(short_sha);
    Outcome {
        read,
        known,
        ..Outcome::failed(why)
    }
}

/// Returns the message for a step that the person did not allow.
fn not_done(task: &Task<'_>, why: &str) -> String {
    match task {
        Task::Run { script } => format!("'{script}' was not run: {why}"),
        Task::Read { path } => format!("'{path}' was not read: {why}"),
        Task::Change { path, .. } => format!("'{path}' was not changed: {why}"),
    }
}

/// Limit of the output shown to the LLM for a command, in characters (CodingAgent protocol v1.0,
/// "RUN_COMMAND").
const OUTPUT_LIMIT: usize = 4000;
/// Size of the largest file attached to a failed edit, in bytes; the LLM requests longer files in parts.
const ATTACHED: usize = 32 * 1024;
