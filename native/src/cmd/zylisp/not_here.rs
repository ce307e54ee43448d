//! The options of all commands that mean nothing to some of these: they are not in their help, and refused.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use flylead::link::Address;

use crate::cmd::{Exit, Failure, common::seconds};

/// There is no board.
#[derive(Debug, Args)]
pub(super) struct NoBoard {
    /// The environment may set it for all commands: it is no mistake
    #[arg(short, long, hide = true)]
    port: Option<Address>,
    /// In place of the option of all commands
    #[arg(long, hide = true)]
    baud: Option<u32>,
}

/// It connects to nobody, and says nothing that JSON could.
#[derive(Debug, Args)]
pub(super) struct NoClient {
    /// In place of the option of all commands
    #[arg(long, hide = true, value_parser = seconds)]
    timeout: Option<Duration>,
    /// In place of the option of all commands
    #[arg(long, hide = true)]
    trace: Option<PathBuf>,
    /// In place of the option of all commands
    #[arg(long, hide = true)]
    json: bool,
}

impl NoBoard {
    pub(super) fn check(&self) -> Result<(), Failure> {
        refuse_if(self.baud.is_some(), "a REPL's server has no --baud")
    }
}

impl NoClient {
    pub(super) fn check(&self) -> Result<(), Failure> {
        refuse_if(
            self.timeout.is_some(),
            "zylisp serve has no --timeout; --eval-seconds and --patience are its limits",
        )?;
        refuse_if(
            self.trace.is_some(),
            "zylisp serve has no --trace; the clients have one",
        )?;
        refuse_if(self.json, "zylisp serve has no --json")
    }
}

fn refuse_if(given: bool, why: &str) -> Result<(), Failure> {
    match given {
        true => Err(Failure::new(Exit::Usage, why)),
        false => Ok(()),
    }
}
