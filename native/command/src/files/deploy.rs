//! `flylead deploy` and `flylead rollback`

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::Args;
use flylead_native::{
    Board,
    deploy::{
        Source,
        states::{self, State},
    },
    disk,
    install::{self, Fetcher, Options, Plan},
    link::Address,
};
use serde::Deserialize;
use serde_json::json;

use super::{
    fs::{Chosen, Mpy, Shown, Skipped, compile_source, on_board},
    install::check_hash,
};
use crate::{Common, Exit, Failure, board::reset, terminal::print_line};

/// Put a new program on the board; if it fails, the old one takes over
///
/// The folder's main.py is the program. It starts once all of its files are on the board and verified; the old program
/// stays. If the new program raises an exception, or the board is reset within its first ten seconds, the old program
/// starts again. The program runs in its own folder, .flylead/ID; files that it is to keep belong elsewhere, such as in
/// /data.
///
/// A flylead.toml in the folder may set: board (as --port), source (a folder), mpy = true, packages (as `flylead
/// install` takes them, into lib) and index.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead deploy                 this folder, as flylead.toml says
  flylead deploy src --mpy
  flylead deploy --state         which program the board starts")]
pub(crate) struct Cmd {
    /// The folder of flylead.toml, or of main.py
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Show which program the board starts, and change nothing
    #[arg(long)]
    state: bool,
    /// Leave the board running; the new program starts at its next start
    #[arg(long)]
    no_reset: bool,
    /// The directory of the board with main.py [default: its current directory]
    #[arg(long, value_name = "DIRECTORY", value_parser = on_board, default_value = ":", hide_default_value = true)]
    root: String,

    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    mpy: Mpy,
}

/// Go back to the program before the last `flylead deploy`
///
/// A second rollback returns to the newer program.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead rollback
  flylead rollback --no-reset    from its next start on")]
pub(crate) struct Rollback {
    /// Leave the board running; the old program starts at its next start
    #[arg(long)]
    no_reset: bool,
    /// The directory of the board with main.py [default: its current directory]
    #[arg(long, value_name = "DIRECTORY", value_parser = on_board, default_value = ":", hide_default_value = true)]
    root: String,
}

/// Content of flylead.toml.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    board: Option<String>,
    source: Option<PathBuf>,
    #[serde(default)]
    mpy: bool,
    #[serde(default)]
    packages: Vec<String>,
    index: Option<String>,
}

impl Settings {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("flylead.toml");
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::new(Exit::Usage, format!("{}: {error}", path.display()))
        };
        match disk::read_text(&path, LONGEST_SETTINGS) {
            Ok(text) => toml::from_str(&text).map_err(|error| wrong(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(wrong(&error)),
        }
    }

    /// Adds the packages to the program, checking each hash.
    async fn add_packages(&self, source: &mut Source) -> Result<(), Failure> {
        let index = self.index.as_deref();
        let index = index.map(|index| install::Source::parse(index, None));
        let mut plan = Plan::new(Options {
            index: index.transpose()?,
            target: "lib".to_owned(),
            mpy: None,
        });
        for package in &self.packages {
            plan.add(package)?;
        }
        let fetcher = Fetcher::default();
        for file in install::resolve(plan, &fetcher).await? {
            let data = fetcher.fetch(&file.source, LONGEST_FILE).await?;
            check_hash(&file, &data)?;
            source.add(file.path, data);
        }
        Ok(())
    }
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let settings = Settings::read(&self.folder)?;
        let mut common = common.clone();
        if let (Some(board), Address::Auto) = (&settings.board, &common.port) {
            common.port = board.parse()?;
        }
        if self.state {
            let root = self.root;
            return common
                .with_board(async |board| {
                    show(&common, states::state(board, &root).await?.as_ref())
                })
                .await;
        }
        let put = async |board: &mut Board| self.put(board, &common, &settings).await;
        common.with_board(put).await?;
        restart(&common, self.no_reset).await
    }

    async fn put(
        &self,
        board: &mut Board,
        common: &Common,
        settings: &Settings,
    ) -> Result<Exit, Failure> {
        let folder = match &settings.source {
            Some(source) => self.folder.join(source),
            None => self.folder.clone(),
        };
        let mut skipped = Skipped::default();
        let mut source = Source::read(&folder, self.chosen.rules(), &mut skipped.0)?;
        source.tree.remove("flylead.toml");
        if skipped.list(common) != Exit::Done {
            let message = "the program is incomplete without these files; nothing was sent";
            return Err(Failure::new(Exit::Usage, message));
        }
        settings.add_packages(&mut source).await?;
        if let Some(compiler) = self.mpy.wanting(settings.mpy).compiler(board).await? {
            compile_source(&compiler, &mut source).await?;
        }
        let mut shown = Shown::new(common, |item, bytes| {
            common.say(format_args!(":{}, {bytes} bytes", item.path));
            Ok(())
        });
        match states::put(board, &self.root, &mut source, &mut shown).await {
            Ok(state) => show(common, Some(&state)),
            Err(fault) => Err(shown.failure(board, fault).await),
        }
    }
}

impl Rollback {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let back = async |board: &mut Board| {
            let state = states::roll_back(board, &self.root).await?;
            show(common, Some(&state))
        };
        common.with_board(back).await?;
        restart(common, self.no_reset).await
    }
}

async fn restart(common: &Common, is_left: bool) -> Result<Exit, Failure> {
    if is_left {
        return Ok(Exit::Done);
    }
    let reset = reset::Cmd {
        hard: true,
        bootloader: false,
    };
    reset.run(common).await
}

fn show(common: &Common, state: Option<&State>) -> Result<Exit, Failure> {
    let text = match (common.json, state) {
        (true, state) => json!({
            "program": state.map(|state| &state.current),
            "before": state.and_then(|state| state.before.as_ref()),
            "started_well": state.map(|state| state.is_good),
        })
        .to_string(),
        (false, None) => "nothing was deployed to this board".to_owned(),
        (false, Some(state)) => {
            let mode = match state.is_good {
                true => "",
                false => ", on trial: the board goes back if it fails",
            };
            let before = state.before.as_ref();
            let before = before.map(|before| format!("; before: {before}"));
            format!(
                "program {}{mode}{}",
                state.current,
                before.unwrap_or_default()
            )
        }
    };
    print_line(text)?;
    Ok(Exit::Done)
}

const LONGEST_SETTINGS: u64 = 64 << 10;
const LONGEST_FILE: u64 = 16 << 20;
