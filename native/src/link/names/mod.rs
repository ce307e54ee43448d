//! Names that the user gave to boards: `flylead ports name` stores them, `--port NAME` uses them.
//!
//! They are stored in `boards.json`, in the folder `flylead` of the user's [folder for
//! settings](crate::state::config_folder): an object with an address for each name.

pub(crate) mod name;
pub(crate) mod place;

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{address::Address, ports::port::Port};
use crate::os::{disk, state};
use name::{LONGEST_NAME, is_name};

/// Stored names with their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(BTreeMap<String, Address>);

/// Error of the file of names.
#[derive(Debug)]
#[non_exhaustive]
pub enum NamesError {
    /// The name could be mistaken for something else, or has illegal characters.
    NoName(String),
    /// A device of this computer has this name.
    Device(String),
    /// The name belongs to another board.
    Taken {
        /// The name.
        name: String,
        /// Address of the board.
        address: Address,
    },
    /// The limit of names is reached.
    TooMany,
    /// The environment names no folder for settings.
    NoFolder,
    /// The file cannot be read or written.
    Io {
        /// The file.
        file: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file does not have the format that this program writes.
    Damaged {
        /// The file.
        file: PathBuf,
        /// Fault of the file.
        why: String,
    },
}

impl Names {
    /// Loads the names that this user has stored; none, if the file does not exist yet.
    ///
    /// # Errors
    /// The file cannot be read, or is not a list of names.
    pub fn load() -> Result<Self, NamesError> {
        match file() {
            Ok(file) => read(&file),
            Err(_) => Ok(Self::default()),
        }
    }

    /// Returns the address that a name stands for.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<&Address> {
        self.0.get(name)
    }

    /// Iterates over the names in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Address)> {
        self.0
            .iter()
            .map(|(name, address)| (name.as_str(), address))
    }

    /// Returns the names of the board at this port.
    pub fn of<'a>(&'a self, port: &'a Port) -> impl Iterator<Item = &'a str> {
        let is_meant = |address: &Address| match address {
            Address::Id(id) => port.id().is_some_and(|own| own.eq_ignore_ascii_case(id)),
            Address::Serial { path, .. } => *path == port.path,
            Address::Auto
            | Address::Named(_)
            | Address::Labgrid(_)
            | Address::Tcp(_)
            | Address::Rfc2217 { .. }
            | Address::WebSocket { .. }
            | Address::Unix(_)
            | Address::Process(_) => false,
        };
        let meant = self.iter().filter(move |(_, address)| is_meant(address));
        meant.map(|(name, _)| name)
    }

    /// Returns the first name of the board at this address, whatever its speed.
    #[must_use]
    pub fn at(&self, address: &Address) -> Option<&str> {
        let is_it = |named: &Address| match (named, address) {
            (Address::Id(one), Address::Id(other)) => one.eq_ignore_ascii_case(other),
            (Address::Serial { path: one, .. }, Address::Serial { path: other, .. }) => {
                one == other
            }
            (Address::Rfc2217 { host: one, .. }, Address::Rfc2217 { host: other, .. }) => {
                one == other
            }
            _ => named == address,
        };
        self.iter()
            .find(|(_, named)| is_it(named))
            .map(|(name, _)| name)
    }

    /// Stores a name for an address, without its password.
    ///
    /// # Errors
    /// The name is [invalid](super::is_name), or another board's; or the file cannot be written.
    pub fn keep(name: &str, address: &Address) -> Result<(), NamesError> {
        if !is_name(name) || matches!(address, Address::Named(_)) {
            return Err(NamesError::NoName(name.to_owned()));
        }
        change(|names| match names.0.get(name) {
            Some(other) if other != address => Err(NamesError::Taken {
                name: name.to_owned(),
                address: other.clone(),
            }),
            None if names.0.len() >= MOST_NAMES => Err(NamesError::TooMany),
            _ => {
                names.0.insert(name.to_owned(), address.clone());
                Ok(())
            }
        })
    }

    /// Removes a name, and returns its address.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove(name: &str) -> Result<Option<Address>, NamesError> {
        change(|names| Ok(names.0.remove(name)))
    }
}

fn file() -> Result<PathBuf, NamesError> {
    let folder = state::config_folder().ok_or(NamesError::NoFolder)?;
    Ok(folder.join("flylead").join("boards.json"))
}

fn read(file: &Path) -> Result<Names, NamesError> {
    let failed = |source| NamesError::Io {
        file: file.to_owned(),
        source,
    };
    let text = match disk::read_text(file, LONGEST_FILE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Names::default()),
        read => read.map_err(failed)?,
    };
    parse(&text).map_err(|why| NamesError::Damaged {
        file: file.to_owned(),
        why,
    })
}

fn parse(text: &str) -> Result<Names, String> {
    let written: BTreeMap<String, String> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let named = written.into_iter().map(|(name, address)| {
        let address = address
            .parse()
            .map_err(|error| format!("{name}: {error}"))?;
        match (is_name(&name), &address) {
            (true, Address::Named(_)) => Err(format!("{name} refers to another name")),
            (true, _) => Ok((name, address)),
            (false, _) => Err(format!("`{name}` is not a valid name")),
        }
    });
    named.collect::<Result<_, _>>().map(Names)
}

/// Changes the file under a lock, completely or not at all.
fn change<T>(change: impl FnOnce(&mut Names) -> Result<T, NamesError>) -> Result<T, NamesError> {
    let file = file()?;
    let failed = |source| NamesError::Io {
        file: file.clone(),
        source,
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(failed)?;
    let lock = folder.join("boards.lock");
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .map_err(failed)?;
    lock.lock().map_err(failed)?;
    let before = read(&file)?;
    let mut names = before.clone();
    let changed = change(&mut names)?;
    if names != before {
        write(&file, &names).map_err(failed)?;
    }
    Ok(changed)
}

fn write(file: &Path, names: &Names) -> io::Result<()> {
    let addresses = names.iter();
    let addresses = addresses.map(|(name, address)| (name, address.to_string()));
    let text = serde_json::to_string_pretty(&addresses.collect::<BTreeMap<_, _>>())?;
    disk::save(file, format!("{text}\n").as_bytes())
}

impl fmt::Display for NamesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName(name) => write!(
                f,
                "`{name}` is not a valid name for a board: a name begins with a letter, contains only letters, digits, -, _ and ., has at most {LONGEST_NAME} characters, and cannot be mistaken for an address or a device, as auto, tcp, COM7, ttyACM0 and a0 can"
            ),
            Self::Device(name) => write!(
                f,
                "`{name}` is not a valid name for a board: a device of this computer has this name"
            ),
            Self::Taken { name, address } => write!(
                f,
                "{name} is already the name of {address}; `flylead ports name --remove {name}` frees it"
            ),
            Self::TooMany => write!(
                f,
                "there are {MOST_NAMES} names already; `flylead ports name --remove NAME` forgets one"
            ),
            Self::NoFolder => f.write_str(
                "there is no folder for names of boards: set HOME, or XDG_CONFIG_HOME to an absolute path",
            ),
            Self::Io { file, source } => write!(f, "{}: {source}", file.display()),
            Self::Damaged { file, why } => write!(
                f,
                "{} is not a valid list of names: {why}; fix or remove it",
                file.display()
            ),
        }
    }
}

impl std::error::Error for NamesError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let Self::Io { source, .. } = self else {
            return None;
        };
        Some(source)
    }
}

const MOST_NAMES: usize = 10_000;
/// Size limit of the file, in bytes: enough for the maximum number of names.
const LONGEST_FILE: u64 = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_stand_for_names_and_damaged_files_are_refused() {
        let names = parse(r#"{"bench": "id:E66", "far": "tcp://lab:1"}"#).unwrap();
        assert_eq!(names.address("bench"), Some(&Address::Id("E66".into())));
        assert_eq!(names.address("Bench"), None);
        for text in [
            "",
            "[]",
            r#"{"a b": "id:E66"}"#,
            r#"{"bench": "desk"}"#,
            r#"{"bench": "ssh://x"}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
