//! A verb for each request, and a ticket that gives the answer its type.

use alloc::{string::String, vec::Vec};
use core::{fmt, marker::PhantomData, time::Duration};

use super::{Answer, Board, Capabilities, Entry, Error, NewEntry, Request, Space, Written};
use crate::{
    Instant,
    raw_repl::{CommandError, Outcome},
};

/// A request in progress whose answer is a `T`.
///
/// ```
/// use flylead_core::board::{Board, Config, Event};
/// use flylead_core::raw_repl::Outcome;
/// use flylead_core::{Input, Instant, Pump};
///
/// let now = Instant::START;
/// let mut board = Pump::new(Board::new(Config::default()));
/// let ticket = board.command(|board| board.exec(now, "print(6 * 7)", None))?;
/// board.handle_input(now, Input::Bytes(b"\r\nraw REPL; CTRL-B to exit\r\n>OK42\r\n\x04\x04>"));
/// while let Some(event) = board.poll_event() {
///     if let Event::Answered(answered) = event {
///         assert_eq!(ticket.take(answered), Ok(Outcome::Completed));
///     }
/// }
/// # Ok::<(), flylead_core::raw_repl::CommandError>(())
/// ```
#[must_use = "it gives the answer its type"]
pub struct Ticket<T>(PhantomData<fn() -> T>);

impl<T: TryFrom<Answer>> Ticket<T> {
    /// Returns the answer of an [`Event::Answered`](super::Event::Answered).
    ///
    /// # Errors
    /// The request's own; [`Error::BadAnswer`] if it is the answer to a request of another kind.
    pub fn take(self, answered: Result<Answer, Error>) -> Result<T, Error> {
        T::try_from(answered?).map_err(|_| Error::BadAnswer)
    }
}

impl<T> Clone for Ticket<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ticket<T> {}

impl<T> fmt::Debug for Ticket<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket")
    }
}

/// Each verb is a [`Request`] by the same name, and fails as [`request`](Self::request) does.
impl Board {
    /// Enters raw mode, interrupting any running program.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn enter(&mut self, now: Instant) -> Result<Ticket<()>, CommandError> {
        self.ticket(now, Request::Enter)
    }

    /// Runs a program, interrupting any other.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn exec(
        &mut self,
        now: Instant,
        source: impl Into<Vec<u8>>,
        timeout: Option<Duration>,
    ) -> Result<Ticket<Outcome>, CommandError> {
        let source = source.into();
        self.ticket(now, Request::Exec { source, timeout })
    }

    /// Restarts the interpreter, running `boot.py` but not `main.py`.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn soft_reset(&mut self, now: Instant) -> Result<Ticket<()>, CommandError> {
        self.ticket(now, Request::SoftReset)
    }

    /// Returns to the normal prompt.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn leave(&mut self, now: Instant) -> Result<Ticket<()>, CommandError> {
        self.ticket(now, Request::Leave)
    }

    /// Lists the entries of a directory by name.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn list(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<Vec<Entry>>, CommandError> {
        let (path, times) = (path.into(), true);
        self.ticket(now, Request::List { path, times })
    }

    /// Lists all entries below a directory, on request with their hashes; names are relative to it.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn tree(
        &mut self,
        now: Instant,
        path: impl Into<String>,
        hashes: bool,
    ) -> Result<Ticket<Vec<Entry>>, CommandError> {
        let path = path.into();
        self.ticket(now, Request::Tree { path, hashes })
    }

    /// Looks up one entry.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn stat(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<Entry>, CommandError> {
        self.ticket(now, Request::Stat { path: path.into() })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn read(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<Vec<u8>>, CommandError> {
        self.ticket(now, Request::Read { path: path.into() })
    }

    /// Reads a file in parts, each an [`Event::Content`](super::Event::Content).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn read_stream(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<()>, CommandError> {
        self.ticket(now, Request::ReadStream { path: path.into() })
    }

    /// Replaces or creates a file.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn write(
        &mut self,
        now: Instant,
        path: impl Into<String>,
        data: impl Into<Vec<u8>>,
    ) -> Result<Ticket<Written>, CommandError> {
        let (path, data) = (path.into(), data.into());
        self.ticket(now, Request::Write { path, data })
    }

    /// Writes files and makes directories, in this order.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn write_tree(
        &mut self,
        now: Instant,
        entries: Vec<NewEntry>,
    ) -> Result<Ticket<Written>, CommandError> {
        self.ticket(now, Request::WriteTree { entries })
    }

    /// Appends to a file.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn append(
        &mut self,
        now: Instant,
        path: impl Into<String>,
        data: impl Into<Vec<u8>>,
    ) -> Result<Ticket<Written>, CommandError> {
        let (path, data) = (path.into(), data.into());
        self.ticket(now, Request::Append { path, data })
    }

    /// Removes a file or an empty directory.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn remove(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<()>, CommandError> {
        self.ticket(now, Request::Remove { path: path.into() })
    }

    /// Removes a file, or a directory and everything below it.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn remove_tree(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<()>, CommandError> {
        self.ticket(now, Request::RemoveTree { path: path.into() })
    }

    /// Makes a directory; with `parents`, missing ones above it, too.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn make_directory(
        &mut self,
        now: Instant,
        path: impl Into<String>,
        parents: bool,
    ) -> Result<Ticket<()>, CommandError> {
        let path = path.into();
        self.ticket(now, Request::MakeDirectory { path, parents })
    }

    /// Renames a file or directory.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn rename(
        &mut self,
        now: Instant,
        from: impl Into<String>,
        to: impl Into<String>,
    ) -> Result<Ticket<()>, CommandError> {
        let (from, to) = (from.into(), to.into());
        self.ticket(now, Request::Rename { from, to })
    }

    /// Makes an empty file if there is none.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn touch(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<()>, CommandError> {
        self.ticket(now, Request::Touch { path: path.into() })
    }

    /// Reports the size of the file system that contains a path.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn space(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<Space>, CommandError> {
        self.ticket(now, Request::Space { path: path.into() })
    }

    /// Hashes a file with SHA-256.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn hash(
        &mut self,
        now: Instant,
        path: impl Into<String>,
    ) -> Result<Ticket<[u8; 32]>, CommandError> {
        self.ticket(now, Request::Hash { path: path.into() })
    }

    /// Queries the board's capabilities.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn probe(&mut self, now: Instant) -> Result<Ticket<Capabilities>, CommandError> {
        self.ticket(now, Request::Capabilities)
    }

    fn ticket<T>(&mut self, now: Instant, request: Request) -> Result<Ticket<T>, CommandError> {
        self.request(now, request)?;
        Ok(Ticket(PhantomData))
    }
}

/// Converts answers to the types of their tickets.
macro_rules! answers {
    ($($type:ty: $answer:pat => $value:expr,)+) => {
        $(impl TryFrom<Answer> for $type {
            type Error = Error;

            fn try_from(answer: Answer) -> Result<Self, Error> {
                let $answer = answer else {
                    return Err(Error::BadAnswer);
                };
                Ok($value)
            }
        })+
    };
}

answers! {
    (): Answer::Done => (),
    Outcome: Answer::Ran(outcome) => outcome,
    Vec<Entry>: Answer::Entries(entries) => entries,
    Entry: Answer::Entry(entry) => entry,
    Vec<u8>: Answer::Bytes(bytes) => bytes,
    Written: Answer::Written(written) => written,
    Space: Answer::Space(space) => space,
    [u8; 32]: Answer::Hash(hash) => hash,
    Capabilities: Answer::Capabilities(capabilities) => capabilities,
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::{
        Input, Pump,
        board::{Config, Event},
    };

    #[test]
    fn a_ticket_takes_the_answer_of_its_request() {
        let now = Instant::START;
        let mut board = Pump::new(Board::new(Config::default()));
        let ticket = board.command(|board| board.leave(now)).expect("it is idle");
        board.handle_input(now, Input::Bytes(b"\r\n>>> "));
        let answered = core::iter::from_fn(|| board.poll_event()).find_map(|event| match event {
            Event::Answered(answered) => Some(answered),
            _ => None,
        });
        assert_eq!(answered.map(|answered| ticket.take(answered)), Some(Ok(())));
    }

    #[test]
    fn a_ticket_refuses_the_answer_of_another_kind_of_request() {
        let ticket = Ticket::<Vec<u8>>(PhantomData);
        assert_eq!(ticket.take(Ok(Answer::Bytes(vec![1]))), Ok(vec![1]));
        assert_eq!(ticket.take(Ok(Answer::Done)), Err(Error::BadAnswer));
        assert_eq!(ticket.take(Err(Error::NotFound)), Err(Error::NotFound));
    }

    #[test]
    fn a_busy_board_gives_no_ticket() {
        let now = Instant::START;
        let mut board = Pump::new(Board::new(Config::default()));
        let first = board.command(|board| board.read(now, "a"));
        assert!(first.is_ok());
        let second = board.command(|board| board.stat(now, "a"));
        assert_eq!(second.err(), Some(CommandError::Busy));
    }
}
