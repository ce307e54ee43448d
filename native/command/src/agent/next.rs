//! `flylead agent next`

use std::fs;

use clap::Args;
use flylead_core::agent::split_outbox;
use flylead_native::agent::Agent;

use super::{Exit, Failure, clipboard};
use crate::terminal::print;

#[derive(Debug, Args)]
pub(super) struct Next {
    /// Split it into parts of at most N characters, for chats that cut long pastes
    #[arg(long, value_name = "N")]
    split: Option<usize>,
    /// Number of the part, from 1 [default: all of them]
    #[arg(long, value_name = "K", requires = "split")]
    part: Option<usize>,
    /// Copy it to the clipboard instead
    #[arg(long)]
    clipboard: bool,
}

impl Next {
    pub(super) fn run(&self, agent: &Agent) -> Result<Exit, Failure> {
        let text = fs::read_to_string(agent.write_outbox()?)?;
        let parts = match self.split {
            Some(limit) => split_outbox(&text, agent.session(), limit),
            None => vec![text],
        };
        let wanted = self.wanted(&parts)?;
        if self.clipboard {
            clipboard::copy_message(&wanted.concat())?;
        } else {
            wanted.iter().try_for_each(print)?;
        }
        Ok(Exit::Done)
    }

    fn wanted<'a>(&self, parts: &'a [String]) -> Result<&'a [String], Failure> {
        let Some(part) = self.part else {
            return Ok(parts);
        };
        let at = part.checked_sub(1).filter(|&at| at < parts.len());
        let count = parts.len();
        at.map(|at| &parts[at..=at])
            .ok_or_else(|| Failure::new(Exit::Usage, format!("there are {count} parts")))
    }
}
