//! Files from the board, to this computer or to another place on the board.

use std::{fs, io, path::Path};

use flylead_core::board::{Entry, EntryKind, NewEntry};
use flylead_native::{Board, BoardError, deploy::is_about_one};

use super::{
    Bar, Common, Exit, Failure, Skipped, at, copy::copied, directories, here, join, local::below,
    save::save, send,
};

/// Copies files of a board.
pub(crate) struct Fetcher<'a> {
    pub(crate) board: &'a mut Board,
    pub(crate) common: &'a Common,
    pub(crate) skipped: &'a mut Skipped,
    /// True to remove a file of the board first to make room for its replacement.
    pub(crate) in_place: bool,
}

/// Reason why a file was not copied.
pub(crate) struct Fault {
    failure: Failure,
    /// Short reason, if the fault concerns this file alone and others may be copied.
    reason: Option<String>,
}

impl Fetcher<'_> {
    /// Downloads everything below a directory of the board. Files that cannot be copied are skipped.
    pub(crate) async fn download_tree(&mut self, from: &str, to: &Path) -> Result<(), Failure> {
        fs::create_dir_all(to).map_err(here(to))?;
        for entry in self.board.tree(from, false).await.map_err(at(from))? {
            self.download_entry(from, to, &entry).await?;
        }
        Ok(())
    }

    async fn download_entry(
        &mut self,
        from: &str,
        to: &Path,
        entry: &Entry,
    ) -> Result<(), Failure> {
        let path = join(from, &entry.name);
        let done = self.try_entry(&path, to, entry).await;
        self.go_on(&path, done).map(drop)
    }

    async fn try_entry(&mut self, path: &str, to: &Path, entry: &Entry) -> Result<(), Fault> {
        let place = below(to, &entry.name).map_err(Fault::of_name)?;
        match entry.kind {
            EntryKind::Directory => make_directory(&place),
            EntryKind::File => self.copy_here(path, &place, entry.size).await,
        }
    }

    /// Downloads a file that the person named.
    pub(crate) async fn download(
        &mut self,
        from: &str,
        to: &Path,
        size: u64,
    ) -> Result<(), Failure> {
        let done = self.copy_here(from, to, size).await;
        done.map_err(|fault| fault.failure)
    }

    async fn copy_here(&mut self, from: &str, to: &Path, size: u64) -> Result<(), Fault> {
        let bytes = self.try_download(from, to, Some(size)).await?;
        let (from, to) = (format!(":{from}"), to.display().to_string());
        Ok(copied::tell(self.common, &from, &to, bytes)?)
    }

    /// Downloads one file of many, and returns its length in bytes.
    pub(crate) async fn try_download(
        &mut self,
        from: &str,
        to: &Path,
        size: Option<u64>,
    ) -> Result<u64, Fault> {
        let content = self.read(from, size).await?;
        let bytes = content.len() as u64;
        let saved = save(to, content).await;
        saved.map_err(|error| Fault::of_disk(to, error))?;
        Ok(bytes)
    }

    async fn read(&mut self, from: &str, size: Option<u64>) -> Result<Vec<u8>, Fault> {
        let bar = Bar::new(self.common, from, size);
        let content = self.board.read(from, |progress| bar.set(progress)).await;
        content.map_err(|error| Fault::of_board(from, error))
    }

    /// Copies a file to another place on the board.
    pub(crate) async fn duplicate(&mut self, from: &str, to: &str) -> Result<(), Failure> {
        let done = self.try_duplicate(from, to).await;
        done.map_err(|fault| fault.failure)
    }

    async fn try_duplicate(&mut self, from: &str, to: &str) -> Result<(), Fault> {
        let content = self.read(from, None).await?;
        let bar = Bar::new(self.common, to, Some(content.len() as u64));
        let (path, data) = (to.to_owned(), content);
        let entry = match self.in_place {
            true => NewEntry::Overwrite { path, data },
            false => NewEntry::File { path, data },
        };
        let written = self
            .board
            .write_tree(vec![entry], |progress| bar.set(progress));
        let written = written.await;
        let bytes = written.map_err(|error| Fault::of_board(to, error))?.bytes;
        let (from, to) = (format!(":{from}"), format!(":{to}"));
        Ok(copied::tell(self.common, &from, &to, bytes)?)
    }

    /// Copies a directory with all of its content to another place on the board. Files that cannot be copied are
    /// skipped.
    pub(crate) async fn duplicate_tree(&mut self, from: &str, to: &str) -> Result<(), Failure> {
        let entries = self.board.tree(from, false).await.map_err(at(from))?;
        let (folders, files): (Vec<_>, Vec<_>) = entries
            .into_iter()
            .partition(|entry| entry.kind == EntryKind::Directory);
        let folders = folders.iter().map(|folder| join(to, &folder.name));
        let folders = directories([to.to_owned()].into_iter().chain(folders));
        let skipped = Some(&mut *self.skipped);
        send(self.board, self.common, &folders, skipped, |_, _| Ok(())).await?;
        for file in files {
            let (from, to) = (join(from, &file.name), join(to, &file.name));
            let done = self.try_duplicate(&from, &to).await;
            self.go_on(&to, done)?;
        }
        Ok(())
    }

    /// Skips a file whose fault does not affect others. Returns true if there was no fault.
    pub(crate) fn go_on(&mut self, path: &str, done: Result<(), Fault>) -> Result<bool, Failure> {
        let Err(Fault { failure, reason }) = done else {
            return Ok(true);
        };
        let reason = reason.ok_or(failure)?;
        self.skipped.add(format_args!(":{path}"), reason);
        Ok(false)
    }
}

pub(crate) fn make_directory(path: &Path) -> Result<(), Fault> {
    fs::create_dir_all(path).map_err(|error| Fault::of_disk(path, error))
}

impl Fault {
    /// Returns the fault of a name that is invalid at its destination.
    pub(crate) fn of_name(reason: &str) -> Self {
        Self {
            reason: Some(reason.to_owned()),
            failure: Failure::new(Exit::Usage, reason),
        }
    }

    fn of_board(path: &str, error: BoardError) -> Self {
        Self {
            reason: is_about_one(&error).map(ToString::to_string),
            failure: at(path)(error),
        }
    }

    pub(crate) fn of_disk(path: &Path, error: io::Error) -> Self {
        let is_about_all = matches!(
            error.kind(),
            io::ErrorKind::StorageFull
                | io::ErrorKind::QuotaExceeded
                | io::ErrorKind::ReadOnlyFilesystem
        );
        Self {
            reason: (!is_about_all).then(|| error.to_string()),
            failure: here(path)(error),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        let reason = None;
        Self { failure, reason }
    }
}
