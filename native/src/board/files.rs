//! Files of a board.

use flylead_core::board::{
    Answer, Capabilities, Entry, Error, Event, NewEntry, Progress, Request, Space, Written,
};

use crate::{Board, BoardError};

impl Board {
    /// Lists the entries of a directory, by name.
    ///
    /// # Errors
    /// The board refuses, for example because the path does not exist; it is busy or lost, or its answer cannot be
    /// read.
    pub async fn list(&mut self, path: impl Into<String>) -> Result<Vec<Entry>, BoardError> {
        let (path, times) = (path.into(), true);
        self.answer(Request::List { path, times }, |_| ()).await
    }

    /// Lists the entries of a directory, by name, without the times of their change, for which a board looks at each.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub async fn list_without_times(
        &mut self,
        path: impl Into<String>,
    ) -> Result<Vec<Entry>, BoardError> {
        let (path, times) = (path.into(), false);
        self.answer(Request::List { path, times }, |_| ()).await
    }

    /// Lists all entries below a directory, on request with their hashes; names are relative to it.
    ///
    /// # Errors
    /// The board refuses, for example because the path does not exist; it is busy or lost, or its answer cannot be
    /// read.
    pub async fn tree(
        &mut self,
        path: impl Into<String>,
        hashes: bool,
    ) -> Result<Vec<Entry>, BoardError> {
        let path = path.into();
        self.answer(Request::Tree { path, hashes }, |_| ()).await
    }

    /// Returns one file or directory.
    ///
    /// # Errors
    /// The board refuses, for example because the path does not exist; it is busy or lost, or its answer cannot be
    /// read.
    pub async fn stat(&mut self, path: impl Into<String>) -> Result<Entry, BoardError> {
        self.answer(Request::Stat { path: path.into() }, |_| ())
            .await
    }

    /// Reads a file's content, and compares its hash with the board's.
    ///
    /// # Errors
    /// As [`stat`](Self::stat); or the received content differed from the board's hash three times.
    pub async fn read(
        &mut self,
        path: impl Into<String>,
        progress: impl FnMut(Progress),
    ) -> Result<Vec<u8>, BoardError> {
        self.answer(Request::Read { path: path.into() }, progress)
            .await
    }

    /// Reads a file in pieces, as they arrive.
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

    /// Replaces or creates a file. The old one stays complete until the new one is, by its hash.
    ///
    /// # Errors
    /// As [`stat`](Self::stat); the board has no space, or the received content differs. The old file is unchanged, or
    /// the error is [`Error::Kept`] with the path of the new one.
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
        self.answer(request, progress).await
    }

    /// Writes many files and creates directories, in few exchanges. A directory may exist; its parents must.
    ///
    /// Entries before an error are on the board.
    ///
    /// # Errors
    /// As [`write`](Self::write), in an [`Error::Entry`] that names the entry.
    pub async fn write_tree(
        &mut self,
        entries: Vec<NewEntry>,
        progress: impl FnMut(Progress),
    ) -> Result<Written, BoardError> {
        self.answer(Request::WriteTree { entries }, progress).await
    }

    /// Returns the size of the file system that contains `path`.
    ///
    /// # Errors
    /// The board refuses, for example because the path does not exist; it is busy or lost, or its answer cannot be
    /// read.
    pub async fn space(&mut self, path: impl Into<String>) -> Result<Space, BoardError> {
        self.answer(Request::Space { path: path.into() }, |_| ())
            .await
    }

    /// Returns a file's SHA-256, computed by the board.
    ///
    /// # Errors
    /// The board refuses, for example because the path does not exist; it is busy or lost, or its answer cannot be
    /// read.
    pub async fn sha256(&mut self, path: impl Into<String>) -> Result<[u8; 32], BoardError> {
        self.answer(Request::Hash { path: path.into() }, |_| ())
            .await
    }

    /// Returns the board's abilities for transfers.
    ///
    /// # Errors
    /// The board is busy, lost, or its answer cannot be read.
    pub async fn capabilities(&mut self) -> Result<Capabilities, BoardError> {
        self.answer(Request::Capabilities, |_| ()).await
    }

    /// Returns true if an entry of that name exists.
    ///
    /// # Errors
    /// As [`stat`](Self::stat), except for a missing entry.
    pub async fn exists(&mut self, path: impl Into<String>) -> Result<bool, BoardError> {
        let path = path.into();
        match self.stat(path.as_str()).await {
            Ok(_) => Ok(true),
            Err(BoardError::File(Error::NotFound)) => Ok(false),
            // A board with one flat directory, such as a micro:bit with MicroPython 1.9.2, can list it.
            Err(BoardError::File(Error::Unsupported { .. })) => {
                let entries = self.list("").await?;
                Ok(entries.iter().any(|entry| entry.name == path))
            }
            Err(error) => Err(error),
        }
    }

    /// Sends a request, and returns its answer as the type that belongs to it.
    async fn answer<T: TryFrom<Answer>>(
        &mut self,
        request: Request,
        progress: impl FnMut(Progress),
    ) -> Result<T, BoardError> {
        let answer = self.request(request, progress).await?;
        T::try_from(answer).map_err(|_| BoardError::Unreadable)
    }
}

/// A file being read from a [`Board`].
///
/// Dropping it does not end the transfer: the board stays busy until [`Board::stop`] or the file's end.
#[derive(Debug)]
#[must_use = "the board is busy until the file has been read"]
pub struct Reading<'a> {
    /// The board; `None` once the transfer has ended.
    board: Option<&'a mut Board>,
}

impl Reading<'_> {
    /// Returns the next piece; `None` once all have arrived and match the board's hash.
    ///
    /// Cancel safe: nothing is lost when this future is dropped.
    ///
    /// # Errors
    /// The file does not exist, the board is lost, or the received content does not match the board's hash.
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
