//! `flylead agent`

mod apply;
mod ask;
mod clipboard;
mod next;
mod show;
mod watch;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use flylead::agent::{Access, Agent, AgentError, Confinement, Home, Settings};
use flylead_core::agent::{Numbering, edit::Eol, output::Truncate};
use serde_json::json;

use super::{Common, Exit, Failure};

/// Work with an LLM through text that you copy to and fro, without an API
///
/// `new` writes the first outbox: paste it into a chat, save the reply, and give it to `apply`, which shows what it
/// would do, does it, and writes the next outbox. `watch` does the same with every reply that is saved into the inbox.
/// On Linux shell commands run in a sandbox (Landlock, seccomp); on a terminal each one is shown and asked for.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead agent new --task 'Add a --json option'   in this folder
  flylead agent next --clipboard                   paste it into the chat
  flylead agent apply --clipboard                  after copying the reply
  flylead agent undo                               as it was before the reply")]
pub(crate) struct Cmd {
    /// Where sessions, inbox and outbox are kept
    #[arg(long, global = true, value_name = "DIR", default_value = ".flylead")]
    home: PathBuf,

    /// The session [default: the one that was used last]
    #[arg(long, global = true, value_name = "ID")]
    session: Option<String>,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Begin a session and write its first outbox
    New(New),
    /// Print the outbox that waits for its reply
    Next(next::Next),
    /// Process a reply, and write the next outbox
    Apply(apply::Apply),
    /// Say what a reply would do; exit code 1 if something in it would fail
    Check {
        #[command(flatten)]
        reply: apply::Reply,
    },
    /// Process every reply that is saved into the inbox, until the task is done
    Watch(watch::Watch),
    /// Continue after an interruption, and say where the outbox is
    Resume {
        #[command(flatten)]
        approval: ask::Rules,
        #[command(flatten)]
        cage: Cage,
    },
    /// Go on with a session that was complete
    Reopen,
    /// Say where the session stands
    Status,
    /// List all sessions
    List,
    /// Put back the files that a reply changed
    Undo {
        /// The outbox that the reply answered [default: the last one]
        sequence: Option<u32>,
    },
}

#[derive(Debug, Args)]
struct New {
    /// What the LLM shall do
    #[arg(long)]
    task: String,
    /// The folder that it works on, or board:ADDRESS for a MicroPython board
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: String,
    /// What the line numbers of edits count: the file as it is at each command, or as it was before the reply
    #[arg(long, value_enum, default_value_t = EditNumbering::Sequential)]
    edit_numbering: EditNumbering,
    /// How the lines of new files end; a file that is there keeps its own way
    #[arg(long, value_enum, default_value_t = LineEnds::Lf)]
    eol: LineEnds,
    /// What the LLM sees of a command's output beyond 4000 characters: beginning and end, or the beginning alone
    #[arg(long, value_enum, default_value_t = Kept::Middle)]
    truncate: Kept,
    /// Copy the outbox to the clipboard too
    #[arg(long)]
    clipboard: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EditNumbering {
    Sequential,
    Snapshot,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LineEnds {
    Lf,
    Crlf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kept {
    /// Leave out the middle
    Middle,
    /// Keep the head
    Head,
}

/// What shell commands may touch.
#[derive(Debug, Args)]
struct Cage {
    /// The sandbox around shell commands: where there is one, demanded, or off
    #[arg(long, value_enum, default_value_t = Wanted::Auto)]
    sandbox: Wanted,
    /// Let shell commands use the network
    #[arg(long)]
    network: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Wanted {
    Auto,
    Require,
    Off,
}

impl Cage {
    fn access(&self) -> Access {
        let confinement = match self.sandbox {
            Wanted::Auto => Confinement::Usual,
            Wanted::Require => Confinement::Required,
            Wanted::Off => Confinement::Off,
        };
        Access {
            confinement,
            network: self.network,
        }
    }
}

impl Cmd {
    #[expect(clippy::unused_async, reason = "every command runs the same way")]
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let home = Home::open(&self.home)?;
        let open = |home| Agent::open(home, self.session.as_deref());
        match self.action {
            Action::New(new) => new.run(home, common),
            Action::Next(next) => next.run(&open(home)?),
            Action::Apply(apply) => {
                apply.run(&mut open(home)?.with_access(apply.cage.access()), common)
            }
            Action::Check { reply } => reply.check(&open(home)?, common),
            Action::Watch(watch) => {
                watch.run(&mut open(home)?.with_access(watch.cage.access()), common)
            }
            Action::Resume { approval, cage } => {
                let mut agent = open(home)?.with_access(cage.access());
                ask::stop_commands_on_interrupt();
                let done = agent.resume(&mut |script| approval.decide(script))?;
                show::report(&done, common)
            }
            Action::Reopen => {
                println!("outbox {}", open(home)?.reopen()?.display());
                Ok(Exit::Done)
            }
            Action::Status => show::status(&open(home)?, common),
            Action::List => show::list(&home, common),
            Action::Undo { sequence } => {
                let said = open(home)?.undo(sequence)?;
                said.iter().for_each(|said| println!("{said}"));
                if said.is_empty() {
                    common.note("no reply has changed a file yet");
                }
                Ok(Exit::Done)
            }
        }
    }
}

impl New {
    fn run(self, home: Home, common: &Common) -> Result<Exit, Failure> {
        let agent = Agent::begin(home, &self.task, &self.workspace, self.settings())?;
        let outbox = agent.write_outbox()?;
        let id = &agent.session().session_id;
        if self.clipboard {
            clipboard::copy(&std::fs::read_to_string(&outbox)?)?;
        }
        match common.json {
            true => println!("{}", json!({ "session": id, "outbox": outbox })),
            false => println!("session {id}\noutbox {}", outbox.display()),
        }
        common.note("paste the outbox into a chat, and give the reply to `flylead agent apply`");
        Ok(Exit::Done)
    }
}

impl New {
    fn settings(&self) -> Settings {
        Settings {
            numbering: match self.edit_numbering {
                EditNumbering::Sequential => Numbering::Sequential,
                EditNumbering::Snapshot => Numbering::Snapshot,
            },
            eol: match self.eol {
                LineEnds::Lf => Eol::Lf,
                LineEnds::Crlf => Eol::CrLf,
            },
            truncate: match self.truncate {
                Kept::Middle => Truncate::Middle,
                Kept::Head => Truncate::Head,
            },
        }
    }
}

impl From<AgentError> for Failure {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::NoSession => Self::new(
                Exit::Usage,
                format!(
                    "{error}; `flylead agent list` shows all, and `flylead agent new` begins one"
                ),
            ),
            error => Self::new(Exit::Usage, error),
        }
    }
}
