//! Files of this computer that are copied to a board.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    thread,
};

use clap::Args;
use flylead_core::agent::path;
use flylead_native::deploy::Rules;
use tokio::sync::oneshot;

use super::{Exit, Failure};

/// Rules for following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub(crate) struct Links {
    /// Also send the targets of links that lead out of the named folder
    #[arg(long)]
    pub(crate) unsafe_links: bool,
}

/// Rules for sending a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub(crate) struct Chosen {
    #[command(flatten)]
    links: Links,
    /// Also send .git, caches, secrets and files that git ignores
    #[arg(long)]
    all: bool,
}

impl Chosen {
    pub(crate) const fn rules(self) -> Rules {
        Rules {
            unsafe_links: self.links.unsafe_links,
            everything: self.all,
        }
    }
}

/// Returns the path of a board's name below a folder of this computer, unless the name is invalid here or leads out of
/// the folder.
pub(crate) fn below(root: &Path, name: &str) -> Result<PathBuf, &'static str> {
    let leads_out = |part: &str| matches!(part, "" | "." | "..");
    if name.split('/').any(leads_out) || name.contains('\0') {
        return Err("not a valid file name on this computer");
    }
    if cfg!(windows) && name.split('/').any(path::is_refused_by_windows) {
        return Err("not a valid file name on Windows");
    }
    Ok(root.join(name))
}

/// Returns the content of a file that a person named. A pipe or a device may block its readers, so a thread reads it.
pub(crate) async fn read_local(path: &Path) -> Result<Vec<u8>, Failure> {
    let from = path.to_owned();
    in_thread(move || read_limited(&from))
        .await
        .map_err(here(path))
}

/// Reads a file up to a limit: a device such as /dev/zero never ends, and no board holds as much.
fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        return fs::read(path);
    }
    let mut content = Vec::new();
    File::open(path)?
        .take(LONGEST_STREAM + 1)
        .read_to_end(&mut content)?;
    match content.len() as u64 > LONGEST_STREAM {
        true => Err(io::Error::other(
            "it is longer than 64 MiB, more than a board can hold",
        )),
        false => Ok(content),
    }
}

const LONGEST_STREAM: u64 = 64 << 20;

/// Runs work that may take forever in a thread, so that a caller that gives up waiting does not depend on its end.
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
