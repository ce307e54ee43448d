//! Global options that mean nothing to some commands of Zylisp: their help omits them, and they are refused.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use flylead_native::link::{Address, Recovery, Speed};

use crate::{Exit, Failure, common::seconds};

/// Options of boards that commands of Zylisp refuse; their help omits them.
#[derive(Debug, Default, Args)]
pub(super) struct NoBoard {
    /// The environment may set it for all commands: it is no mistake
    #[arg(short, long, hide = true)]
    port: Option<Address>,
    /// Shadows the global option, so that it is hidden and refused here
    #[arg(long, hide = true)]
    baud: Option<Speed>,
    /// Shadows the global option, so that it is hidden and refused here
    #[arg(long, hide = true)]
    no_wait: bool,
    /// Shadows the global option, so that it is hidden and refused here
    #[arg(long, hide = true)]
    take_over: bool,
    /// Shadows the global option, so that it is hidden and refused here
    #[arg(long, hide = true)]
    acquire: bool,
    /// Shadows the global option, which the environment may set for all commands
    #[arg(long, hide = true)]
    recover: Option<Recovery>,
}

/// Options of clients that `zylisp serve` refuses.
#[derive(Debug, Args)]
pub(super) struct NoClient {
    /// Shadows the global option, so that it is hidden and refused here
    #[arg(long, hide = true, value_parser = seconds)]
    timeout: Option<Duration>,
    /// Shadows the global option, so that it is hidden and refused here
    #[arg(long, hide = true)]
    trace: Option<PathBuf>,
    /// Shadows the global option, so that it is hidden and refused here
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
