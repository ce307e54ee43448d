//! A place of a lab, held while a command runs.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio},
};

use clap::Args;
use flylead_native::{
    labgrid::{self, LabgridError},
    link::{self, Address},
};

use crate::{Common, Exit, Failure, files::fs::in_thread, terminal::print_line};

/// A place acquired by a separate process, which releases it when this process has ended, in whatever way.
#[derive(Debug)]
pub(crate) struct Lease(Child);

impl Lease {
    /// Acquires the place at --port; `None` if this person already had it.
    pub(crate) async fn take(common: &Common) -> Result<Option<Self>, Failure> {
        let Address::Labgrid(place) = link::resolve(&common.port)? else {
            let message = "--acquire is for places of a lab: --port labgrid:PLACE";
            return Err(Failure::new(Exit::Usage, message));
        };
        common.say(format_args!("acquiring {place}"));
        let mut keeper = start(&place)?;
        let answer = keeper.stdout.take();
        let answer = answer.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        let answer = in_thread(move || {
            let mut line = String::new();
            BufReader::new(answer).read_line(&mut line).map(|_| line)
        });
        let answer = answer.await?;
        match answer.trim_end().split_once(' ') {
            None if answer == ACQUIRED => Ok(Some(Self(keeper))),
            None if answer == YOURS => {
                common.note(format_args!("{place} was already yours, and stays yours"));
                Ok(None)
            }
            None => Err(Failure::new(
                Exit::Usage,
                "the process that holds the place has ended",
            )),
            Some((code, message)) => {
                let exit = code.parse().ok().and_then(Exit::with_code);
                Err(Failure::new(exit.unwrap_or(Exit::NoLink), message))
            }
        }
    }

    /// Releases the place, and waits until that is done.
    pub(crate) async fn give_back(mut self) -> io::Result<()> {
        drop(self.0.stdin.take());
        in_thread(move || self.0.wait()).await.map(drop)
    }
}

fn start(place: &str) -> io::Result<Child> {
    let mut command = Command::new(env::current_exe()?);
    command
        .args(["keep-place", place])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    // Ctrl-C is for the command alone; the place is released afterwards.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Acquire a place of a lab, and release it when the process at the other end of stdin has ended
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Keep {
    place: String,
}

impl Keep {
    pub(crate) async fn run(self, _: &Common) -> Result<Exit, Failure> {
        match labgrid::acquire(&self.place).await {
            Ok(true) => {
                // Nobody reads this if the other process has been killed meanwhile.
                let _ = print_line(ACQUIRED.trim_end());
                io::stdin().lock().read_to_end(&mut Vec::new())?;
                labgrid::release(&self.place).await?;
            }
            Ok(false) => print_line(YOURS.trim_end())?,
            Err(error) => {
                let message = error.to_string().replace('\n', " ");
                print_line(format_args!("{} {message}", exit_of(&error) as i32))?;
            }
        }
        Ok(Exit::Done)
    }
}

const fn exit_of(error: &LabgridError) -> Exit {
    match error {
        LabgridError::Taken { .. } => Exit::InUse,
        LabgridError::NoClient { .. } => Exit::Usage,
        _ => Exit::NoLink,
    }
}

impl From<LabgridError> for Failure {
    fn from(error: LabgridError) -> Self {
        Self::new(exit_of(&error), error)
    }
}

const ACQUIRED: &str = "acquired\n";
const YOURS: &str = "yours\n";
