//! What a request tells while it runs and at its end, and what it is told.

use flylead::{BoardError, export, link::OpenError, testing::SyncError, zylisp::ClientError};
use flylead_core::{board::Answer, zylisp::Reply};

/// What a request has to tell.
#[derive(Debug)]
pub(crate) enum Message {
    Output(Vec<u8>),
    Progress(Progress),
    /// The program reads.
    NeedsInput,
    /// The last one.
    Ended(Result<Value, Failure>),
}

/// How far a request is: bytes of all bytes, and entries that are in their places.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
    pub(crate) entries: usize,
}

/// What a request gives.
#[derive(Debug)]
pub(crate) enum Value {
    Nothing,
    Text(String),
    Bytes(Vec<u8>),
    Answer(Answer),
    Saved(Box<export::Saved>),
    Reply(Box<Reply>),
}

/// Why a request gives nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    Open(OpenError),
    Board(BoardError),
    Export(Box<export::Error>),
    Zylisp(ClientError),
    Sync(SyncError),
    /// It was stopped by its caller.
    Stopped,
    /// The board does not take what is typed.
    Stuck,
    /// The program printed nothing for as long as its caller would wait for some.
    Silent,
    /// What it is for is closed, or was never opened.
    Closed,
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        Self::Board(error)
    }
}

impl From<export::Error> for Failure {
    fn from(error: export::Error) -> Self {
        Self::Export(Box::new(error))
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Zylisp(error)
    }
}

/// What may happen to a program from outside.
#[derive(Debug)]
pub(crate) enum Key {
    Interrupt,
    Type(Vec<u8>),
    /// Lets it run on, with nobody to read what it prints.
    Detach,
}
