//! Storage of typed lines.

use std::{fs, path::PathBuf};

use flylead_native::state;
use rustyline::{Editor, Helper, Result, history::FileHistory};

/// A file that is written after each line, so that nothing is lost with the connection.
#[derive(Debug)]
pub(super) struct History {
    file: Option<PathBuf>,
    /// True if the user chose the file, and expects an error if it cannot be used.
    chosen: bool,
}

impl History {
    pub(super) const fn none() -> Self {
        Self {
            file: None,
            chosen: false,
        }
    }

    pub(super) const fn at(file: PathBuf) -> Self {
        Self {
            file: Some(file),
            chosen: true,
        }
    }

    /// Returns the history in the folder for programs' state, if there is one.
    pub(super) fn of_user() -> Self {
        let file = state::folder().map(|folder| folder.join("flylead").join("zylisp-history"));
        Self {
            file,
            chosen: false,
        }
    }

    pub(super) fn load<H: Helper>(&self, editor: &mut Editor<H, FileHistory>) -> Result<()> {
        match self.file.as_ref().filter(|file| file.exists()) {
            Some(file) => self.checked(editor.load_history(file)),
            None => Ok(()),
        }
    }

    pub(super) fn append<H: Helper>(&self, editor: &mut Editor<H, FileHistory>) -> Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        if !self.chosen
            && let Some(folder) = file.parent()
        {
            fs::create_dir_all(folder).ok();
        }
        self.checked(editor.append_history(file))
    }

    /// Ignores an error unless the user chose the file: a home that cannot be written must not prevent evaluations.
    fn checked(&self, result: Result<()>) -> Result<()> {
        if self.chosen { result } else { Ok(()) }
    }
}
