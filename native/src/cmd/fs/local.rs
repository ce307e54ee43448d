//! The files of this computer that are copied to a board.

use std::{
    fs::{self, DirEntry},
    io,
    path::{Path, PathBuf},
    thread,
};

use clap::Args;
use flylead::disk;
use flylead_core::agent::path;
use tokio::sync::oneshot;

use super::{Exit, Failure, Skipped, join};

/// A file or directory of this computer, its name relative to the tree's root, with slashes.
#[derive(Debug)]
pub(crate) struct LocalFile {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Whether a link leads to the directory that it is in, which may be somebody else's.
    pub(crate) is_linked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    /// It is there and cannot be copied, nor can what is below it.
    Skipped,
}

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub(crate) struct Links {
    /// Send what links lead to outside of the folder that you named, too
    #[arg(long)]
    pub(crate) unsafe_links: bool,
}

impl Links {
    /// All of them: nothing is sent.
    pub(crate) const ALL: Self = Self { unsafe_links: true };
}

/// All that is below a directory, directories before what is in them. Links are followed, for boards have none; one that
/// leads out of the directory is skipped unless `links` has it followed, as it may show a secret to the board.
///
/// # Errors
/// The directory itself cannot be read. What else cannot be copied is skipped.
pub(crate) fn local_tree(
    root: &Path,
    links: Links,
    skipped: &mut Skipped,
) -> Result<Vec<LocalFile>, Failure> {
    let mut walk = Walk {
        root,
        links,
        files: Vec::new(),
        skipped,
    };
    let start = Directory {
        name: String::new(),
        real: fs::canonicalize(root).map_err(here(root))?,
        is_linked: false,
        above: Vec::new(),
    };
    let mut open = walk.enter(&start).map_err(here(root))?;
    while let Some(directory) = open.pop() {
        match walk.enter(&directory) {
            Ok(below) => open.extend(below),
            Err(error) => walk.skip(directory.name, error),
        }
    }
    let mut files = walk.files;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// A directory that is to be read.
struct Directory {
    name: String,
    /// Its path without any link in it.
    real: PathBuf,
    is_linked: bool,
    /// The real paths of the directories that the walk came through.
    above: Vec<PathBuf>,
}

struct Walk<'a> {
    root: &'a Path,
    links: Links,
    files: Vec<LocalFile>,
    skipped: &'a mut Skipped,
}

impl Walk<'_> {
    /// Notes what is in a directory, and returns the directories among it.
    fn enter(&mut self, directory: &Directory) -> io::Result<Vec<Directory>> {
        let mut below = Vec::new();
        for entry in fs::read_dir(self.root.join(&directory.name))? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                self.skipped
                    .add(entry.path().display(), "its name is not UTF-8");
                continue;
            };
            let name = join(&directory.name, &name);
            match look_at(self.root, self.links, &entry, &name, directory) {
                Ok((kind, subdirectory)) => {
                    below.extend(subdirectory);
                    self.files.push(LocalFile {
                        name,
                        kind,
                        is_linked: directory.is_linked,
                    });
                }
                Err(reason) => self.skip(name, reason),
            }
        }
        Ok(below)
    }

    fn skip(&mut self, name: String, reason: impl ToString) {
        self.skipped.add(self.root.join(&name).display(), reason);
        self.files.retain(|file| file.name != name);
        self.files.push(LocalFile {
            name,
            kind: Kind::Skipped,
            is_linked: false,
        });
    }
}

/// What an entry is, or why it is skipped.
fn look_at(
    root: &Path,
    links: Links,
    entry: &DirEntry,
    name: &str,
    parent: &Directory,
) -> Result<(Kind, Option<Directory>), String> {
    let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let metadata = fs::metadata(entry.path()).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if is_link => "it is a link to nothing".to_owned(),
        _ => error.to_string(),
    })?;
    let is_refused = is_link && !links.unsafe_links;
    if is_refused && disk::leads_out(root, &entry.path()).map_err(|error| error.to_string())? {
        return Err("it is a link that leads out of the folder; --unsafe-links sends it".into());
    }
    if metadata.is_file() {
        return Ok((Kind::File, None));
    }
    if !metadata.is_dir() {
        return Err("it is neither a file nor a directory".into());
    }
    let real = fs::canonicalize(entry.path()).map_err(|error| error.to_string())?;
    let above = [parent.above.as_slice(), std::slice::from_ref(&parent.real)].concat();
    if above.contains(&real) {
        return Err("it is a link to a directory that it is in".into());
    }
    let directory = Directory {
        name: name.to_owned(),
        real,
        is_linked: parent.is_linked || is_link,
        above,
    };
    Ok((Kind::Directory, Some(directory)))
}

/// A board's name below a folder of this computer, unless it is none here or leads out of the folder.
pub(crate) fn below(root: &Path, name: &str) -> Result<PathBuf, &'static str> {
    let leads_out = |part: &str| matches!(part, "" | "." | "..");
    if name.split('/').any(leads_out) || name.contains('\0') {
        return Err("it is no name for this computer");
    }
    if cfg!(windows) && name.split('/').any(path::is_refused_by_windows) {
        return Err("Windows has no such name");
    }
    Ok(root.join(name))
}

/// The content of a file that a person named. A pipe or a device may keep its readers waiting, so a thread waits.
pub(crate) async fn read_local(path: &Path) -> Result<Vec<u8>, Failure> {
    let from = path.to_owned();
    in_thread(move || fs::read(from)).await.map_err(here(path))
}

/// Does something that may take for ever: whoever gives up waiting need not wait for its end.
pub(crate) async fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let (answer, answered) = oneshot::channel();
    thread::spawn(move || answer.send(work()));
    let panicked = |_| io::Error::other("it ended early");
    answered.await.map_err(panicked)?
}

pub(crate) fn here(path: &Path) -> impl Fn(io::Error) -> Failure + '_ {
    move |error| Failure::new(Exit::Usage, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boards_name_cannot_lead_out_of_the_folder() {
        let root = Path::new("copy");
        for name in ["../x", "/etc/x", "a//b", "a/..", ".", "a\0b"] {
            assert!(below(root, name).is_err(), "{name}");
        }
        assert_eq!(below(root, "lib/a b.py"), Ok(root.join("lib/a b.py")));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_windows_alone_refuses_is_one_here() {
        for name in ["C:x", "a\\b", "con", "what?"] {
            assert_eq!(below(Path::new(""), name), Ok(PathBuf::from(name)));
        }
    }
}
