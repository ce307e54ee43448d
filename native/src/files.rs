//! A board's files.

use flylead_core::board::{
    Answer, Capabilities, Entry, Error, Event, NewEntry, Progress, Request, Space, Written,
};

use crate::{Board, BoardError};

impl Board {
    /// The entries of a directory, by name.
    ///
    /// # Errors
    /// The board refuses, as it does for what is not there; it is busy, lost, or its answer cannot be read.
    pub async fn list(&mut self, path: impl Into<String>) -> Result<Vec<Entry>, BoardError> {
        self.entries(Request::List { path: path.into() }).await
    }

    /// All entries below a directory, with their hashes if those are wanted; names are relative to it.
    ///
    /// # Errors
    /// The board refuses, as it does for what is not there; it is busy, lost, or its answer cannot be read.
    pub async fn tree(
        &mut self,
        path: impl Into<String>,
        hashes: bool,
    ) -> Result<Vec<Entry>, BoardError> {
        self.entries(Request::Tree {
            path: path.into(),
            hashes,
        })
        .await
    }

    /// One file or directory.
    ///
    /// # Errors
    /// The board refuses, as it does for what is not there; it is busy, lost, or its answer cannot be read.
    pub async fn stat(&mut self, path: impl Into<String>) -> Result<Entry, BoardError> {
        let answer = self
            .request(Request::Stat { path: path.into() }, |_| ())
            .await?;
        let Answer::Entry(entry) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(entry)
    }

    /// A file's content, its hash compared with the board's.
    ///
    /// # Errors
    /// As [`stat`](Self::stat); and what comes differs from what the board hashed, three times.
    pub async fn read(
        &mut self,
        path: impl Into<String>,
        progress: impl FnMut(Progress),
    ) -> Result<Vec<u8>, BoardError> {
        let answer = self
            .request(Request::Read { path: path.into() }, progress)
            .await?;
        let Answer::Bytes(bytes) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(bytes)
    }

    /// Reads a file whose content is wanted as it comes.
    ///
    /// # Errors
    /// The board is lost or busy.
    pub async fn read_stream(
        &mut self,
        path: impl Into<String>,
    ) -> Result<Reading<'_>, BoardError> {
        let path = path.into();
        self.begin(Request::ReadStream { path }).await?;
        let board = Some(self);
        Ok(Reading { board })
    }

    /// Replaces or creates a file. The old one is whole until the new one is, by its hash.
    ///
    /// # Errors
    /// As [`stat`](Self::stat); there is no room, or what arrived differs. The old file is as it was, or the error is
    /// [`Error::Kept`] and says where the new one is.
    pub async fn write(
        &mut self,
        path: impl Into<String>,
        data: impl Into<Vec<u8>>,
        progress: impl FnMut(Progress),
    ) -> Result<Written, BoardError> {
        let request = Request::Write {
            path: path.into(),
            data: data.into(),
        };
        let answer = self.request(request, progress).await?;
        let Answer::Written(written) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(written)
    }

    /// Writes many files and makes directories, in few exchanges. A directory may exist; those above it must.
    ///
    /// What comes before an error is on the board.
    ///
    /// # Errors
    /// As [`write`](Self::write), in an [`Error::Entry`] that names the entry.
    pub async fn write_tree(
        &mut self,
        entries: Vec<NewEntry>,
        progress: impl FnMut(Progress),
    ) -> Result<Written, BoardError> {
        let answer = self
            .request(Request::WriteTree { entries }, progress)
            .await?;
        let Answer::Written(written) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(written)
    }

    /// The size of the file system that `path` is on.
    ///
    /// # Errors
    /// The board refuses, as it does for what is not there; it is busy, lost, or its answer cannot be read.
    pub async fn space(&mut self, path: impl Into<String>) -> Result<Space, BoardError> {
        let answer = self
            .request(Request::Space { path: path.into() }, |_| ())
            .await?;
        let Answer::Space(space) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(space)
    }

    /// A file's SHA-256, computed by the board.
    ///
    /// # Errors
    /// The board refuses, as it does for what is not there; it is busy, lost, or its answer cannot be read.
    pub async fn sha256(&mut self, path: impl Into<String>) -> Result<[u8; 32], BoardError> {
        let answer = self
            .request(Request::Hash { path: path.into() }, |_| ())
            .await?;
        let Answer::Hash(hash) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(hash)
    }

    /// Returns the board's abilities for transfers.
    ///
    /// # Errors
    /// The board is busy, lost, or its answer cannot be read.
    pub async fn capabilities(&mut self) -> Result<Capabilities, BoardError> {
        let answer = self.request(Request::Capabilities, |_| ()).await?;
        let Answer::Capabilities(capabilities) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(capabilities)
    }

    /// Returns true if an entry of that name exists.
    ///
    /// # Errors
    /// As [`stat`](Self::stat), but for what is not there.
    pub async fn exists(&mut self, path: impl Into<String>) -> Result<bool, BoardError> {
        let path = path.into();
        match self.stat(path.as_str()).await {
            Ok(_) => Ok(true),
            Err(BoardError::File(Error::NotFound)) => Ok(false),
            // A board with one flat directory, such as a micro:bit with MicroPython 1.9.2, lists it.
            Err(BoardError::File(Error::Unsupported { .. })) => {
                let entries = self.list("").await?;
                Ok(entries.iter().any(|entry| entry.name == path))
            }
            Err(error) => Err(error),
        }
    }

    async fn entries(&mut self, request: Request) -> Result<Vec<Entry>, BoardError> {
        let answer = self.request(request, |_| ()).await?;
        let Answer::Entries(entries) = answer else {
            return Err(BoardError::Unreadable);
        };
        Ok(entries)
    }
}

/// A file on its way from a [`Board`].
///
/// Dropping it does not end the transfer: the board stays busy until [`Board::stop`] or the file's end.
#[derive(Debug)]
#[must_use = "the board is busy until the file has been read"]
pub struct Reading<'a> {
    /// Until the end.
    board: Option<&'a mut Board>,
}

impl Reading<'_> {
    /// The next piece; `None` when all have come, and are what the board hashed.
    ///
    /// Cancel safe: nothing is lost when this future is dropped.
    ///
    /// # Errors
    /// There is no such file, the board is lost, or what came is not what the board hashed.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, BoardError> {
        while let Some(board) = &mut self.board {
            match board.next_event().await? {
                Event::Content(piece) => return Ok(Some(piece)),
                Event::Answered(answer) => {
                    self.board = None;
                    answer?;
                }
                Event::Terminal(_)
                | Event::Stdout(_)
                | Event::Progress(_)
                | Event::Stopped(_)
                | Event::Released(_)
                | Event::Lost { .. } => {}
            }
        }
        Ok(None)
    }
}
