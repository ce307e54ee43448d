//! Walks from the root to a file's directory, one handle at a time.

use std::{
    ffi::OsString,
    io,
    path::{Component, Path},
};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions};
use flylead_core::agent::path::WorkspacePath;

use super::FileError;

/// A name in a directory held open, both inside the workspace.
pub(super) struct Place {
    pub(super) dir: Dir,
    pub(super) name: OsString,
    /// The names from the root to here, links resolved.
    pub(super) path: Vec<String>,
}

/// Treatment of the last name and of missing directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Follow links to the end.
    Read,
    /// Create missing directories.
    Write,
    /// Neither.
    Delete,
}

/// Walk through the directories below the root. Links are read and walked like paths, so each step is one name in a
/// directory held open.
struct Walk {
    open: Vec<(Dir, String)>,
    root: Dir,
    /// Names that remain to be walked, the next one last.
    rest: Vec<OsString>,
    links: usize,
    /// Number of names that remain once those of the last link are walked.
    own: usize,
}

impl Place {
    pub(super) fn find(
        root: &Dir,
        path: &WorkspacePath,
        purpose: Purpose,
    ) -> Result<Self, FileError> {
        let rest = path.components().rev().map(OsString::from).collect();
        let mut walk = Walk {
            open: Vec::new(),
            root: root.try_clone()?,
            rest,
            links: 0,
            own: usize::MAX,
        };
        while let Some(name) = walk.rest.pop() {
            if name == ".." {
                walk.open.pop().ok_or(FileError::Outside)?;
            } else if walk.rest.is_empty() {
                match walk.last(&name, purpose)? {
                    Some(place) => return Ok(place),
                    None => continue,
                }
            } else {
                walk.enter(&name, purpose)?;
            }
        }
        Err(FileError::Directory)
    }

    /// Returns the place as a path, with links resolved.
    pub(super) fn resolved(&self) -> String {
        self.path.join("/")
    }
}

impl Walk {
    fn here(&self) -> &Dir {
        self.open.last().map_or(&self.root, |(dir, _)| dir)
    }

    /// Walks the last name; `None` if it was a link, which is walked next.
    fn last(&mut self, name: &OsString, purpose: Purpose) -> Result<Option<Place>, FileError> {
        if purpose == Purpose::Read && self.is_link(name)? {
            self.follow(name)?;
            return Ok(None);
        }
        let mut path: Vec<String> = self.open.iter().map(|(_, name)| name.clone()).collect();
        path.push(name.to_string_lossy().into_owned());
        Ok(Some(Place {
            dir: self.here().try_clone()?,
            name: name.clone(),
            path,
        }))
    }

    /// Enters a directory without following a link; the names of a link are walked instead.
    fn enter(&mut self, name: &OsString, purpose: Purpose) -> Result<(), FileError> {
        let opened = match self.here().open_dir_nofollow(Path::new(name)) {
            // No folders are created for a link that leads nowhere.
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && purpose == Purpose::Write
                    && self.rest.len() >= self.own =>
            {
                return Err(FileError::Link);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && purpose == Purpose::Write => {
                create_directory(self.here(), name)?;
                self.here().open_dir_nofollow(Path::new(name))
            }
            opened => opened,
        };
        match opened {
            Ok(dir) => {
                self.open.push((dir, name.to_string_lossy().into_owned()));
                Ok(())
            }
            Err(error) if self.is_link(name).unwrap_or(false) => {
                drop(error);
                self.follow(name)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn is_link(&self, name: &OsString) -> Result<bool, FileError> {
        match self.here().symlink_metadata(name) {
            Ok(metadata) => Ok(metadata.is_symlink()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn follow(&mut self, name: &OsString) -> Result<(), FileError> {
        self.links += 1;
        if self.links > LINK_LIMIT {
            return Err(FileError::Link);
        }
        if self.rest.len() < self.own {
            self.own = self.rest.len();
        }
        let target = self.here().read_link_contents(name)?;
        for component in target.components().rev() {
            match component {
                Component::Normal(name) => self.rest.push(name.to_owned()),
                Component::ParentDir => self.rest.push("..".into()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(FileError::Outside),
            }
        }
        Ok(())
    }
}

fn create_directory(dir: &Dir, name: &OsString) -> io::Result<()> {
    match dir.create_dir(name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

/// Returns options for reading, without following a link or waiting for the other end of a pipe.
pub(crate) fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options
}

const LINK_LIMIT: usize = 40;
