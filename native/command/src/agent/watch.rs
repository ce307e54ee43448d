//! `flylead agent watch`

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use flylead_core::agent::Step;
use flylead_native::agent::{Agent, AgentError, InboxFolder, Options, Processed, Taken};
use serde_json::json;

use super::{
    Common, Exit, Failure, SandboxOptions, apply::ReplyFormat, ask, clipboard, commit::Before,
    show, stop,
};
use crate::terminal::{print_line, visible_line};

/// Process every reply that is saved into the inbox, until the task is done
#[derive(Debug, Args)]
pub(super) struct Watch {
    #[command(flatten)]
    pub(super) approval: ask::Rules,
    #[command(flatten)]
    pub(super) sandbox: SandboxOptions,
    #[command(flatten)]
    format: ReplyFormat,
    /// Copy each outbox to the clipboard
    #[arg(long)]
    clipboard: bool,
    /// Take each reply that is copied to the clipboard, too; implies --clipboard
    #[arg(long)]
    watch_clipboard: bool,
    /// Commit each reply's changes in the folder's repository
    #[arg(long)]
    commit: bool,
}

impl Watch {
    pub(super) fn run(&self, agent: &mut Agent, common: &Common) -> Result<Exit, Failure> {
        self.approval.require_yes()?;
        if self.watch_clipboard {
            clipboard::require_reader()?;
        }
        stop::listen();
        let resumed =
            stop::while_stoppable(|| agent.resume(&mut |step| self.approval.decide(step)))?;
        if !resumed.results.is_empty() {
            show::report(&resumed, common)?;
        }
        let mut inbox = InboxFolder::of(agent)?;
        let mut failed = false;
        let mut outbox = resumed.outbox;
        while let Some(waiting) = &outbox {
            self.announce(waiting, inbox.path(), common)?;
            let done = self.next_reply(agent, &mut inbox, common)?;
            failed = show::report(&done, common)? != Exit::Done;
            outbox = done.outbox;
            if stop::is_stopped() {
                return Ok(Exit::Interrupted);
            }
        }
        Ok(if failed { Exit::Raised } else { Exit::Done })
    }

    fn announce(&self, outbox: &Path, inbox: &Path, common: &Common) -> Result<(), Failure> {
        if self.clipboard || self.watch_clipboard {
            clipboard::copy_message(&fs::read_to_string(outbox)?)?;
        }
        match common.json {
            true => print_line(json!({ "waiting": outbox }))?,
            false if self.watch_clipboard => {
                common.note("paste the message into the chat, and copy the reply");
            }
            false => common.note(format_args!(
                "paste {} into the chat, and save the reply in {}",
                outbox.display(),
                inbox.display()
            )),
        }
        Ok(())
    }

    /// Waits for a reply of which some part was carried out.
    fn next_reply(
        &self,
        agent: &mut Agent,
        inbox: &mut InboxFolder,
        common: &Common,
    ) -> Result<Processed, Failure> {
        // At first the clipboard holds the message itself.
        let mut seen = fs::read(agent.write_outbox()?)?;
        let mut look = Instant::now();
        loop {
            if self.watch_clipboard && Instant::now() >= look {
                if let Some(done) = self.copied(agent, &mut seen, common)? {
                    return Ok(done);
                }
                look = Instant::now() + BETWEEN_LOOKS;
            }
            let Some(taken) = inbox.take(Instant::now())? else {
                thread::sleep(PAUSE);
                continue;
            };
            if is_early(agent, &taken) {
                common.note(format_args!(
                    "{}: saved before outbox {} existed; it is taken as the reply to that outbox",
                    visible_line(&taken.name),
                    agent.session().sequence_number
                ));
            }
            match self.process(agent, inbox, &taken, common)? {
                Ok(done) => return Ok(done),
                Err(why) => {
                    common.note(format_args!(
                        "{}: set aside: {why}",
                        visible_line(&taken.name)
                    ));
                }
            }
        }
    }

    /// Processes the text copied since the last look, if it is a reply. Most copied text is not, and is silently
    /// ignored.
    fn copied(
        &self,
        agent: &mut Agent,
        seen: &mut Vec<u8>,
        common: &Common,
    ) -> Result<Option<Processed>, Failure> {
        // Some tools report an empty clipboard as an error.
        let now = clipboard::paste(LOOK).unwrap_or_default();
        if now.is_empty() || now == *seen {
            return Ok(None);
        }
        seen.clone_from(&now);
        let options = Options {
            parse: self.format.options(),
            ..Options::default()
        };
        if agent.check(&now, options).is_err() {
            return Ok(None);
        }
        match self.ask_and_apply(agent, &now, common) {
            Ok(done) => Ok(done),
            Err(error @ (AgentError::Rejected(_) | AgentError::Unfit(_))) => {
                common.note(error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Processes one reply, and moves it out of the inbox. The inner error is the reason why nothing was done.
    fn process(
        &self,
        agent: &mut Agent,
        inbox: &InboxFolder,
        taken: &Taken,
        common: &Common,
    ) -> Result<Result<Processed, String>, Failure> {
        let waiting = agent.session().sequence_number;
        let reply = match &taken.reply {
            Ok(reply) => reply,
            Err(why) => {
                inbox.put_aside(taken)?;
                return Ok(Err(why.clone()));
            }
        };
        match self.ask_and_apply(agent, reply, common) {
            Ok(Some(done)) => {
                inbox.put_away(agent, taken, waiting)?;
                Ok(Ok(done))
            }
            Ok(None) => {
                inbox.put_aside(taken)?;
                Ok(Err("not wanted".into()))
            }
            Err(error @ AgentError::AlreadyProcessed { sequence, .. }) => {
                inbox.put_away(agent, taken, sequence)?;
                Ok(Err(error.to_string()))
            }
            Err(error @ (AgentError::Rejected(_) | AgentError::Unfit(_))) => {
                inbox.put_aside(taken)?;
                Ok(Err(error.to_string()))
            }
            // The disk is full, or the board is gone: the reply stays in the inbox until it can be processed.
            Err(error) => Err(error.into()),
        }
    }

    fn ask_and_apply(
        &self,
        agent: &mut Agent,
        reply: &[u8],
        common: &Common,
    ) -> Result<Option<Processed>, AgentError> {
        let mut options = Options {
            parse: self.format.options(),
            ..Options::default()
        };
        let inbox = ask::check(agent, reply, &mut options)?;
        if !common.json {
            show::before(agent, &inbox)?;
        }
        if !self.approval.may_begin()? {
            return Ok(None);
        }
        let approve = &mut |step: &Step<'_>| self.approval.decide(step);
        let before = Before::of(agent, self.commit)?;
        let done = stop::while_stoppable(|| agent.apply(reply, options, approve))?;
        before.commit(agent, &done, common);
        Ok(Some(done))
    }
}

/// Returns true for a reply older than the outbox: of several replies saved together, the second was written without
/// the first one's results.
fn is_early(agent: &Agent, taken: &Taken) -> bool {
    let written = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
    let outbox = agent.write_outbox().ok();
    let outbox = outbox.and_then(|outbox| written(&outbox));
    outbox.is_some_and(|outbox| taken.written < outbox)
}

/// Interval between checks of the inbox.
const PAUSE: Duration = Duration::from_millis(100);
/// Interval between looks at the clipboard, each of which starts a program.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// Time limit of one look.
const LOOK: Duration = Duration::from_secs(2);
