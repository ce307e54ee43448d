//! From what came to the log, in steps of which each leaves a whole log.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use flylead_core::to_hexadecimal;

use super::{LOG, MANIFEST, PARTIAL, Saved, Saver, UNSAVED};
use crate::export::{
    Manifest,
    folder::{Lock, add_second_name, copy_name, create, is_same, sync},
    runs,
};

/// Step of a save; a test ends it at each of these.
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
    /// Makes what came the log. It is on disk, and not only on its way there, when this returns.
    ///
    /// # Errors
    /// When the system does not let it. The message says where what came is then.
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
            // What went wrong first is what is told.
            Err(error) => {
                return Err(match self.close() {
                    Ok(lock) => self.keep_unsaved(error, &lock),
                    Err(_) => error,
                });
            }
        };
        // Of an earlier attempt; there is none as a rule.
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

    /// The log and its manifest, and nothing of another save in between.
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

    /// Gives the log that is there a second name, unless it is the same log.
    fn keep_previous(&self, lock: &Lock) -> io::Result<Option<PathBuf>> {
        if !self.folder.try_exists(LOG)? || is_same(&self.folder, LOG, &self.part)? {
            return Ok(None);
        }
        let (name, is_used) = copy_name(&self.folder, LOG, LOG)?;
        if !is_used {
            // First, so that no log stands without its manifest; one of another log is none of its own.
            if self.describes_log()? {
                let manifest = name.replacen(LOG, MANIFEST, 1);
                let _ = self.folder.remove_file(&manifest);
                add_second_name(&self.folder, MANIFEST, &manifest, lock)?;
            }
            add_second_name(&self.folder, LOG, &name, lock)?;
        }
        Ok(Some(self.path.join(name)))
    }

    /// True if the manifest that is there is that of the log that is there.
    fn describes_log(&self) -> io::Result<bool> {
        if !self.folder.try_exists(MANIFEST)? {
            return Ok(false);
        }
        let manifest = runs::read_manifest(&self.folder, MANIFEST)?;
        let digest = runs::digest(&self.folder, LOG)?;
        Ok(manifest.is_some_and(|it| it.sha256 == to_hexadecimal(&digest.sha256())))
    }

    /// Keeps what came whole and could not become the log, and says where.
    fn keep_unsaved(&self, error: io::Error, lock: &Lock) -> io::Error {
        match self.keep_beside(UNSAVED, lock) {
            Ok(kept) => io::Error::new(
                error.kind(),
                format!("{error}; the complete log is in {}", kept.display()),
            ),
            // It is the log already, or the disk takes nothing at all.
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
