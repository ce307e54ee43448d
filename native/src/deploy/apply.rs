//! Carries out a plan.

use flylead_core::board::{Error, Request};
use sha2::{Digest as _, Sha256};

use crate::{Board, BoardError};

use super::{
    Content, Fault, Item, Listener, Plan, Sizes, Skipped, Source, Step, directories, join, send,
    send::is_about_one, with_parents,
};

/// Changes made to a board, by names relative to the target.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Done {
    /// Copied files and created directories; names of directories end in a slash.
    pub copied: Vec<String>,
    /// Removed files and directories.
    pub removed: Vec<String>,
}

/// Carries out the plan below `target`. An old file is replaced only once the new one has arrived completely, unless
/// `in_place`.
///
/// # Errors
/// The board is lost, or has no space. Earlier changes stay; items that the board refuses are noted in `skipped`.
pub async fn apply(
    board: &mut Board,
    plan: &Plan,
    source: &mut Source,
    target: &str,
    in_place: bool,
    skipped: &mut Skipped,
    listener: &mut impl Listener,
) -> Result<Done, Fault> {
    let mut done = Done::default();
    remove(board, target, &plan.clear, &mut done, skipped).await?;
    let mut items = plan.items(source, target);
    for item in &mut items {
        item.in_place = in_place;
    }
    let mut noted = Noted {
        inner: listener,
        plan,
        target,
        copied: Vec::new(),
    };
    let sent = send(board, &items, Some(&mut *skipped), &mut noted).await;
    done.copied = noted.copied;
    sent?;
    remove(board, target, &plan.remove, &mut done, skipped).await?;
    Ok(done)
}

/// Listener that records finished steps.
struct Noted<'a, L> {
    inner: &'a mut L,
    plan: &'a Plan,
    target: &'a str,
    copied: Vec<String>,
}

impl<L: Listener> Listener for Noted<'_, L> {
    fn begins(&mut self, total: u64) {
        self.inner.begins(total);
    }

    fn is_at(&mut self, item: &Item, done: u64) {
        self.inner.is_at(item, done);
    }

    fn sent(&mut self, item: &Item, bytes: usize) -> Result<(), Fault> {
        let is_it = |step: &&Step| join(self.target, &step.name) == item.path;
        // Directories above the target are not steps.
        let step = self.plan.copy.iter().find(is_it);
        self.copied.extend(step.map(ToString::to_string));
        self.inner.sent(item, bytes)
    }
}

impl Plan {
    /// Lists the items to send, and the directories they need.
    fn items(&self, source: &mut Source, target: &str) -> Vec<Item> {
        if self.copy.is_empty() {
            return Vec::new();
        }
        let (folders, files): (Vec<_>, Vec<_>) =
            self.copy.iter().partition(|step| step.is_directory);
        let folders = folders.iter().map(|step| join(target, &step.name));
        let mut items = directories([target.to_owned()].into_iter().chain(folders));
        items.extend(files.iter().map(|step| {
            let (path, from) = (join(target, &step.name), source.root.join(&step.name));
            match source.contents.remove(&step.name) {
                Some(content) => Item::new(path, Content::Bytes(content, from)),
                None => Item::file(path, from),
            }
        }));
        items
    }
}

async fn remove(
    board: &mut Board,
    root: &str,
    steps: &[Step],
    done: &mut Done,
    skipped: &mut Skipped,
) -> Result<(), Fault> {
    for step in steps {
        let path = join(root, &step.name);
        let removed = board.request(Request::Remove { path: path.clone() }, |_| ());
        match removed.await {
            Ok(_) => done.removed.push(step.to_string()),
            Err(error) => match is_about_one(&error) {
                Some(reason) => skipped.add(format_args!(":{path}"), reason),
                None => return Err(Fault::at(path)(error)),
            },
        }
    }
    Ok(())
}

/// Sends the files whose hashes differ from those on the board, after the directories they need, and returns the paths
/// of the sent ones. No old file is left half replaced.
///
/// # Errors
/// A local file cannot be read, the board refuses a file, or the board is lost.
pub async fn send_changed(
    board: &mut Board,
    files: Vec<Item>,
    listener: &mut impl Listener,
) -> Result<Vec<String>, Fault> {
    let mut changed = Vec::new();
    let sizes = Sizes::beside(board, files.iter().map(|file| file.path.as_str())).await?;
    for file in files {
        let from = file.from().map(std::path::Path::to_owned);
        let entry = file.load();
        let entry = entry.map_err(|error| Fault::Here(from.unwrap_or_default(), error))?;
        let data = entry.data();
        let same = sizes.may_have(&file.path, data.len()) && {
            let same = is_same(board, &file.path, data).await;
            same.map_err(Fault::at(file.path.as_str()))?
        };
        if !same {
            changed.push(file);
        }
    }
    let paths = changed.iter().map(|item| item.path.clone()).collect();
    send(board, &with_parents(changed), None, listener).await?;
    Ok(paths)
}

async fn is_same(board: &mut Board, path: &str, data: &[u8]) -> Result<bool, BoardError> {
    match board.sha256(path).await {
        Ok(hash) => Ok(hash == <[u8; 32]>::from(Sha256::digest(data))),
        Err(BoardError::File(Error::NotFound | Error::NotDirectory | Error::IsDirectory)) => {
            Ok(false)
        }
        // A board without SHA-256 is a small one.
        Err(BoardError::File(Error::Unsupported { .. })) => match board.read(path, |_| ()).await {
            Ok(there) => Ok(there == data),
            Err(BoardError::File(Error::NotFound)) => Ok(false),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}
