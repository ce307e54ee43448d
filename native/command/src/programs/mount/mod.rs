//! `flylead mount`

mod code;
mod watch;

use std::{path::PathBuf, sync::Arc};

use clap::{Args, Parser};
use flylead_core::mount::Config;
use flylead_native::mount::{Folder, News, Options, Session};

use super::{eval, exec, repl, run};
use crate::{
    Common, Exit, Failure,
    files::fs::Mpy,
    terminal::{interrupts::Interrupts, say, shutdown::Shutdown, visible_line},
};
use code::Code;

/// Mount a folder of this computer on the board
///
/// The board's programs import from it, and read and write it as the folder /remote, their current directory; nothing
/// is copied. The folder stays mounted while this command runs: for the board's prompt, or for the command after --,
/// which is exec, run, eval or repl. After the board was reset or unplugged, the folder is mounted again.
///
/// No path or link in the folder gives the board access to anything outside of it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cmd {
    /// Folder to mount
    folder: PathBuf,

    /// Mount point on the board
    #[arg(long, value_name = "PATH", default_value = "/remote")]
    at: String,

    /// Run the command after -- again when a file in the folder is saved
    #[arg(long, requires = "command")]
    watch: bool,

    #[command(flatten)]
    mpy: Mpy,

    /// Command to run meanwhile [default: repl]
    #[arg(last = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  flylead mount src
  flylead mount src -- exec 'import main'
  flylead mount src --watch -- run src/main.py
  flylead mount src --mpy -- exec 'import main'";

/// Use of the folder.
#[derive(Debug, Parser)]
#[command(name = "flylead mount FOLDER --", no_binary_name = true)]
pub(super) enum Then {
    Exec(exec::Cmd),
    Run(run::Cmd),
    Eval(eval::Cmd),
    Repl(repl::Cmd),
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let then = self.then()?;
        let folder = Folder::open(&self.folder).map_err(|error| {
            Failure::new(Exit::Usage, format!("{}: {error}", self.folder.display()))
        })?;
        let code = Code::default();
        let folder = match self.mpy.is_wanted() {
            true => folder.compiling(code.compile()),
            false => folder,
        };
        let mut options = Options::default();
        options.config = Config::new(&self.at).map_err(|error| Failure::new(Exit::Usage, error))?;
        options.config.repl.enter_timeout =
            common.timeout.unwrap_or(options.config.repl.enter_timeout);
        let survives = matches!(then, Then::Repl(_)) || self.watch;
        options.address = Some(common.address());
        options.again = survives.then(|| common.address());
        if !common.json {
            options.news = Some(Arc::new(tell));
        }
        let changes = self
            .watch
            .then(|| watch::Changes::of(&folder))
            .transpose()?;
        let (mut interrupts, mut shutdown) = (Interrupts::new()?, Shutdown::new()?);
        let starting = async {
            let link = common.open_untraced().await?;
            let link = match common.trace()? {
                Some(trace) => trace.wrap(link),
                None => link,
            };
            Ok(Session::start(link, folder, options).await?)
        };
        let session = tokio::select! {
            session = interrupts.or(starting) => Arc::new(session?),
            () = shutdown.requested() => return Err(Failure::interrupted()),
        };
        let mut mounted = common.clone();
        mounted.session = Some(Arc::clone(&session));
        // The conversation with the board is recorded once, with the additions of the folder.
        mounted.trace = None;
        mounted.open_trace = None;
        let work = async {
            let fits = match self.mpy.is_wanted() {
                true => interrupts.or(code.fit(&self.mpy, &mounted)).await,
                false => Ok(()),
            };
            match (fits, changes) {
                (Err(failure), _) => Err(failure),
                (Ok(()), Some(changes)) => {
                    watch::run_again(&then, &mounted, changes, &mut interrupts).await
                }
                (Ok(()), None) => {
                    drop(interrupts);
                    then.run(&mounted).await
                }
            }
        };
        // The board is not left with a folder that nobody serves.
        let done = tokio::select! {
            done = work => done,
            () = shutdown.requested() => Err(Failure::interrupted()),
        };
        drop(mounted);
        if let Some(session) = Arc::into_inner(session) {
            session.end().await;
        }
        done
    }

    fn then(&self) -> Result<Then, Failure> {
        let words = match self.command.as_slice() {
            [] => &["repl".to_owned()],
            words => words,
        };
        Then::try_parse_from(words).map_err(|error| match error.use_stderr() {
            true => Failure::new(Exit::Usage, error.to_string().trim_end()),
            false => error.exit(),
        })
    }
}

impl Then {
    async fn run(self, common: &Common) -> Result<Exit, Failure> {
        match self {
            Self::Exec(cmd) => cmd.run(common).await,
            Self::Run(cmd) => cmd.run(common).await,
            Self::Eval(cmd) => cmd.run(common).await,
            Self::Repl(cmd) => cmd.run(common).await,
        }
    }
}

fn tell(news: &News) {
    let text = match news {
        News::Mounted => "the folder is mounted again".into(),
        News::Failed(failure) => format!("the folder is not mounted again: {failure}"),
        News::Gone => "the board is gone; waiting for it".into(),
        News::Back => "the board is back".into(),
        News::FolderGone => "the folder is gone; create it again, or press Ctrl-C".into(),
        _ => return,
    };
    say(format_args!("flylead: {}", visible_line(&text)));
}
