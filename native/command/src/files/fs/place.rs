//! Sides of a path.

use std::{convert::Infallible, path::PathBuf, str::FromStr};

use flylead_core::board;
use flylead_native::BoardError;

use super::{Exit, Failure};

/// A path on the board, which a colon marks, or on this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Board(String),
    Here(PathBuf),
}

impl FromStr for Place {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.strip_prefix(':') {
            Some(path) => Self::Board(path.to_owned()),
            None => Self::Here(PathBuf::from(text)),
        })
    }
}

/// Returns a path on the board, given with its colon or without, for commands that have no other side.
///
/// # Errors
/// The text is empty, as a variable of a shell is that nobody has set: `rm -rf "$FOLDER"` would empty the board.
pub(crate) fn on_board(text: &str) -> Result<String, &'static str> {
    match text {
        "" => Err("a path is empty; write : for the board's current directory"),
        text => Ok(text.strip_prefix(':').unwrap_or(text).to_owned()),
    }
}

/// Adds the path to an error.
pub(crate) fn at(path: &str) -> impl Fn(BoardError) -> Failure + '_ {
    move |error| {
        let BoardError::File(error) = error else {
            return error.into();
        };
        let exit = Exit::of(&error);
        let text = match matches!(error, board::Error::Entry { .. }) {
            true => format!(":{error}"),
            false => format!(":{path}: {error}"),
        };
        Failure::new(exit, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_empty_is_a_mistake_and_no_directory() {
        assert!(on_board("").is_err());
        assert_eq!(on_board(":"), Ok(String::new()));
        assert_eq!(on_board("lib"), on_board(":lib"));
    }

    #[test]
    fn a_colon_marks_the_boards_side() {
        assert_eq!(":".parse(), Ok(Place::Board(String::new())));
        assert_eq!(
            ":/lib/a b.py".parse(),
            Ok(Place::Board("/lib/a b.py".into()))
        );
        assert_eq!("./:odd".parse(), Ok(Place::Here("./:odd".into())));
    }
}
