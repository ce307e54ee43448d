//! A log on disk, only ever whole.

mod publish;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File},
};
use flylead_core::export::RunId;

use super::{
    Manifest,
    folder::{Lock, copy_name, create, sweep},
};

/// A log that is being received, in a file that is not yet the log.
///
/// Whatever ends the program, and whenever, `log.csv` is the old log or the new one, and never a part of one. Dropping
/// the saver removes what came.
///
/// No link inside the folder leads out of it: every path is opened below the folder's own handle.
#[derive(Debug)]
pub struct Saver {
    run: Dir,
    folder: Dir,
    path: PathBuf,
    part: String,
    file: Option<File>,
}

/// A log that is safe on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saved {
    /// Path of the log.
    pub path: PathBuf,
    /// Path of the previous log, if there was a different one.
    pub previous: Option<PathBuf>,
    /// Metadata of the log.
    pub manifest: Manifest,
}

impl Saver {
    /// Opens `ARTIFACTS/RUN_ID/sd`, and a new file in it.
    ///
    /// # Errors
    /// When the system does not let it, and when a link in the folder leads out of it.
    pub fn begin(artifacts: &Path, run_id: &RunId) -> io::Result<Self> {
        let root = open_root(artifacts)?;
        root.create_dir_all(format!("{run_id}/{SD}"))?;
        let run = root.open_dir(run_id.as_str())?;
        let folder = run.open_dir(SD)?;
        let lock = Lock::take(&run)?;
        sweep(&folder, &lock)?;
        let (part, file) = create(&folder, LOG, &lock)?;
        drop(lock);
        Ok(Self {
            run,
            folder,
            path: artifacts.join(run_id.as_str()).join(SD),
            part,
            file: Some(file),
        })
    }

    /// Adds bytes to what came.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file()?.write_all(bytes)
    }

    /// Keeps a part of a log as `log.csv.partial`, for a person to look at, in place of an earlier part.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn keep_partial(mut self) -> io::Result<PathBuf> {
        let _lock = self.close()?;
        self.folder.rename(&self.part, &self.folder, PARTIAL)?;
        Ok(self.path.join(PARTIAL))
    }

    /// Keeps a whole log that was refused as `log.csv.suspect`, beside others that are not the same.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn keep_suspect(mut self) -> io::Result<PathBuf> {
        let lock = self.close()?;
        self.keep_beside(SUSPECT, &lock)
    }

    fn file(&mut self) -> io::Result<&mut File> {
        self.file
            .as_mut()
            .ok_or_else(|| io::Error::other("the log is already closed"))
    }

    /// Ends writing, and answers the right to give what came its name: a file that nobody holds open is swept away by
    /// whoever has that right.
    fn close(&mut self) -> io::Result<Lock> {
        let lock = Lock::take(&self.run)?;
        drop(self.file.take());
        Ok(lock)
    }

    /// Keeps what came under this name, or one with a number; a file with the same bytes is enough.
    fn keep_beside(&self, name: &str, _: &Lock) -> io::Result<PathBuf> {
        let (name, is_used) = copy_name(&self.folder, name, &self.part)?;
        if !is_used {
            self.folder.rename(&self.part, &self.folder, &name)?;
        }
        Ok(self.path.join(name))
    }
}

impl Drop for Saver {
    fn drop(&mut self) {
        // After a publication there is nothing to remove.
        let _ = self.folder.remove_file(&self.part);
    }
}

/// Opens the folder of all runs, making it if need be.
pub(super) fn open_root(artifacts: &Path) -> io::Result<Dir> {
    std::fs::create_dir_all(artifacts)?;
    Dir::open_ambient_dir(artifacts, ambient_authority())
}

const SD: &str = "sd";
const LOG: &str = "log.csv";
const PARTIAL: &str = "log.csv.partial";
const SUSPECT: &str = "log.csv.suspect";
/// Name of a complete log that could not be saved under its own.
const UNSAVED: &str = "log.csv.unsaved";
const MANIFEST: &str = "manifest.json";

#[cfg(test)]
mod tests;
