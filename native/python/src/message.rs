//! Messages from a request, while it runs and at its end, and messages to it.

use flylead_core::{board::Answer, zylisp::Reply};
use flylead_native::{BoardError, deploy::Fault, export, link::OpenError, zylisp::ClientError};

/// Message of a request.
#[derive(Debug)]
pub(crate) enum Message {
    Output(Vec<u8>),
    Progress(Progress),
    /// The program reads input.
    NeedsInput,
    /// The last message.
    Ended(Result<Value, Failure>),
}

/// Progress of a request: bytes done, bytes in total, and entries in place.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
    pub(crate) entries: usize,
}

/// Value of a request.
#[derive(Debug)]
pub(crate) enum Value {
    Nothing,
    Text(String),
    Bytes(Vec<u8>),
    Answer(Answer),
    Saved(Box<export::Saved>),
    Reply(Box<Reply>),
}

/// Reason why a request has no value.
#[derive(Debug)]
pub(crate) enum Failure {
    Open(OpenError),
    Board(BoardError),
    Export(Box<export::Error>),
    Zylisp(ClientError),
    Sync(Fault),
    /// The board does not answer, and was not restarted.
    NotRestarted(std::io::Error),
    /// The device at the port records an experiment, which talking to the board would end.
    Recording(export::Recording),
    /// The caller stopped the request.
    Stopped,
    /// The board does not accept the typed input.
    Stuck,
    /// The program was silent for longer than its caller would wait.
    Silent,
    /// The object is closed, or was never opened.
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

/// Key pressed for a program.
#[derive(Debug)]
pub(crate) enum Key {
    Interrupt,
    Type(Vec<u8>),
    /// Lets the program continue; its output is discarded.
    Detach,
}
