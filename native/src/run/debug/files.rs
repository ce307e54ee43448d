//! The files of a program.

use std::{
    fmt, io,
    path::{self, Path, PathBuf},
};

use flylead_core::debug::{Project, SyntaxError};

use crate::board::BoardError;

/// Reason why a program could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The file could not be read.
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// The file is not valid Python.
    Syntax {
        /// Path of the file.
        path: PathBuf,
        /// Position and reason.
        error: SyntaxError,
    },
    /// The board has no `main.py`.
    NoMain,
    /// The board did not send a file, or did not report its files.
    Board(BoardError),
}

/// Reads a program, and the modules it imports that are in one of the folders; without folders, in the program's own.
/// All other modules are expected on the board.
///
/// # Errors
/// [`LoadError`], if a file cannot be read or is not valid Python.
pub fn load(program: &Path, folders: &[PathBuf]) -> Result<Project, LoadError> {
    let program = path::absolute(program).unwrap_or_else(|_| program.to_owned());
    let own = program.parent().map(Path::to_owned).unwrap_or_default();
    let folders = if folders.is_empty() { &[own] } else { folders };
    let text = read(&program)?;
    let mut project = begin(program, &text)?;
    loop {
        let wanted = project.wanted();
        if wanted.is_empty() {
            return Ok(project);
        }
        for name in wanted {
            find(&mut project, &name, folders)?;
        }
    }
}

/// Adds a module, if one of the folders has it.
fn find(project: &mut Project, name: &str, folders: &[PathBuf]) -> Result<(), LoadError> {
    let places = folders.iter().map(|folder| folder.join(name));
    let Some(path) = places
        .filter(|path| path.is_file())
        .find_map(|path| path::absolute(path).ok())
    else {
        return Ok(());
    };
    let text = read(&path)?;
    add(project, name, path, &text)
}

/// Begins a project with its program.
pub(super) fn begin(path: PathBuf, text: &str) -> Result<Project, LoadError> {
    let project = Project::new(path.display().to_string(), text);
    project.map_err(|error| LoadError::Syntax { path, error })
}

/// Adds a module.
pub(super) fn add(
    project: &mut Project,
    name: &str,
    path: PathBuf,
    text: &str,
) -> Result<(), LoadError> {
    let added = project.add(name, path.display().to_string(), text);
    match added {
        Ok(_) => Ok(()),
        Err(error) => Err(LoadError::Syntax { path, error }),
    }
}

fn read(path: &Path) -> Result<String, LoadError> {
    let bytes = std::fs::read(path).map_err(|error| LoadError::Read {
        path: path.to_owned(),
        error,
    })?;
    text(path, bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes))
}

/// Returns the content of a file as text.
pub(super) fn text(path: &Path, bytes: &[u8]) -> Result<String, LoadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| LoadError::Read {
        path: path.to_owned(),
        error: io::Error::new(io::ErrorKind::InvalidData, error),
    })?;
    Ok(text.to_owned())
}

/// Byte order mark with which some editors on Windows begin a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Syntax { path, error } => write!(f, "{}, {error}", path.display()),
            Self::NoMain => f.write_str(
                "the board starts no program, as it has no main.py; put one there with: flylead cp main.py :",
            ),
            Self::Board(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}
