//! Reasons why a deployment fails.

use std::{fmt, io, path::PathBuf};

use crate::BoardError;

/// Reason why a deployment ended early.
#[derive(Debug)]
pub enum Fault {
    /// A local file or folder cannot be read.
    Here(PathBuf, io::Error),
    /// The board refused the entry at this path, or was lost there.
    Board(String, Box<BoardError>),
    /// Two local files would have this name on the board.
    Collision(String),
    /// The deployment was refused, for this reason.
    Refused(String),
    /// The listener ended it.
    Stopped,
}

impl Fault {
    /// Adds the path to a board's error.
    pub fn at(path: impl Into<String>) -> impl FnOnce(BoardError) -> Self {
        let path = path.into();
        move |error| Self::Board(path, Box::new(error))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here(path, error) => write!(f, "{} cannot be read: {error}", path.display()),
            Self::Board(path, error) => write!(f, "{path} cannot be put on the board: {error}"),
            Self::Collision(name) => write!(f, "two files would become {name} on the board"),
            Self::Refused(reason) => f.write_str(reason),
            Self::Stopped => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Fault {}
