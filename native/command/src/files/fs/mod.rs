//! `flylead fs`

mod bar;
mod change;
mod confirm;
mod copy;
mod fetch;
mod local;
mod mpy;
mod place;
mod remote;
mod save;
pub(crate) mod send;
mod show;
mod sync;

use clap::{Args, Subcommand};

use crate::{Common, Exit, Failure};

pub(crate) use bar::Bar;
pub(crate) use confirm::confirm;
pub(crate) use copy::skipped::Skipped;
pub(crate) use copy::{refuse_collisions, tree_items};
pub(crate) use flylead_native::deploy::{Content, Item, directories, join, with_parents};
pub(crate) use local::{Chosen, Links, here, in_thread};
pub(crate) use mpy::{Compiler, Options as Mpy, compiled_name};
pub(crate) use place::{Place, at, on_board};
pub(crate) use save::save;
pub(crate) use send::{Shown, send};
pub(crate) use sync::compile as compile_source;

/// Work with the files on the board
///
/// A colon marks the board's side: ":main.py", ":/lib", and ":" alone for its current directory. Every copy is compared
/// by its hash, and a file is replaced only by one that arrived whole, unless --in-place is given.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead fs ls                    list the board
  flylead fs cp main.py :          to the board
  flylead fs cp :log.csv .         from the board
  flylead fs cp -r lib :           a folder with its contents
  flylead fs rm -r :lib")]
pub(crate) struct Cmd {
    #[command(subcommand)]
    action: Action,
}

/// Action on files; each is a command of its own, too.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    Ls(show::Ls),
    Tree(show::Tree),
    Cat(show::Cat),
    Stat(show::Stat),
    Df(show::Df),
    Sha256(show::Sha256),
    Cp(copy::Cp),
    Sync(sync::Sync),
    Mv(change::Mv),
    Rm(change::Rm),
    Mkdir(change::Mkdir),
    Touch(change::Touch),
}

/// Returns true if a word names one of these.
pub(crate) fn is_action(word: &str) -> bool {
    Action::has_subcommand(word)
}

/// Returns clap's definition of such a command, without `fs` before it.
pub(crate) fn define(word: &str) -> Option<clap::Command> {
    let all = Action::augment_subcommands(clap::Command::new("fs"));
    all.find_subcommand(word).cloned()
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        self.action.run(common).await
    }
}

impl Action {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        common
            .with_board(async |board| match self {
                Self::Ls(cmd) => cmd.run(board, common).await,
                Self::Tree(cmd) => cmd.run(board, common).await,
                Self::Cat(cmd) => cmd.run(board, common).await,
                Self::Stat(cmd) => cmd.run(board, common).await,
                Self::Df(cmd) => cmd.run(board, common).await,
                Self::Sha256(cmd) => cmd.run(board, common).await,
                Self::Cp(cmd) => cmd.run(board, common).await,
                Self::Sync(cmd) => cmd.run(board, common).await,
                Self::Mv(cmd) => cmd.run(board, common).await,
                Self::Rm(cmd) => cmd.run(board, common).await,
                Self::Mkdir(cmd) => cmd.run(board, common).await,
                Self::Touch(cmd) => cmd.run(board, common).await,
            })
            .await
    }
}
