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
    /// The board did not give a file, or not tell which ones it has.
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
    let mut project =
        Project::new(program.display().to_string(), &text).map_err(|error| LoadError::Syntax {
            path: program,
            error,
        })?;
    loop {
        let wanted = project.wanted();
        if wanted.is_empty() {
            return Ok(project);
        }
        for name in wanted {
            add(&mut project, &name, folders)?;
        }
    }
}

/// Adds a module, if one of the folders has it.
fn add(project: &mut Project, name: &str, folders: &[PathBuf]) -> Result<(), LoadError> {
    let places = folders.iter().map(|folder| folder.join(name));
    let Some(path) = places
        .filter(|path| path.is_file())
        .find_map(|path| path::absolute(path).ok())
    else {
        return Ok(());
    };
    let text = read(&path)?;
    match project.add(name, path.display().to_string(), &text) {
        Ok(_) => Ok(()),
        Err(error) => Err(LoadError::Syntax { path, error }),
    }
}

fn read(path: &Path) -> Result<String, LoadError> {
    let failed = |error| LoadError::Read {
        path: path.to_owned(),
        error,
    };
    let bytes = std::fs::read(path).map_err(failed)?;
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))?;
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
