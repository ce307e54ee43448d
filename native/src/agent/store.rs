//! Folder of the agent, accessed by its handle: links in it are never followed, and a file is written completely or not
//! at all.

use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::{
    ambient_authority,
    fs::{Dir, DirBuilder, File, OpenOptions},
};

use crate::agent::workspace::{random_name, reading, sync_directory};

/// Open folder, and its path at the time of opening.
#[derive(Debug)]
pub(super) struct Store {
    dir: Dir,
    path: PathBuf,
}

impl Store {
    /// Opens a folder by its path, and creates it and its parents if they are missing. Only its owner may access it.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, PRIVATE_FOLDER);
        builder.create(path)?;
        Self::open(path)
    }

    /// Opens an existing folder.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        make_private(&dir)?;
        Ok(Self { dir, path })
    }

    /// Wraps an open handle. The folder's permissions are left unchanged.
    pub(super) const fn of(dir: Dir, path: PathBuf) -> Self {
        Self { dir, path }
    }

    /// Returns the path of the store, for people and messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a name in the store, for people and messages.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a subfolder, and creates it if it is missing. A link is refused.
    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        match self.dir.create_dir_with(name, &private_folder()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        self.existing_folder(name)
    }

    /// Opens an existing subfolder.
    pub(super) fn existing_folder(&self, name: &str) -> io::Result<Self> {
        let dir = self.dir.open_dir_nofollow(name).map_err(|error| {
            let path = self.path_of(name);
            let why = format!(
                "{}: {error}; it must be a folder, not a link",
                path.display()
            );
            io::Error::new(error.kind(), why)
        })?;
        Ok(Self::of(dir, self.path_of(name)))
    }

    /// Reads a whole file. Anything but a regular file of at most `limit` bytes is refused.
    pub(super) fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let file = self.dir.open_with(name, &reading())?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other(format!("{name} is not a regular file")));
        }
        let mut content = Vec::new();
        file.take(limit + 1).read_to_end(&mut content)?;
        if content.len() as u64 > limit {
            return Err(too_long(name, limit));
        }
        Ok(content)
    }

    /// Reads a whole file, if it exists.
    pub(super) fn read_if_there(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        match self.read(name, limit) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            content => content.map(Some),
        }
    }

    /// Replaces a file's content atomically, by temporary file, fsync, rename and fsync: a crash leaves the old file or
    /// the new one.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let temporary = random_name();
        let written = self
            .write_new(&temporary, content)
            .and_then(|()| self.dir.rename(&temporary, &self.dir, name));
        if written.is_err() {
            // The file of this name is untouched.
            let _ = self.dir.remove_file(&temporary);
        }
        written?;
        sync_directory(&self.dir)
    }

    fn write_new(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut file = self
            .dir
            .open_with(name, private_file().write(true).create_new(true))?;
        file.write_all(content)?;
        file.sync_all()
    }

    /// Opens a file for appending, and creates it if it is missing.
    pub(super) fn append(&self, name: &str) -> io::Result<File> {
        self.dir
            .open_with(name, private_file().append(true).create(true))
    }

    /// Opens a file for locking, and creates it if it is missing.
    pub(super) fn lock(&self, name: &str) -> io::Result<std::fs::File> {
        let file = self
            .dir
            .open_with(name, private_file().write(true).create(true))?;
        Ok(file.into_std())
    }

    /// Returns true if a file of that name exists.
    pub(super) fn has(&self, name: &str) -> bool {
        let metadata = self.dir.symlink_metadata(name);
        metadata.is_ok_and(|metadata| metadata.is_file())
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        self.dir.remove_file(name)
    }

    /// Moves a file to another name, in this folder or another one on the same disk.
    pub(super) fn rename(&self, name: &str, to: &Self, new_name: &str) -> io::Result<()> {
        self.dir.rename(name, &to.dir, new_name)
    }

    /// Lists the files with their metadata; folders, links and names that are not Unicode are left out.
    pub(super) fn files(&self) -> io::Result<Vec<(String, cap_std::fs::Metadata)>> {
        let mut files = Vec::new();
        for entry in self.dir.entries()? {
            let entry = entry?;
            // A file that has vanished meanwhile is left out.
            if let (Ok(name), Ok(metadata)) = (entry.file_name().into_string(), entry.metadata())
                && metadata.is_file()
            {
                files.push((name, metadata));
            }
        }
        Ok(files)
    }
}

pub(super) fn too_long(name: &str, limit: u64) -> io::Error {
    let why = format!("{name} is longer than {limit} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, why)
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.follow(FollowSymlinks::No);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, PRIVATE_FILE);
    options
}

fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    cap_std::fs::DirBuilderExt::mode(&mut builder, PRIVATE_FOLDER);
    builder
}

/// Denies other users access to a folder.
#[cfg(unix)]
fn make_private(dir: &Dir) -> io::Result<()> {
    use cap_std::fs::PermissionsExt;
    let mode = dir.dir_metadata()?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    dir.set_permissions(".", cap_std::fs::Permissions::from_mode(mode & 0o700))
}

#[cfg(not(unix))]
fn make_private(_: &Dir) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
const PRIVATE_FOLDER: u32 = 0o700;
#[cfg(unix)]
const PRIVATE_FILE: u32 = 0o600;

#[cfg(all(test, unix))]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let top = tempfile::tempdir().unwrap();
        let store = Store::create(&top.path().join("a/b")).unwrap();
        (top, store)
    }

    #[test]
    fn nobody_else_may_look_in() {
        let (top, store) = store();
        fs::set_permissions(top.path().join("a/b"), fs::Permissions::from_mode(0o777)).unwrap();
        let again = Store::create(&top.path().join("a/b")).unwrap();
        again.write("file", b"x").unwrap();
        again.append("log").unwrap().write_all(b"x").unwrap();
        again.folder("c").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(store.path()), mode(&store.path_of("c"))], [0o700; 2]);
        assert_eq!(
            [mode(&store.path_of("file")), mode(&store.path_of("log"))],
            [0o600; 2]
        );
    }

    #[test]
    fn a_link_is_neither_read_nor_written_through_nor_entered() {
        let (top, store) = store();
        let outside = top.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        symlink(outside.join("secret"), store.path_of("file")).unwrap();
        symlink(&outside, store.path_of("folder")).unwrap();
        assert!(store.read("file", 99).is_err() && store.append("file").is_err());
        assert!(store.lock("file").is_err() && store.folder("folder").is_err());
        store.write("file", b"new").unwrap();
        assert_eq!(fs::read(outside.join("secret")).unwrap(), b"secret");
        assert_eq!(store.read("file", 99).unwrap(), b"new");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }

    #[test]
    fn what_is_too_long_or_no_file_is_refused() {
        let (_top, store) = store();
        store.write("file", b"four").unwrap();
        assert_eq!(store.read("file", 4).unwrap(), b"four");
        assert_eq!(
            store.read("file", 3).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
        store.folder("folder").unwrap();
        assert!(store.read("folder", 9).is_err());
        assert!(store.read_if_there("none", 9).unwrap().is_none());
    }
}
