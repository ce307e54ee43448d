//! Reasons why a package cannot be installed.

use std::fmt;

use super::Source;

/// Reason why a package cannot be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The name has to be looked up in an index, and none was given.
    NoIndex {
        /// Name of the package or of a file of the package.
        name: String,
    },
    /// The name is neither a valid package name with a version, nor an address.
    BadName {
        /// Requested name.
        name: String,
    },
    /// No possible source has the package.
    NoPackage {
        /// The package.
        name: String,
        /// Sources that were tried.
        tried: Vec<Source>,
    },
    /// The file does not exist at this place.
    NotFound {
        /// Location of the file.
        source: Source,
    },
    /// The source could not be read.
    Unreadable {
        /// Location of the file.
        source: Source,
        /// Message of the system or the server.
        why: String,
    },
    /// A link leads out of the folder that the user named.
    Link {
        /// Location of the file.
        source: Source,
    },
    /// The file exceeds the size limit.
    TooLong {
        /// Location of the file.
        source: Source,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The package.json cannot be understood.
    BadManifest {
        /// The package.json.
        source: Source,
        /// Fault of the file.
        why: String,
    },
    /// A package tries to write or read outside of its own folder.
    Outside {
        /// The path it named.
        path: String,
    },
    /// Two packages have different files for the same path.
    Conflict {
        /// The path on the board.
        path: String,
    },
    /// The installation exceeds the limit of packages or files.
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// A file differs from the one that its package was made with.
    WrongHash {
        /// Source of the file.
        source: Source,
        /// The hash in the package.
        expected: String,
        /// Hash of the file.
        found: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIndex { name } => write!(
                f,
                "{name} must be looked up in an index; name one with --index"
            ),
            Self::BadName { name } => write!(
                f,
                "{name:?} is not a package: write NAME, NAME@VERSION, a path with a slash in it, or an address"
            ),
            Self::NoPackage { name, tried } => {
                write!(f, "no package {name} was found; looked for")?;
                tried.iter().try_for_each(|source| write!(f, " {source}"))
            }
            Self::NotFound { source } => write!(f, "{source}: there is no such file"),
            Self::Unreadable { source, why } => write!(f, "{source}: {why}"),
            Self::Link { source } => write!(
                f,
                "{source} is a link that leads out of its folder, to another file of this computer; --unsafe-links sends that"
            ),
            Self::TooLong { source, limit } => write!(f, "{source}: longer than {limit} bytes"),
            Self::BadManifest { source, why } => write!(f, "{source} is not a package: {why}"),
            Self::Outside { path } => {
                write!(
                    f,
                    "{path:?} leads out of the package's folder, or is not a valid path on every board"
                )
            }
            Self::Conflict { path } => write!(
                f,
                "two packages have different files at {path}; install them separately, with --target"
            ),
            Self::TooMany { limit } => write!(f, "there are more than {limit} packages or files"),
            Self::WrongHash {
                source,
                expected,
                found,
            } => write!(
                f,
                "{source} is not the file that its package expects: its hash is {found}, not {expected}"
            ),
        }
    }
}

impl std::error::Error for Error {}
