//! How a command ends.

use std::{io, process::ExitCode};

use flylead::{
    BoardError, Gone,
    link::{Address, AddressError, OpenError},
};

/// The exit codes, as `--help` has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All went well.
    Done = 0,
    /// The program on the board raised an exception.
    Raised = 1,
    /// The command line, or a file on this computer, is wrong.
    Usage = 2,
    /// There is no link to a board.
    NoLink = 3,
    /// The board was lost, or did not answer in time.
    Lost = 4,
    /// The board refused something with a file.
    Refused = 5,
    /// Ctrl-C.
    Interrupted = 130,
}

/// What went wrong, in words for the person at the terminal.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl ToString) -> Self {
        Self {
            exit,
            message: message.to_string(),
        }
    }

    /// Says it on stderr. A traceback is the board's own word.
    pub(crate) fn report(self) -> ExitCode {
        match self.exit {
            // Whoever read our output has gone, and wants to know no more.
            _ if self.message.is_empty() => {}
            Exit::Raised => eprintln!("{}", self.message),
            _ => eprintln!("flylead: {}", self.message),
        }
        self.exit.into()
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<AddressError> for Failure {
    fn from(error: AddressError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::NoBoard { .. } | OpenError::SeveralBoards { .. } => Self::new(
                Exit::NoLink,
                format!("{error}\nUse --port ADDRESS, or set FLYLEAD_PORT."),
            ),
            OpenError::NotFound {
                address: Address::Serial { .. },
            } => Self::new(
                Exit::NoLink,
                format!("{error}; `flylead ports` lists the serial ports that there are"),
            ),
            _ => Self::new(Exit::NoLink, error),
        }
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        match error {
            BoardError::Raised(_) => Self {
                exit: Exit::Raised,
                message: error.to_string(),
            },
            BoardError::File(_) => Self::new(Exit::Refused, error),
            _ => Self::new(Exit::Lost, error),
        }
    }
}

impl From<Gone> for Failure {
    fn from(_: Gone) -> Self {
        Self::new(Exit::Lost, "the connection is over")
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::Usage, ""),
            _ => Self::new(Exit::Usage, error),
        }
    }
}
