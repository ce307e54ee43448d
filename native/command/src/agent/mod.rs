//! `flylead agent`

mod accept;
mod apply;
mod ask;
mod bounded;
mod clipboard;
mod commit;
mod keys;
mod next;
mod repository;
mod show;
mod stop;
mod watch;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use flylead_core::agent::{Eol, Numbering, Truncate};
use flylead_native::agent::{
    Access, Agent, AgentError, Given, Home, Location, Settings, current_folder, old_sessions,
};
use flylead_native::workspace::Confinement;
use serde_json::json;

use super::{
    Common, Exit, Failure,
    terminal::{print_line, visible_line},
};

/// Work with an LLM through text that you copy back and forth, without an API
///
/// `new` writes the first outbox: paste it into a chat, save the reply, and give it to `apply`, which shows what it
/// would do, does it, and writes the next outbox. `watch` does the same with every reply that is saved into the inbox.
/// On Linux, shell commands run in a sandbox (bubblewrap); on a terminal, each one is shown first and needs your
/// consent.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead agent new --task 'Add a --json option'   in this folder
  flylead agent next --clipboard                   paste it into the chat
  flylead agent apply --clipboard                  after copying the reply
  flylead agent undo                               as it was before the reply")]
pub(crate) struct Cmd {
    /// The folder that the LLM works on, or board:ADDRESS for a MicroPython board [default: the one that `new` last
    /// named in this folder, or this folder]
    #[arg(short, long, global = true, value_name = "DIR")]
    workspace: Option<String>,

    /// Folder for sessions, outboxes and logs [default: below $XDG_STATE_HOME or ~/.local/state, a
    /// folder for each workspace]
    #[arg(long, global = true, value_name = "DIR")]
    home: Option<PathBuf>,

    /// Continue the sessions of a folder that has since been moved or replaced
    #[arg(long, global = true)]
    here: bool,

    /// The session [default: the one that was used last]
    #[arg(long, global = true, value_name = "ID")]
    session: Option<String>,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Start a session and write its first outbox
    New(New),
    /// Print the outbox that waits for its reply
    Next(next::Next),
    /// Process a reply, and write the next outbox
    Apply(apply::Apply),
    /// Preview a reply; exit code 1 if a part of it would fail
    Check {
        #[command(flatten)]
        reply: apply::Reply,
    },
    /// Process every reply that is saved into the inbox, until the task is done
    Watch(watch::Watch),
    /// Continue after an interruption, and show where the outbox is
    Resume {
        #[command(flatten)]
        approval: ask::Rules,
        #[command(flatten)]
        sandbox: SandboxOptions,
    },
    /// Continue a session that was complete
    Reopen,
    /// Show the state of the session
    Status,
    /// List all sessions
    List,
    /// Restore the files that a reply changed
    Undo {
        /// The outbox that the reply answered [default: the last one]
        sequence: Option<u32>,
    },
}

#[derive(Debug, Args)]
struct New {
    /// Task for the LLM
    #[arg(long)]
    task: String,
    /// Show a file in the first message; a pattern (src/*.rs) shows all that match
    #[arg(long, value_name = "FILE")]
    add: Vec<String>,
    /// Like --add, but read-only: the LLM's file commands do not change the file
    #[arg(long, value_name = "FILE")]
    read: Vec<String>,
    /// Line numbers of edits: those of the file as the LLM saw it, or those after the preceding commands
    #[arg(long, value_enum, default_value_t = EditNumbering::Snapshot)]
    edit_numbering: EditNumbering,
    /// Line ends of new files; existing files keep theirs
    #[arg(long, value_enum, default_value_t = LineEnds::Lf)]
    eol: LineEnds,
    /// Part of a command's output that the LLM sees if it exceeds 4000 characters
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

/// Permissions of shell commands.
#[derive(Debug, Args)]
struct SandboxOptions {
    /// Sandbox for shell commands
    #[arg(long, value_enum, default_value_t = Sandbox::Bubblewrap)]
    sandbox: Sandbox,
    /// Let shell commands use the network
    #[arg(long)]
    network: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sandbox {
    /// A sandbox of the package bubblewrap; without it, commands are refused
    Bubblewrap,
    /// A weaker sandbox that needs no package; commands work in a copy
    Landlock,
    /// No sandbox
    None,
}

impl SandboxOptions {
    fn access(&self, rules: &ask::Rules) -> Access {
        let confinement = match self.sandbox {
            Sandbox::Bubblewrap => Confinement::Bubblewrap,
            Sandbox::Landlock => Confinement::Landlock,
            Sandbox::None => Confinement::None,
        };
        Access {
            confinement,
            network: self.network,
            git: rules.allows_git().then_some(repository::may_stay),
            accept: Some(rules.accept()),
        }
    }
}

impl Cmd {
    #[expect(clippy::unused_async, reason = "every command runs the same way")]
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let location = Location {
            workspace: self.workspace,
            home: self.home,
            here: self.here,
        };
        let open = || {
            let home = home(Home::open, location.clone())?;
            Agent::open(home, self.session.as_deref())
        };
        match self.action {
            Action::New(new) => new.run(home(Home::create, location)?, common),
            Action::Next(next) => next.run(&open()?),
            Action::Apply(apply) => apply.run(
                &mut open()?.with_access(apply.sandbox.access(&apply.approval)),
                common,
            ),
            Action::Check { reply } => reply.check(&open()?, common),
            Action::Watch(watch) => watch.run(
                &mut open()?.with_access(watch.sandbox.access(&watch.approval)),
                common,
            ),
            Action::Resume { approval, sandbox } => {
                let mut agent = open()?.with_access(sandbox.access(&approval));
                stop::listen();
                let done =
                    stop::while_stoppable(|| agent.resume(&mut |step| approval.decide(step)))?;
                show::report(&done, common)
            }
            Action::Reopen => {
                print_line(format_args!("outbox {}", open()?.reopen()?.display()))?;
                Ok(Exit::Done)
            }
            Action::Status => show::status(&open()?, common),
            Action::List => match home(Home::open, location) {
                Err(AgentError::NoSession) => show::no_sessions(common),
                home => show::list(&home?, common),
            },
            Action::Undo { sequence } => {
                let said = open()?.undo(sequence)?;
                said.iter().try_for_each(print_line)?;
                if said.is_empty() {
                    common.note("no reply has changed a file yet");
                }
                Ok(Exit::Done)
            }
        }
    }
}

/// Opens a home. If its folder was moved or replaced, asks the person at the terminal.
fn home(
    open: impl Fn(&Location) -> Result<Home, AgentError>,
    mut location: Location,
) -> Result<Home, AgentError> {
    match open(&location) {
        Err(why @ (AgentError::Moved { .. } | AgentError::Replaced)) if keys::is_person_there() => {
            if !keys::yes(&format!("{why}. Continue them here?"))? {
                return Err(why);
            }
            location.here = true;
            open(&location)
        }
        home => home,
    }
}

impl New {
    fn run(self, home: Home, common: &Common) -> Result<Exit, Failure> {
        let given = Given {
            add: self.add.clone(),
            read: self.read.clone(),
        };
        let agent = Agent::begin_with(home, &self.task, self.settings(), given)?;
        let outbox = agent.write_outbox()?;
        for secret in agent.shown_secrets()? {
            common.note(format_args!(
                "may be a secret, and the LLM will see it: {}",
                visible_line(&secret)
            ));
        }
        let id = &agent.session().session_id;
        if self.clipboard {
            clipboard::copy_message(&std::fs::read_to_string(&outbox)?)?;
        }
        match common.json {
            true => print_line(json!({ "session": id, "outbox": outbox }))?,
            false => print_line(format_args!("session {id}\noutbox {}", outbox.display()))?,
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
            AgentError::NoSession => Self::new(Exit::Usage, no_session()),
            AgentError::Moved { .. } | AgentError::Replaced => Self::new(
                Exit::Usage,
                format!("{error}; --here continues them in this folder"),
            ),
            AgentError::Rejected(_)
            | AgentError::Unfit(_)
            | AgentError::AlreadyProcessed { .. }
            | AgentError::Interrupted
            | AgentError::Locked { .. }
            | AgentError::Refused(_)
            | AgentError::Session(_)
            | AgentError::File(_)
            | AgentError::Io(_) => Self::new(Exit::Usage, error),
        }
    }
}

fn no_session() -> String {
    let old = old_sessions(&current_folder()).map_or_else(String::new, |old| {
        let old = old.display();
        format!("; sessions of an earlier version are in {old} and are not read")
    });
    format!(
        "there is no such session; `flylead agent list` lists all sessions, and `flylead agent new` starts one{old}"
    )
}
