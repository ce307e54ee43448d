//! `flylead romfs`

mod build;
mod deploy;
mod query;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::fs::{Chosen, Mpy};
use crate::{Common, Exit, Failure};

/// List a board's ROM partitions, and write images to them
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
    /// List the board's ROM partitions, and the space used in each
    Query,
    /// Build an image of a folder
    Build {
        /// The folder
        folder: PathBuf,
        /// File for the image [default: FOLDER.romfs]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        chosen: Chosen,
        #[command(flatten)]
        mpy: Mpy,
    },
    /// Replace the content of a ROM partition with a folder or an image
    Deploy {
        /// Folder, or image that `romfs build` wrote
        source: PathBuf,
        /// Number of the partition
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
