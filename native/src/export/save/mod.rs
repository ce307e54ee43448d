//! Logs on disk, which are always complete.

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

use super::Manifest;
use folder::{Lock, copy_name, create, sweep};

/// A log that is being received, in a temporary file.
///
/// Whenever and for whatever reason the program ends, `log.csv` is either the old log or the new one, and never a part
/// of one. Dropping the saver removes the received data.
///
/// Links inside the folder cannot lead out of it: every path is opened below the folder's own handle.
#[derive(Debug)]
pub struct Saver {
    run: Dir,
    folder: Dir,
    path: PathBuf,
    part: String,
    file: Option<File>,
}

/// A log that was saved to disk.
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
    /// Opens `ARTIFACTS/RUN_ID/sd`, and creates a file in it.
    ///
    /// # Errors
    /// When the system refuses, and when a link in the folder leads out of it.
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

    /// Appends received bytes.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file()?.write_all(bytes)
    }

    /// Keeps a part of a log as `log.csv.partial` for a person to look at, replacing an earlier part.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn keep_partial(mut self) -> io::Result<PathBuf> {
        let _lock = self.close()?;
        self.folder.rename(&self.part, &self.folder, PARTIAL)?;
        Ok(self.path.join(PARTIAL))
    }

    /// Keeps a complete log that was refused as `log.csv.suspect`, beside others that differ from it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn keep_suspect(mut self) -> io::Result<PathBuf> {
        let lock = self.close()?;
        self.keep_beside(SUSPECT, &lock)
    }

    fn file(&mut self) -> io::Result<&mut File> {
        self.file
            .as_mut()
            .ok_or_else(|| io::Error::other("the log is already closed"))
    }

    /// Ends writing, and returns the right to rename the file: a file that is not open is swept away by any program
    /// with that right.
    fn close(&mut self) -> io::Result<Lock> {
        let lock = Lock::take(&self.run)?;
        drop(self.file.take());
        Ok(lock)
    }

    /// Keeps the received data under this name, or this name with a number; an existing file with the same bytes is
    /// enough.
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

/// Opens the folder of all runs, creating it if necessary.
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

mod folder;
pub(crate) mod runs;
#[cfg(test)]
mod tests;
