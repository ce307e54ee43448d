//! Publication of a received log, in steps that each leave a complete log.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use flylead_core::to_hexadecimal;

use super::{LOG, MANIFEST, PARTIAL, Saved, Saver, UNSAVED};
use crate::export::{
    Manifest,
    save::{
        folder::{Lock, add_second_name, copy_name, create, is_same, sync},
        runs,
    },
};

/// Step of a save; a test ends a save at each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Received,
    Synced,
    PreviousKept,
    Replaced,
    ManifestWritten,
    ManifestReplaced,
    FolderSynced,
}

impl Saver {
    /// Makes the received data the log, which is safely on disk when this returns.
    ///
    /// # Errors
    /// When the system refuses. The message then names the file with the received data.
    pub fn publish(self, manifest: Manifest) -> io::Result<Saved> {
        self.publish_watched(manifest, &mut |_| Ok(()))
    }

    pub(super) fn publish_watched(
        mut self,
        manifest: Manifest,
        watch: &mut dyn FnMut(Step) -> io::Result<()>,
    ) -> io::Result<Saved> {
        let previous = match self.finish(watch) {
            Ok(lock) => self
                .replace(&manifest, watch, &lock)
                .map_err(|error| self.keep_unsaved(error, &lock))?,
            // The first error is the one to report.
            Err(error) => {
                return Err(match self.close() {
                    Ok(lock) => self.keep_unsaved(error, &lock),
                    Err(_) => error,
                });
            }
        };
        // Partial log of an earlier attempt; usually there is none.
        let _ = self.folder.remove_file(PARTIAL);
        Ok(Saved {
            path: self.path.join(LOG),
            previous,
            manifest,
        })
    }

    /// Writes the complete log to disk, under a temporary name.
    fn finish(&mut self, watch: &mut dyn FnMut(Step) -> io::Result<()>) -> io::Result<Lock> {
        watch(Step::Received)?;
        self.file()?.sync_all()?;
        watch(Step::Synced)?;
        self.close()
    }

    /// Replaces the log and its manifest, without another save in between.
    fn replace(
        &mut self,
        manifest: &Manifest,
        watch: &mut dyn FnMut(Step) -> io::Result<()>,
        lock: &Lock,
    ) -> io::Result<Option<PathBuf>> {
        let previous = self.keep_previous(lock)?;
        watch(Step::PreviousKept)?;
        self.folder.rename(&self.part, &self.folder, LOG)?;
        watch(Step::Replaced)?;
        let part = self.write_manifest(manifest, lock)?;
        watch(Step::ManifestWritten)?;
        self.folder.rename(part, &self.folder, MANIFEST)?;
        watch(Step::ManifestReplaced)?;
        sync(&self.folder)?;
        watch(Step::FolderSynced)?;
        Ok(previous)
    }

    /// Gives the existing log a second name, unless the new log is the same.
    fn keep_previous(&self, lock: &Lock) -> io::Result<Option<PathBuf>> {
        if !self.folder.try_exists(LOG)? || is_same(&self.folder, LOG, &self.part)? {
            return Ok(None);
        }
        let (name, is_used) = copy_name(&self.folder, LOG, LOG)?;
        if !is_used {
            // The manifest comes first, so that no log lacks one; the manifest of another log is not kept.
            if self.describes_log()? {
                let manifest = name.replacen(LOG, MANIFEST, 1);
                let _ = self.folder.remove_file(&manifest);
                add_second_name(&self.folder, MANIFEST, &manifest, lock)?;
            }
            add_second_name(&self.folder, LOG, &name, lock)?;
        }
        Ok(Some(self.path.join(name)))
    }

    /// Returns true if the existing manifest belongs to the existing log.
    fn describes_log(&self) -> io::Result<bool> {
        if !self.folder.try_exists(MANIFEST)? {
            return Ok(false);
        }
        let manifest = runs::read_manifest(&self.folder, MANIFEST)?;
        let digest = runs::digest(&self.folder, LOG)?;
        Ok(manifest.is_some_and(|it| it.sha256 == to_hexadecimal(&digest.sha256())))
    }

    /// Keeps a complete log that could not be published, and reports its path.
    fn keep_unsaved(&self, error: io::Error, lock: &Lock) -> io::Error {
        match self.keep_beside(UNSAVED, lock) {
            Ok(kept) => io::Error::new(
                error.kind(),
                format!("{error}; the complete log is in {}", kept.display()),
            ),
            // The data is the log already, or the disk accepts nothing at all.
            Err(_) => error,
        }
    }

    fn write_manifest(&self, manifest: &Manifest, lock: &Lock) -> io::Result<String> {
        let (part, mut file) = create(&self.folder, MANIFEST, lock)?;
        file.write_all(&serde_json::to_vec_pretty(manifest)?)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        Ok(part)
    }
}
