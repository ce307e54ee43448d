//! `flylead agent watch`

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use flylead::agent::{Agent, AgentError, InboxFolder, Options, Processed, Taken};
use flylead_core::agent::Step;
use serde_json::json;

use super::{
    Common, Exit, Failure, SandboxOptions, apply::ReplyFormat, ask, clipboard, show, stop,
};
use crate::cmd::terminal::{print_line, visible_line};

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
}

impl Watch {
    pub(super) fn run(&self, agent: &mut Agent, common: &Common) -> Result<Exit, Failure> {
        self.approval.require_yes()?;
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
        if self.clipboard {
            let how = clipboard::copy(&fs::read_to_string(outbox)?)?;
            common.note(format_args!("copied with {how}"));
        }
        match common.json {
            true => print_line(json!({ "waiting": outbox }))?,
            false => common.note(format_args!(
                "paste {} into the chat, and save the reply in {}",
                outbox.display(),
                inbox.display()
            )),
        }
        Ok(())
    }

    /// Waits for a reply of which something was done.
    fn next_reply(
        &self,
        agent: &mut Agent,
        inbox: &mut InboxFolder,
        common: &Common,
    ) -> Result<Processed, Failure> {
        loop {
            let Some(taken) = inbox.take(Instant::now())? else {
                thread::sleep(PAUSE);
                continue;
            };
            if is_early(agent, &taken) {
                common.note(format_args!(
                    "{}: was saved before outbox {} was there; it is taken as the reply to that",
                    visible_line(&taken.name),
                    agent.session().sequence_number
                ));
            }
            match self.process(agent, inbox, &taken, common)? {
                Ok(done) => return Ok(done),
                Err(why) => {
                    common.note(format_args!(
                        "{}: put aside: {why}",
                        visible_line(&taken.name)
                    ));
                }
            }
        }
    }

    /// Processes one reply, and moves it out of the inbox. The inner error: why nothing was done.
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
            // The disk is full, or the board is gone: the reply waits in the inbox for better times.
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
        stop::while_stoppable(|| agent.apply(reply, options, approve)).map(Some)
    }
}

/// Of several replies that are saved together, the second was written without the first one's results.
fn is_early(agent: &Agent, taken: &Taken) -> bool {
    let written = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
    let outbox = agent.write_outbox().ok();
    let outbox = outbox.and_then(|outbox| written(&outbox));
    outbox.is_some_and(|outbox| taken.written < outbox)
}

/// How often the inbox is looked at.
const PAUSE: Duration = Duration::from_millis(100);
