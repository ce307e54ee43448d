//! Compares the copy of a repository before and after a command.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use similar::TextDiff;

use super::{
    GitChange,
    copy::{Copy, Entry, Snapshot},
};

/// A file or link that has changed; `None` where it does not exist.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    after: Option<Entry>,
}

/// Returns the differences between two states of a copy.
fn changes(before: &Snapshot, after: &Snapshot) -> Vec<Change> {
    let gone = before
        .entries
        .keys()
        .filter(|path| !after.entries.contains_key(*path));
    let gone = gone.map(|path| (path, None));
    let changed = after
        .entries
        .iter()
        .filter(|(path, entry)| before.entries.get(*path) != Some(entry));
    let changed = changed.map(|(path, entry)| (path, Some(entry.clone())));
    let all = gone.chain(changed).filter(|(path, _)| !is_passing(path));
    all.map(|(path, after)| Change {
        path: path.clone(),
        after,
    })
    .collect()
}

/// Returns the changes of the copy that the real repository lacks, by content and mode.
pub(super) fn of_copy(copy: &Copy, now: &Snapshot) -> Vec<Change> {
    let mut changes = changes(&copy.begun, now);
    changes.retain(|change| !change.is_rewritten(copy));
    changes
}

impl Change {
    /// Returns true for parts of commits, branches and the index. git runs nothing because of these
    /// (gitrepository-layout(5)); unknown parts may be obeyed.
    pub(super) fn is_ordinary(&self) -> bool {
        // A further working tree has the like of its own (gitrepository-layout(5), worktrees/<id>).
        let own = self.path.strip_prefix("worktrees").ok();
        let own = own.map(|path| path.components().skip(1).collect::<PathBuf>());
        let path = own.as_deref().unwrap_or(&self.path);
        let text = path.to_string_lossy();
        let is_file = !matches!(self.after, Some(Entry::Link(_) | Entry::Special));
        is_file
            && (ORDINARY.contains(&&*text)
                || (text.starts_with("hooks/") && text.ends_with(".sample"))
                || ["refs/", "logs/"]
                    .iter()
                    .any(|folder| text.starts_with(folder)))
    }

    pub(super) fn is_index(&self) -> bool {
        self.path == Path::new("index")
    }

    /// Returns true if the content was only rewritten, not changed.
    fn is_rewritten(&self, copy: &Copy) -> bool {
        let Some(Entry::File { length, mode, .. }) = &self.after else {
            return false;
        };
        let is_like = |entry: &Entry| matches!(entry, Entry::File { length: l, mode: m, .. } if l == length && m == mode);
        let read = |folder: &Path| fs::read(folder.join(&self.path)).ok();
        copy.begun.entries.get(&self.path).is_some_and(is_like)
            && read(&copy.path) == read(&copy.real)
    }

    /// Describes the change to the user.
    pub(super) fn shown(&self, copy: &Copy, name: &str) -> GitChange {
        let text = match &self.after {
            Some(Entry::Link(target)) => format!("a link to {}\n", target.display()),
            Some(Entry::Special) => "a socket, a pipe or a device; it is not kept\n".to_owned(),
            Some(Entry::File { mode, .. }) => {
                let program = if mode & 0o100 == 0 { "" } else { "a program\n" };
                program.to_owned() + &self.difference(copy)
            }
            None => self.difference(copy),
        };
        GitChange {
            path: format!("{name}/{}", self.path.display()),
            text,
        }
    }

    fn difference(&self, copy: &Copy) -> String {
        difference(&copy.real.join(&self.path), &copy.path.join(&self.path))
    }

    /// Applies the change to the real repository.
    pub(super) fn keep(&self, copy: &Copy) -> io::Result<()> {
        match &self.after {
            None => fs::remove_file(copy.real.join(&self.path)),
            Some(Entry::Special) => Ok(()),
            Some(_) => copy.keep(&self.path),
        }
    }
}

/// Returns true for locks and temporary files, which are leftovers once the command has ended.
fn is_passing(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "lock")
        || path.file_name().is_some_and(|name| name == "gc.pid")
}

fn difference(before: &Path, after: &Path) -> String {
    let read = |path: &Path| {
        let is_file = path
            .symlink_metadata()
            .is_ok_and(|it| it.is_file() && it.len() <= LONGEST);
        let content = is_file.then(|| fs::read(path).ok()).flatten();
        String::from_utf8_lossy(&content.unwrap_or_default()).into_owned()
    };
    let length = |path: &Path| path.symlink_metadata().map_or(0, |it| it.len());
    if length(before).max(length(after)) > LONGEST {
        return format!("{} bytes, too long to show\n", length(after));
    }
    let (before, after) = (read(before), read(after));
    TextDiff::from_lines(&before, &after)
        .unified_diff()
        .context_radius(3)
        .to_string()
}

const ORDINARY: [&str; 16] = [
    "HEAD",
    "description",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "AUTO_MERGE",
    "MERGE_MSG",
    "MERGE_MODE",
    "SQUASH_MSG",
    "COMMIT_EDITMSG",
    "TAG_EDITMSG",
    "index",
    "packed-refs",
    "shallow",
];
const LONGEST: u64 = 256 * 1024;
