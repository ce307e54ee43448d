//! `flylead romfs`

mod build;
mod deploy;
mod query;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::fs::{Chosen, Mpy};
use crate::cmd::{Common, Exit, Failure};

/// Look at a board's ROM partitions, and fill them
///
/// MicroPython imports modules directly from a ROM partition, without copying them to memory (ROMFS, since version 1.25).
/// The board mounts it as /rom when it starts.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cmd {
    #[command(subcommand)]
    action: Action,
}

const EXAMPLES: &str = "\
Examples:
  flylead romfs query
  flylead romfs deploy --mpy lib
  flylead romfs build lib -o lib.romfs";

#[derive(Debug, Subcommand)]
enum Action {
    /// List the board's ROM partitions, and how much of them is used
    Query,
    /// Make an image of a folder
    Build {
        /// The folder
        folder: PathBuf,
        /// The image [default: FOLDER.romfs]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        chosen: Chosen,
        #[command(flatten)]
        mpy: Mpy,
    },
    /// Write a folder, or an image, into a ROM partition of the board, instead of what is in it
    Deploy {
        /// The folder, or a file that `romfs build` has made
        source: PathBuf,
        /// The partition's number
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        partition: u32,
        #[command(flatten)]
        chosen: Chosen,
        #[command(flatten)]
        mpy: Mpy,
    },
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        match self.action {
            Action::Query => query::run(common).await,
            Action::Build {
                folder,
                output,
                chosen,
                mpy,
            } => build::run(&folder, output, chosen.rules(), &mpy, common).await,
            Action::Deploy {
                source,
                partition,
                chosen,
                mpy,
            } => deploy::run(&source, partition, chosen.rules(), &mpy, common).await,
        }
    }
}
