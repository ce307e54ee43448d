//! A folder of this computer as the workspace.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};
use flylead_core::agent::{
    FileEntry,
    path::{self, Names, WorkspacePath},
};

use unicode_normalization::UnicodeNormalization;

use super::{
    FileError, Form, Ran, Workspace,
    commands::{Commands, Rights},
    list,
    place::{Place, Purpose, reading},
};
use crate::random_hex;

/// A folder held open. Names, links or mounts that change meanwhile cannot lead out of it.
#[derive(Debug)]
pub struct Folder {
    root: Dir,
    path: PathBuf,
    commands: Commands,
}

impl Folder {
    /// Opens a folder. The agent's own `.flylead` in it is protected and not listed.
    ///
    /// # Errors
    /// The folder does not exist, or is not a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let root = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self {
            root,
            path,
            commands: Commands::default(),
        })
    }

    /// Replaces the permissions of its commands.
    #[must_use]
    pub fn with_rights(mut self, rights: Rights) -> Self {
        self.commands = Commands::new(rights);
        self
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) const fn root(&self) -> &Dir {
        &self.root
    }

    fn remove_leftover(&self, path: &str) -> bool {
        let place = path::judge(path, Names::Unix)
            .ok()
            .and_then(|(path, _)| self.to_change(&path, Purpose::Delete).ok());
        place.is_some_and(|place| place.dir.remove_file(&place.name).is_ok())
    }

    /// Finds the file to write. Judges both the path as written and the path with its links resolved.
    pub(super) fn to_change(
        &self,
        path: &WorkspacePath,
        purpose: Purpose,
    ) -> Result<Place, FileError> {
        if is_protected(path) {
            return Err(FileError::Protected);
        }
        let place = Place::find(&self.root, path, purpose)?;
        let resolved = path::judge(&place.resolved(), Names::Unix);
        match resolved {
            Ok((resolved, _)) if !is_protected(&resolved) => Ok(place),
            _ => Err(FileError::Protected),
        }
    }
}

impl Workspace for Folder {
    fn read(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, FileError> {
        let place = Place::find(&self.root, path, Purpose::Read)?;
        let file = place
            .dir
            .open_with(&place.name, &reading())
            .map_err(|error| link_or(&place, error))?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(FileError::Directory);
        }
        if !metadata.is_file() {
            return Err(FileError::Special);
        }
        let mut content = Vec::new();
        file.take(limit.saturating_add(1))
            .read_to_end(&mut content)?;
        if content.len() as u64 > limit {
            return Err(FileError::TooLong {
                bytes: metadata.len().max(content.len() as u64),
            });
        }
        Ok(content)
    }

    fn write(&self, path: &WorkspacePath, content: &[u8]) -> Result<(), FileError> {
        let place = self.to_change(path, Purpose::Write)?;
        let permissions = match place.dir.symlink_metadata(&place.name) {
            Ok(metadata) if metadata.is_symlink() => return Err(FileError::Link),
            Ok(metadata) if metadata.is_dir() => return Err(FileError::Directory),
            Ok(metadata) if !metadata.is_file() => return Err(FileError::Special),
            Ok(metadata) => {
                let names = place
                    .dir
                    .entries()?
                    .flatten()
                    .map(|entry| entry.file_name());
                refuse_other_spelling(&place.name, names)?;
                Some(metadata.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        replace(&place, content, (permissions, None))
    }

    fn delete(&self, path: &WorkspacePath) -> Result<(), FileError> {
        let place = self.to_change(path, Purpose::Delete)?;
        if place.dir.symlink_metadata(&place.name)?.is_dir() {
            return Err(FileError::Directory);
        }
        place.dir.remove_file(&place.name)?;
        Ok(sync_directory(&place.dir)?)
    }

    fn list(&self) -> Result<Vec<FileEntry>, FileError> {
        list::files(&self.path, is_protected)
    }

    fn run(&self, command: &str, undo: &Path) -> io::Result<Ran> {
        self.commands.run(&self.path, command, undo)
    }

    #[cfg(target_os = "linux")]
    fn take_back(&self, undo: &Path) -> io::Result<Vec<String>> {
        super::view::Undo::take_back(&self.path, undo)
    }

    fn look_alike(&self, path: &WorkspacePath) -> Option<String> {
        look_alike(&self.root, path)
    }

    fn resolved(&self, path: &WorkspacePath) -> Option<String> {
        if let Ok(place) = Place::find(&self.root, path, Purpose::Delete) {
            return Some(place.resolved());
        }
        // Folders that are not there yet are no links.
        let (above, name) = path.as_str().rsplit_once('/')?;
        let (above, _) = path::judge(above, Names::Unix).ok()?;
        let above = match Place::find(&self.root, &above, Purpose::Read) {
            Ok(place) => place.resolved(),
            Err(_) => self.resolved(&above)?,
        };
        Some(format!("{above}/{name}"))
    }

    fn missing_folder(&self, path: &WorkspacePath) -> Option<String> {
        let names: Vec<&str> = path.components().collect();
        let folders = (1..names.len()).map(|count| names[..count].join("/"));
        let is_missing = |folder: &String| {
            let judged = path::judge(folder, Names::Unix).ok();
            let place = judged.map(|(folder, _)| Place::find(&self.root, &folder, Purpose::Delete));
            match place {
                Some(Ok(place)) => place.dir.symlink_metadata(&place.name).is_err(),
                Some(Err(FileError::NotFound)) => true,
                _ => false,
            }
        };
        folders.into_iter().find(is_missing)
    }

    fn remove_empty_folders(&self, path: &WorkspacePath, top: &str) {
        let names: Vec<&str> = path.components().collect();
        let folders = (1..names.len()).rev().map(|count| names[..count].join("/"));
        for folder in folders.take_while(|folder| folder.len() >= top.len()) {
            let place = path::judge(&folder, Names::Unix)
                .ok()
                .and_then(|(folder, _)| self.to_change(&folder, Purpose::Delete).ok());
            // One with something in it stays.
            if place.is_none_or(|place| place.dir.remove_dir(&place.name).is_err()) {
                return;
            }
        }
    }

    fn form(&self, path: &WorkspacePath) -> Option<Form> {
        self.form_of(path)
    }

    fn restore(&self, path: &WorkspacePath, form: &Form, content: &[u8]) -> Result<(), FileError> {
        self.put_back(path, form, content)
    }

    fn tidy(&self) -> usize {
        self.commands.tidy();
        list::leftovers(&self.path)
            .iter()
            .filter(|path| self.remove_leftover(path))
            .count()
    }

    fn in_words(&self) -> String {
        self.commands.in_words(&self.path)
    }
}

/// Returns true for git's folders and the agent's own.
fn is_protected(path: &WorkspacePath) -> bool {
    path.is_protected(&[OWN])
}

/// Refuses another spelling of an existing name: on a case-insensitive disk, the file would get a different name than
/// the one known elsewhere.
fn refuse_other_spelling(
    name: &OsStr,
    names: impl Iterator<Item = OsString>,
) -> Result<(), FileError> {
    let mut other = None;
    for existing in names {
        if existing == name {
            return Ok(());
        }
        if existing.to_string_lossy().to_lowercase() == name.to_string_lossy().to_lowercase() {
            other = Some(existing.to_string_lossy().into_owned());
        }
    }
    other.map_or(Ok(()), |existing| {
        Err(FileError::OtherSpelling { existing })
    })
}

/// Follows the path as far as it exists, and looks for the first missing name in another Unicode form.
fn look_alike(root: &Dir, path: &WorkspacePath) -> Option<String> {
    if path.as_str().is_ascii() {
        return None;
    }
    let mut dir = root.try_clone().ok()?;
    let mut found = Vec::new();
    let mut differs = false;
    for wanted in path.components() {
        let name = match dir.symlink_metadata(wanted) {
            Ok(_) => wanted.to_owned(),
            Err(_) => {
                differs = true;
                let mut names = dir.entries().ok()?.flatten().map(|entry| entry.file_name());
                names.find_map(|name| {
                    name.into_string()
                        .ok()
                        .filter(|name| looks_like(name, wanted))
                })?
            }
        };
        if let Ok(below) = dir.open_dir_nofollow(&name) {
            dir = below;
        }
        found.push(name);
    }
    differs.then(|| found.join("/"))
}

fn looks_like(name: &str, other: &str) -> bool {
    name.nfc().eq(other.nfc())
}

/// Reports a link as such; the system itself only says that opening it without following it failed.
fn link_or(place: &Place, error: io::Error) -> FileError {
    match place.dir.symlink_metadata(&place.name) {
        Ok(metadata) if metadata.is_symlink() => FileError::Link,
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => FileError::Special,
        _ => error.into(),
    }
}

/// Replaces whatever is at the path by a file.
pub(super) fn replace(
    place: &Place,
    content: &[u8],
    form: (Option<cap_std::fs::Permissions>, Option<SystemTime>),
) -> Result<(), FileError> {
    let temporary = random_name();
    let written = write_temporary(&place.dir, &temporary, content, form)
        .and_then(|()| place.dir.rename(&temporary, &place.dir, &place.name))
        .and_then(|()| sync_directory(&place.dir));
    if written.is_err() {
        // The file that was there is untouched; only the temporary one may be left.
        let _ = place.dir.remove_file(&temporary);
    }
    Ok(written?)
}

pub(super) fn write_temporary(
    dir: &Dir,
    name: &str,
    content: &[u8],
    (permissions, modified): (Option<cap_std::fs::Permissions>, Option<SystemTime>),
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .follow(FollowSymlinks::No);
    let mut file = dir.open_with(name, &options)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(content)?;
    let file = file.into_std();
    if let Some(modified) = modified {
        file.set_modified(modified)?;
    }
    file.sync_all()
}

/// Writes a directory to disk, so that a new name in it is as durable as the file.
pub(crate) fn sync_directory(dir: &Dir) -> io::Result<()> {
    #[cfg(unix)]
    dir.open(".")?.sync_all()?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// Returns a random name for a temporary file, which cannot be guessed and occupied in advance. A file left by a crash
/// is hidden and recognized by its name.
pub(crate) fn random_name() -> String {
    format!(".flylead-{}.tmp", random_hex::<8>())
}

/// The agent's own folder in a workspace.
pub(crate) const OWN: &str = ".flylead";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_there_in_another_case_only_is_refused() {
        let check = |name: &str, names: &[&str]| {
            refuse_other_spelling(name.as_ref(), names.iter().map(OsString::from))
        };
        assert!(check("a.txt", &["b", "A.txt", "a.txt"]).is_ok());
        assert!(check("a.txt", &["b"]).is_ok());
        let refused = check("a.txt", &["b", "A.TXT"]).unwrap_err();
        assert_eq!(refused.to_string(), "exists as 'A.TXT'; use that spelling");
    }
}
