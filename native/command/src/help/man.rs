//! `flylead man`

use std::{fs, path::PathBuf};

use clap::Args;

use super::syntax;
use crate::{Common, Exit, Failure};

/// Write the manual pages of all commands into a folder
///
/// `man -l FOLDER/flylead.1` shows one; in /usr/local/share/man/man1 `man flylead` finds them.
#[derive(Debug, Args)]
pub(crate) struct Cmd {
    /// Folder for the pages; created if it does not exist
    folder: PathBuf,
}

impl Cmd {
    pub(crate) async fn run(self, common: &Common) -> Result<Exit, Failure> {
        let wrong = |error: std::io::Error| {
            Failure::new(Exit::Usage, format!("{}: {error}", self.folder.display()))
        };
        fs::create_dir_all(&self.folder).map_err(wrong)?;
        clap_mangen::generate_to(syntax::whole(), &self.folder).map_err(wrong)?;
        let pages = fs::read_dir(&self.folder).map_err(wrong)?.count();
        common.note(format_args!(
            "{pages} pages are in {}",
            self.folder.display()
        ));
        Ok(Exit::Done)
    }
}
