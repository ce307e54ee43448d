//! A copy of a repository's folder, without its objects.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

/// Content of a folder, by relative paths: length, time of change and mode of files, and targets of links. Folders have
/// no entries of their own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) entries: BTreeMap<PathBuf, Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    File {
        length: u64,
        changed: i128,
        mode: u32,
    },
    Link(PathBuf),
    /// A socket, a pipe or a device.
    Special,
}

/// A copy of a repository, and its original.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) path: PathBuf,
    pub(super) real: PathBuf,
    pub(super) base: Snapshot,
    /// The copy as it was before the command.
    pub(super) begun: Snapshot,
}

impl Copy {
    /// Copies a repository's folder. An empty or missing one is copied as an empty one.
    pub(super) fn make(real: &Path, path: &Path) -> io::Result<Self> {
        for name in [OBJECTS].iter().chain(&SHARED) {
            refuse_links(real, Path::new(name))?;
        }
        let base = Snapshot::of(real)?;
        let bytes: u64 = base.entries.values().map(Entry::length).sum();
        if bytes > LARGEST {
            let why = format!(
                "{} has {bytes} bytes beside its objects, too many to copy",
                real.display()
            );
            return Err(io::Error::other(why));
        }
        private_folder(path)?;
        for (name, entry) in &base.entries {
            let to = path.join(name);
            private_folder(to.parent().unwrap_or(path))?;
            match entry {
                Entry::File { .. } => drop(fs::copy(real.join(name), to)?),
                Entry::Link(target) => symlink(target, to)?,
                Entry::Special => {}
            }
        }
        let copy = Self {
            begun: Snapshot::of(path)?,
            path: path.to_owned(),
            real: real.to_owned(),
            base,
        };
        copy.make_empty_folders()?;
        Ok(copy)
    }

    /// Creates the empty folders by which git recognizes a repository, and the reference to the existing objects
    /// (gitrepository-layout(5), objects/info/alternates).
    fn make_empty_folders(&self) -> io::Result<()> {
        if !self.real.join(OBJECTS).is_dir() {
            return Ok(());
        }
        for folder in [
            "refs/heads",
            "refs/tags",
            "objects/info",
            "objects/pack",
            BEFORE,
        ] {
            private_folder(&self.path.join(folder))?;
        }
        for shared in self.shared() {
            private_folder(&self.path.join(shared))?;
        }
        fs::write(self.path.join(ALTERNATES), format!("../{BEFORE}\n"))
    }

    /// Returns the read-only paths of the real one that the copy shows: source and target.
    pub(super) fn shown(&self) -> Vec<(PathBuf, PathBuf)> {
        let objects = self.real.join(OBJECTS);
        let objects = objects.is_dir().then(|| (objects, self.real.join(BEFORE)));
        let shared = self
            .shared()
            .map(|name| (self.real.join(name), self.real.join(name)));
        objects.into_iter().chain(shared).collect()
    }

    fn shared(&self) -> impl Iterator<Item = &'static str> {
        SHARED
            .into_iter()
            .filter(|name| self.real.join(name).is_dir())
    }

    /// Creates the folders that turn an ordinary folder into a repository.
    pub(super) fn complete(&self) -> io::Result<()> {
        if self.real.join(OBJECTS).is_dir() || !self.path.join("HEAD").is_file() {
            return Ok(());
        }
        if !self.real.is_dir() {
            fs::create_dir(&self.real)?;
        }
        fs::set_permissions(&self.real, fs::Permissions::from_mode(0o755))?;
        for folder in ["refs/heads", "refs/tags", "objects/info", "objects/pack"] {
            refuse_links(&self.real, Path::new(folder))?;
            fs::create_dir_all(self.real.join(folder))?;
        }
        Ok(())
    }

    /// Returns the objects that the command created, by relative paths.
    pub(super) fn new_objects(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let Ok(folders) = fs::read_dir(self.path.join(OBJECTS)) else {
            return Ok(found);
        };
        for folder in folders {
            let folder = folder?;
            let name = folder.file_name().to_string_lossy().into_owned();
            let is_loose = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !folder.file_type()?.is_dir() || !(is_loose || name == "pack") {
                continue;
            }
            for object in fs::read_dir(folder.path())? {
                let object = object?;
                let is_temporary = object.file_name().as_encoded_bytes().starts_with(b"tmp_");
                if object.file_type()?.is_file() && !is_temporary {
                    found.push(Path::new(OBJECTS).join(&name).join(object.file_name()));
                }
            }
        }
        // A pack counts from its index on, so that comes last.
        found.sort_by_key(|path| path.extension().is_some_and(|it| it == "idx"));
        Ok(found)
    }

    /// Adds objects to the real repository. Existing ones are left unchanged.
    pub(super) fn keep_objects(&self, objects: &[PathBuf]) -> io::Result<()> {
        for path in objects {
            if !self.real.join(path).exists() {
                self.keep(path)?;
            }
        }
        Ok(())
    }

    /// Replaces a file or link of the real repository atomically.
    pub(super) fn keep(&self, path: &Path) -> io::Result<()> {
        let (from, to) = (self.path.join(path), self.real.join(path));
        let folder = to.parent().unwrap_or(&self.real);
        refuse_links(&self.real, path.parent().unwrap_or(Path::new("")))?;
        fs::create_dir_all(folder)?;
        let temporary = folder.join(crate::agent::workspace::random_name());
        match fs::read_link(&from) {
            Ok(target) => symlink(target, &temporary)?,
            Err(_) => copy_file(&from, &temporary)?,
        }
        fs::rename(&temporary, to)
    }
}

impl Snapshot {
    /// Reads a repository's folder, except objects and parts that are only ever read.
    pub(super) fn of(folder: &Path) -> io::Result<Self> {
        let mut snapshot = Self::default();
        if folder.is_dir() {
            snapshot.look(folder, Path::new(""), 0)?;
        }
        Ok(snapshot)
    }

    fn look(&mut self, top: &Path, below: &Path, depth: usize) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(io::Error::other(format!(
                "{} is nested too deeply",
                below.display()
            )));
        }
        for entry in fs::read_dir(top.join(below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            let is_left_out = [OBJECTS, BEFORE]
                .iter()
                .chain(&SHARED)
                .any(|name| path == Path::new(name));
            let metadata = entry.metadata()?;
            if is_left_out {
                continue;
            }
            if metadata.is_dir() {
                self.look(top, &path, depth + 1)?;
            } else {
                let target = fs::read_link(entry.path());
                self.entries.insert(path, Entry::of(&metadata, target.ok()));
            }
        }
        Ok(())
    }
}

impl Entry {
    fn of(metadata: &fs::Metadata, target: Option<PathBuf>) -> Self {
        match target {
            Some(target) => Self::Link(target),
            None if metadata.is_file() => Self::File {
                length: metadata.len(),
                changed: i128::from(metadata.ctime()) * 1_000_000_000
                    + i128::from(metadata.ctime_nsec()),
                mode: metadata.mode() & 0o777,
            },
            None => Self::Special,
        }
    }

    const fn length(&self) -> u64 {
        match self {
            Self::File { length, .. } => *length,
            Self::Link(_) | Self::Special => 0,
        }
    }
}

/// Refuses links in place of a repository's folders: they may lead anywhere, and this program, which has no sandbox,
/// would follow them.
fn refuse_links(top: &Path, below: &Path) -> io::Result<()> {
    let paths = below.ancestors().map(|path| top.join(path));
    let mut paths = paths.take_while(|path| path != top);
    match paths.find(|path| path.is_symlink()) {
        None => Ok(()),
        Some(link) => Err(io::Error::other(format!(
            "{} is a link, and commands may not change its target",
            link.display()
        ))),
    }
}

/// Copies a file that a command created: no links or pipes, and of its mode only the executable bit.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = fs::File::options();
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut from = options
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(from)?;
    let metadata = from.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut copy = fs::File::create_new(to)?;
    io::copy(&mut from, &mut copy)?;
    if metadata.mode() & 0o100 != 0 {
        copy.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    copy.sync_all()
}

fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

const OBJECTS: &str = "objects";
const ALTERNATES: &str = "objects/info/alternates";
/// Name of the real objects in the copy.
const BEFORE: &str = "objects-before";
/// Large folders that only commands for other repositories change.
const SHARED: [&str; 3] = ["modules", "lfs", "annex"];
const LARGEST: u64 = 256 << 20;
const DEEPEST: usize = 64;
