//! `flylead debug`

mod command;
mod dap;
mod help;
mod host;
mod show;
mod terminal;

use std::{path::PathBuf, time::Duration};

use clap::Args;
use flylead_core::{
    debug::{Exceptions, Launch, Project, Reach, Session},
    raw_repl::Config,
};
use flylead_native::debug::{LoadError, host::Hosted, load, load_boot, token};

use crate::{Common, Exit, Failure};
use terminal::Terminal;

/// Debug a program of this computer on the board
///
/// The board needs no special firmware: every function of the program gets hooks before the program starts, and no code
/// runs twice. The program stops at its first line and waits for commands, which are those of Python's pdb; `help` lists
/// them. Modules beside the program are debugged with it and are not stored on the board.
///
/// With --dap, an editor gives the commands through the Debug Adapter Protocol: VS Code, Neovim, Emacs, Helix, Zed,
/// JetBrains. With --dap ADDRESS and a file, the program runs at once, and editors attach to it and leave it.
#[derive(Debug, Args)]
#[command(
    override_usage = "flylead debug [OPTIONS] <FILE> [WORD]... | --boot | --dap [ADDRESS]",
    after_help = EXAMPLES
)]
pub(crate) struct Cmd {
    /// The program's file; with --dap and no file the editor names it
    #[arg(required_unless_present_any = ["dap", "boot"], conflicts_with = "boot")]
    file: Option<PathBuf>,

    /// Arguments in the program's sys.argv, after the file's name
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "WORD"
    )]
    words: Vec<String>,

    /// Debug the board's own main.py: after a soft reset, and with the modules on the board
    #[arg(long, conflicts_with = "modules")]
    boot: bool,

    /// Speak the Debug Adapter Protocol: on stdin and stdout, or to clients of this address on this computer
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = dap::STDIO)]
    dap: Option<String>,

    /// Start the program when the first editor has attached and set its breakpoints
    #[arg(long, requires = "dap")]
    wait: bool,

    /// A command to start with, as if typed; may be given several times
    #[arg(
        short,
        long = "command",
        value_name = "COMMAND",
        conflicts_with = "dap"
    )]
    commands: Vec<String>,

    /// Ignore the commands of .pdbrc, in the home folder and in this one
    #[arg(long)]
    no_rc: bool,

    /// Look for modules in this folder instead of the program's; may be given several times
    #[arg(short, long, value_name = "FOLDER")]
    modules: Vec<PathBuf>,

    /// Put hooks only into functions with breakpoints: all others run at full speed, and are stepped over
    #[arg(long)]
    no_callers: bool,

    /// Put hooks into expressions as well: the command `parts` shows what each part of one becomes. The program is slower
    #[arg(long)]
    parts: bool,

    /// Stop at exceptions: all of them, or only uncaught ones. Every function then has hooks, even with --no-callers
    #[arg(long, value_name = "WHICH")]
    stop_at: Vec<StopAt>,

    /// Soft-reset the board first, which ends the state of earlier programs
    #[arg(long)]
    reset: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StopAt {
    Raised,
    Uncaught,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        self.check()?;
        if let Some(address) = self.dap.as_ref().filter(|_| !self.has_program()) {
            return dap::run(address, common).await;
        }
        let project = match &self.file {
            Some(file) => {
                load(file, &self.modules).map_err(|error| Failure::new(Exit::Usage, error))?
            }
            None => boot(common).await?,
        };
        if let Some(address) = &self.dap {
            return host::run(address, self.hosted(project), common).await;
        }
        let session = Session::new(project, self.launch(true));
        let link = common.open().await?;
        let mut config = Config::default();
        config.reply_timeout = REPLY_TIMEOUT;
        let terminal = Terminal::start(link, session, config, self.reset || self.boot);
        terminal.await?.run(self.commands, !self.no_rc).await
    }

    /// Returns true if the command line says what to run, rather than an editor.
    const fn has_program(&self) -> bool {
        self.file.is_some() || self.boot
    }

    /// Checks options that depend on each other.
    fn check(&self) -> Result<(), Failure> {
        let has_program = self.has_program();
        let wrong = match self.dap.as_deref() {
            Some(dap::STDIO) if has_program => NO_ADDRESS,
            Some(_) if self.wait && !has_program => NOTHING_TO_START,
            Some(_) if has_program && self.no_callers && !self.wait => NO_HOOKS,
            _ => return Ok(()),
        };
        Err(Failure::new(Exit::Usage, wrong))
    }

    fn hosted(&self, project: Project) -> Hosted {
        Hosted {
            project,
            launch: self.launch(false),
            boot: self.boot,
            reset: self.reset || self.boot,
            wait: self.wait,
        }
    }

    fn launch(&self, stop_on_entry: bool) -> Launch {
        let has = |which| self.stop_at.contains(&which);
        Launch {
            stop_on_entry,
            exceptions: Exceptions {
                raised: has(StopAt::Raised),
                uncaught: has(StopAt::Uncaught),
            },
            reach: if self.no_callers {
                Reach::Only
            } else {
                Reach::All
            },
            parts: self.parts,
            arguments: self.arguments(),
            token: token(),
        }
    }

    /// Returns the program's `sys.argv`, as `flylead run` sets it; the board's own program has none.
    fn arguments(&self) -> Vec<String> {
        let file = self.file.iter().map(|file| file.display().to_string());
        file.chain(self.words.iter().cloned()).collect()
    }
}

/// Reads the board's own program, and releases the board: the debugger resets it before the program starts.
async fn boot(common: &Common) -> Result<Project, Failure> {
    let mut board = common.board().await?;
    let loaded = load_boot(&mut board).await;
    board.release().await?;
    loaded.map_err(|error| match error {
        LoadError::Board(error) => error.into(),
        error => Failure::new(Exit::Refused, error),
    })
}

const NO_ADDRESS: &str = "a FILE needs an address for editors to attach to, as in `--dap 127.0.0.1:5678`; on stdin and stdout, the \
                          editor names the file";
const NOTHING_TO_START: &str = "--wait requires a FILE, the program that editors attach to";
const NO_HOOKS: &str =
    "--no-callers without breakpoints leaves no hooks for editors to attach to; add --wait";
/// Time limit of a reply: the unix port takes seconds to notice that a program has closed its stdin, and to restart.
const REPLY_TIMEOUT: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  flylead debug main.py                         stops at its first line
  flylead debug -c 'break 12' -c continue main.py
  flylead debug --stop-at uncaught main.py      stops at an uncaught exception
  flylead debug --boot                          the main.py on the board
  flylead debug --dap                           for an editor that starts it
  flylead debug --dap 127.0.0.1:5678            for an editor that connects to it
  flylead debug --dap 127.0.0.1:5678 main.py    runs it; editors attach and leave";
