//! Options of all commands that mean nothing to some of these: their help omits them, and they are refused.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use flylead::link::{Address, Recovery, Speed};

use crate::cmd::{Exit, Failure, common::seconds};

/// Error: the board is not available.
#[derive(Debug, Default, Args)]
pub(super) struct NoBoard {
    /// The environment may set it for all commands: it is no mistake
    #[arg(short, long, hide = true)]
    port: Option<Address>,
    /// In place of the option of all commands
    #[arg(long, hide = true)]
    baud: Option<Speed>,
    /// In place of the option of all commands
    #[arg(long, hide = true)]
    no_wait: bool,
    /// In place of the option of all commands
    #[arg(long, hide = true)]
    take_over: bool,
    /// In place of the option of all commands
    #[arg(long, hide = true)]
    acquire: bool,
    /// In place of the option of all commands; the environment may set it for all
    #[arg(long, hide = true)]
    recover: Option<Recovery>,
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
        let given = [
            (self.baud.is_some(), "--baud"),
            (self.no_wait, "--no-wait"),
            (self.take_over, "--take-over"),
            (self.acquire, "--acquire"),
            (self.recover.is_some(), "--recover"),
        ];
        let given = given.into_iter().find(|(given, _)| *given);
        given.map_or(Ok(()), |(_, option)| {
            let why = format!("{option} is for boards, and Zylisp uses none");
            Err(Failure::new(Exit::Usage, why))
        })
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
