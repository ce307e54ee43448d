//! Selectors of any number of boards: `all`, or a pattern.

use std::fs;

use flylead_native::link::{Port, names::Names};
use globset::{GlobBuilder, GlobMatcher};

use crate::{Exit, Failure};

/// Returns true for a selector of any number of ports. Only ports have patterns: a `?` begins the options of other
/// addresses.
pub(crate) fn is_pattern(selector: &str) -> bool {
    let is_port = match selector.split_once(':') {
        Some((scheme, _)) => scheme == "id",
        None => true,
    };
    is_port && selector.contains(['*', '?', '['])
}

/// Selector of any number of boards.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// The boards on USB.
    All,
    Glob(GlobMatcher),
}

impl Pattern {
    pub(crate) fn of(selector: &str) -> Result<Self, Failure> {
        if selector == "all" {
            return Ok(Self::All);
        }
        let glob = GlobBuilder::new(selector)
            .case_insensitive(selector.starts_with("id:"))
            .build()
            .map_err(|error| Failure::new(Exit::Usage, format!("{selector}: {}", error.kind())))?;
        Ok(Self::Glob(glob.compile_matcher()))
    }

    /// Returns the files that the pattern matches, such as those of /dev/serial/by-id, if it begins with a folder.
    pub(crate) fn files(&self) -> Vec<String> {
        let Self::Glob(glob) = self else {
            return Vec::new();
        };
        let folder = glob.glob().glob().rsplit_once('/');
        let folder = folder.filter(|(folder, _)| !folder.contains(['*', '?', '[']));
        let entries = folder.and_then(|(folder, _)| fs::read_dir(format!("{folder}/")).ok());
        let entries = entries.into_iter().flatten().take(MOST_FILES);
        let paths =
            entries.filter_map(|entry| entry.ok()?.path().into_os_string().into_string().ok());
        paths.filter(|path| glob.is_match(path)).collect()
    }

    /// Returns the names that the pattern matches. No name begins with `id:`.
    pub(crate) fn names(&self) -> Result<Vec<String>, Failure> {
        let Self::Glob(glob) = self else {
            return Ok(Vec::new());
        };
        let names = Names::load()?;
        let meant = names.iter().filter(|(name, _)| glob.is_match(name));
        Ok(meant.map(|(name, _)| name.to_owned()).collect())
    }

    /// Returns true if the pattern matches the port's path, the last name of that path, or `id:` and its number.
    pub(crate) fn is_of(&self, port: &Port) -> bool {
        let Self::Glob(glob) = self else {
            return port.usb.is_some();
        };
        let id = port.id().map(|id| format!("id:{id}"));
        let last = port.path.rsplit('/').next();
        glob.is_match(&port.path)
            || last.is_some_and(|last| glob.is_match(last))
            || id.is_some_and(|id| glob.is_match(id))
    }
}

/// Limit of files to examine in a folder.
const MOST_FILES: usize = 10_000;
