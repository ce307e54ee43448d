//! `flylead agent apply` and `check`

use std::{
    fs,
    io::{self, Read},
    path::PathBuf,
    time::Duration,
};

use clap::Args;
use flylead_core::agent::{Inbox, ParseOptions};
use flylead_native::agent::{Agent, Options, Preview};
use serde_json::json;

use super::{Common, Exit, Failure, SandboxOptions, ask, clipboard, commit::Before, show, stop};
use crate::terminal::print_line;

#[derive(Debug, Args)]
pub(super) struct Apply {
    #[command(flatten)]
    reply: Reply,
    #[command(flatten)]
    pub(super) approval: ask::Rules,
    #[command(flatten)]
    pub(super) sandbox: SandboxOptions,
    /// Commit the reply's changes in the folder's repository
    #[arg(long)]
    commit: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Process the reply even if it names another outbox
    #[arg(long)]
    force: bool,
    /// Process the reply even if the same text was processed before, as the reply to another outbox
    #[arg(long)]
    again: bool,
}

#[derive(Debug, Args)]
pub(super) struct Reply {
    /// The file with the reply, or - for the standard input
    #[arg(value_name = "FILE", required_unless_present = "clipboard")]
    file: Option<PathBuf>,
    /// Take the reply from the clipboard; after `apply` the next outbox is copied there
    #[arg(long, conflicts_with = "file")]
    clipboard: bool,
    #[command(flatten)]
    format: ReplyFormat,
    /// Accept a copy of an outbox at the beginning, and process the rest
    #[arg(long)]
    accept_copy: bool,
}

/// Options for reading a reply.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ReplyFormat {
    /// Accept only replies that follow the protocol's document to the letter
    #[arg(long)]
    strict: bool,
    /// Remove ``` lines around the whole text of a file
    #[arg(long)]
    strip_fences: bool,
}

impl ReplyFormat {
    pub(super) fn options(self) -> ParseOptions {
        ParseOptions {
            strict: self.strict,
            strip_fences: self.strip_fences,
            ..ParseOptions::default()
        }
    }
}

impl Apply {
    pub(super) fn run(&self, agent: &mut Agent, common: &Common) -> Result<Exit, Failure> {
        let reply = self.reply.read()?;
        let mut options = Options {
            force: self.force,
            again: self.again,
            ..self.reply.options()
        };
        let inbox = ask::check(agent, &reply, &mut options)?;
        if !common.json {
            show::before(agent, &inbox)?;
        }
        if self.dry_run {
            return Ok(Exit::Done);
        }
        self.approval.require_yes()?;
        if !self.approval.may_begin()? {
            common.note("nothing was done");
            return Ok(Exit::Interrupted);
        }
        stop::listen();
        let before = Before::of(agent, self.commit)?;
        let done = stop::while_stoppable(|| {
            agent.apply(&reply, options, &mut |step| self.approval.decide(step))
        })?;
        before.commit(agent, &done, common);
        if let Some(outbox) = done.outbox.as_ref().filter(|_| self.reply.clipboard) {
            clipboard::copy_message(&fs::read_to_string(outbox)?)?;
        }
        show::report(&done, common)
    }
}

impl Reply {
    fn read(&self) -> Result<Vec<u8>, Failure> {
        let Some(file) = &self.file else {
            return clipboard::paste(CLIPBOARD);
        };
        if file.as_os_str() != "-" {
            return fs::read(file).map_err(|error| {
                Failure::new(Exit::Usage, format!("{}: {error}", file.display()))
            });
        }
        let mut reply = Vec::new();
        io::stdin().read_to_end(&mut reply)?;
        Ok(reply)
    }

    fn options(&self) -> Options {
        Options {
            parse: self.format.options(),
            accept_copy: self.accept_copy,
            ..Options::default()
        }
    }

    pub(super) fn check(&self, agent: &Agent, common: &Common) -> Result<Exit, Failure> {
        let inbox = agent.check(&self.read()?, self.options())?;
        let previews = agent.preview(&inbox)?;
        match common.json {
            true => print_line(in_json(&inbox, &previews))?,
            false => show::previews(&previews, &inbox),
        }
        let fails = |preview: &Preview| matches!(preview, Preview::Fails { .. });
        Ok(match previews.iter().any(fails) {
            true => Exit::Raised,
            false => Exit::Done,
        })
    }
}

/// Deadline for the clipboard. Some systems start a whole shell to read it.
const CLIPBOARD: Duration = Duration::from_secs(30);

fn in_json(inbox: &Inbox, previews: &[Preview]) -> serde_json::Value {
    let errors: Vec<_> = inbox
        .faults()
        .map(|(line, fault)| json!({ "line": line, "command": fault.command, "error": fault.to_string() }))
        .collect();
    let fails: Vec<_> = previews
        .iter()
        .filter_map(|preview| match preview {
            Preview::Fails { line, why } => Some(json!({ "line": line, "why": why })),
            Preview::Change { .. } | Preview::Read { .. } | Preview::Run { .. } => None,
        })
        .collect();
    json!({ "commands": inbox.commands().collect::<Vec<_>>(), "errors": errors, "fails": fails })
}
