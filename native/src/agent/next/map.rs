//! Lists the files for a message, and maps the definitions in them.

use std::collections::BTreeMap;

use flylead_core::agent::{
    FileEntry, Mapped, is_mappable, map,
    path::{self, Names},
};

use crate::agent::{Agent, AgentError, open};

impl Agent {
    /// Returns the names that the files define. A board's files are not mapped, because reading them is slow.
    pub(super) fn map(&self, files: &[FileEntry]) -> Result<Vec<Mapped>, AgentError> {
        if open::board(self.home.workspace()).is_some() {
            return Ok(Vec::new());
        }
        let mut wanted: Vec<&FileEntry> = files
            .iter()
            .filter(|file| file.bytes <= LONGEST && is_mappable(&file.path))
            .collect();
        // The files near the root are those that the rest builds on.
        wanted.sort_by_key(|file| file.path.matches('/').count());
        let workspace = self.workspace()?;
        let mut room = MOST_READ;
        let mut texts = Vec::new();
        for file in wanted.into_iter().take(MOST_FILES) {
            room = room.saturating_sub(file.bytes);
            if room == 0 {
                break;
            }
            // A file that is unreadable or not text has no names.
            if let Ok((path, _)) = path::judge(&file.path, Names::Unix)
                && let Ok(content) = workspace.read(&path, LONGEST)
                && let Ok(text) = String::from_utf8(content)
            {
                texts.push((file.path.as_str(), text));
            }
        }
        let texts: Vec<_> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
        Ok(map(&texts, MAP_SIZE))
    }
}

/// Selects the files to list: all of them, or the mapped ones and as many of each folder as the limit allows.
pub(super) fn listed(files: Vec<FileEntry>, mapped: &[Mapped]) -> Vec<FileEntry> {
    if files.len() <= LISTED {
        return files;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let is_mapped = |file: &FileEntry| mapped.iter().any(|it| it.path == file.path);
    let (mut listed, rest): (Vec<_>, Vec<_>) = files.into_iter().partition(is_mapped);
    let mut rest: Vec<FileEntry> = rest
        .into_iter()
        .map(|file| {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let count = counts.entry(folder.to_owned()).or_default();
            *count += 1;
            (*count, file)
        })
        .filter(|(count, _)| *count <= OF_FOLDER)
        .map(|(_, file)| file)
        .collect();
    rest.sort_by_key(|file| file.path.matches('/').count());
    rest.truncate(LISTED.saturating_sub(listed.len()));
    listed.extend(rest);
    listed.sort();
    listed
}

/// Maximum number of files to list in full; beyond it, only mapped files and the first ones of each folder are listed.
const LISTED: usize = 300;
/// Maximum number of files per folder to list beyond [`LISTED`].
const OF_FOLDER: usize = 10;
/// Size of the map, in bytes.
const MAP_SIZE: usize = 16 * 1024;
/// Limits of the files that are read for the map.
const MOST_FILES: usize = 2_000;
const MOST_READ: u64 = 8 * 1024 * 1024;
const LONGEST: u64 = 512 * 1024;
