//! Presents the changes of a command to the user, and evaluates the choice.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    io::Read,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use similar::TextDiff;

use super::{
    change::{Change, open},
    ignored::Ignored,
    manifest::{Kind, Stamp},
    marks::{Mark, Obeyed},
    merge::Left,
};
use crate::agent::workspace::{Changed, How};

/// A change as shown, and the numbers of its parts.
pub(super) struct Item {
    pub(super) shown: Changed,
    parts: Vec<usize>,
}

/// Groups changes that are shown together: a removed folder, files that git ignores.
pub(super) fn items(root: &Path, made: &Path, changes: &[Change], obeyed: &Obeyed) -> Vec<Item> {
    let mut ignored = Ignored::of(root);
    let gone: BTreeSet<&Path> = changes
        .iter()
        .filter(|it| it.after.is_none())
        .map(|it| &*it.path)
        .collect();
    let filled: BTreeSet<&Path> = changes
        .iter()
        .filter(|it| it.after.is_some())
        .filter_map(|it| it.path.parent())
        .collect();
    let mut groups: BTreeMap<(PathBuf, bool), Vec<usize>> = BTreeMap::new();
    for (number, change) in changes.iter().enumerate() {
        let is_folder =
            |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(|it| it.kind == Kind::Folder);
        if change.before.is_none()
            && is_folder(&change.after)
            && filled.contains(&*change.path)
            && !gone.contains(&*change.path)
        {
            // It comes with what is in it.
            continue;
        }
        let is_at_once = obeyed
            .marks(&change.path)
            .iter()
            .any(|mark| mark.is_immediate);
        let heap = ignored.top_of(
            &change.path,
            is_folder(&change.after) || is_folder(&change.before),
        );
        let repository = obeyed.accepted_top(&change.path);
        let key = match (heap, repository) {
            (_, Some(top)) => (top.clone(), false),
            (Some(top), None) if !is_at_once => (top, true),
            _ => {
                let above = change
                    .path
                    .ancestors()
                    .filter(|path| gone.contains(path))
                    .last();
                let top = above.filter(|_| change.after.is_none() || gone.contains(&*change.path));
                (top.unwrap_or(&change.path).to_owned(), false)
            }
        };
        groups.entry(key).or_default().push(number);
    }
    let make = |((path, is_heap), parts): ((PathBuf, bool), Vec<usize>)| {
        let all: Vec<&Change> = parts.iter().map(|part| &changes[*part]).collect();
        Item {
            shown: shown(root, made, (&path, is_heap), &all, obeyed),
            parts,
        }
    };
    groups.into_iter().map(make).collect()
}

fn shown(
    root: &Path,
    made: &Path,
    (path, is_heap): (&Path, bool),
    parts: &[&Change],
    obeyed: &Obeyed,
) -> Changed {
    let size = |change: &&Change| {
        change
            .after
            .as_ref()
            .or(change.before.as_ref())
            .map_or(0, |it| match it.kind {
                Kind::File => it.size,
                _ => 0,
            })
    };
    let is_file = |change: &&&Change| {
        let stamp = change.after.as_ref().or(change.before.as_ref());
        stamp.is_some_and(|it| it.kind != Kind::Folder)
    };
    let mut marks: Vec<Mark> = Vec::new();
    for mark in parts
        .iter()
        .filter(|_| !is_heap)
        .flat_map(|change| obeyed.marks(&change.path))
    {
        if !marks.iter().any(|known| known.words == mark.words) {
            marks.push(mark);
        }
    }
    let is_gone = parts.iter().all(|change| change.after.is_none());
    let is_new = parts.iter().all(|change| change.before.is_none());
    let files = parts.iter().filter(is_file).count();
    let bytes = parts.iter().map(size).sum();
    let text = match parts {
        _ if is_heap => format!("{files} files that git ignores, {bytes} bytes\n"),
        [one] => one.text(root, made),
        _ if is_gone => format!("a folder with {files} files, {bytes} bytes\n"),
        _ => parts.iter().map(|part| part.text(root, made)).collect(),
    };
    let name = path.to_string_lossy().into_owned();
    let secret = parts
        .iter()
        .filter(|_| !is_heap && !is_gone)
        .find_map(|change| change.secret(made));
    let mut words: Vec<String> = marks.iter().map(|mark| mark.words.clone()).collect();
    words.extend(secret.map(|why| format!("it may be a secret: {why}")));
    Changed {
        how: match (is_heap, is_gone, is_new) {
            (true, ..) => How::Ignored,
            (_, true, _) => How::Deleted,
            (.., true) => How::New,
            _ => How::Changed,
        },
        path: name,
        text,
        is_obeyed_at_once: marks.iter().any(|mark| mark.is_immediate),
        marks: words,
        files,
        bytes,
    }
}

impl Change {
    fn text(&self, root: &Path, made: &Path) -> String {
        let mut text = String::new();
        if let (Some(before), Some(after)) = (&self.before, &self.after)
            && before.mode != after.mode
        {
            text += &format!("mode {:o} -> {:o}\n", before.mode, after.mode);
        }
        match self
            .after
            .as_ref()
            .or(self.before.as_ref())
            .map(|stamp| &stamp.kind)
        {
            Some(Kind::Link(target)) => {
                let gone = if self.after.is_none() { "was " } else { "" };
                text += &format!("{gone}a link to {}\n", OsStr::from_bytes(target).display());
            }
            Some(Kind::Folder) if self.before.is_none() => text += "an empty folder\n",
            Some(Kind::File) => {
                if self.before.is_none()
                    && self.after.as_ref().is_some_and(|it| it.mode & 0o111 != 0)
                {
                    text += "a program\n";
                }
                text += &self.difference(root, made);
            }
            _ => {}
        }
        text
    }

    fn difference(&self, root: &Path, made: &Path) -> String {
        let is_file =
            |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(|it| it.kind == Kind::File);
        let read = |is_there: bool, top: &Path| is_there.then(|| short(&top.join(&self.path)));
        let (old, new) = (
            read(is_file(&self.before), root),
            read(is_file(&self.after), made),
        );
        let text = |content: Option<Option<Vec<u8>>>| match content {
            None => Some(String::new()),
            Some(content) => String::from_utf8(content?)
                .ok()
                .filter(|text| !text.contains('\0')),
        };
        match (text(old), text(new)) {
            (Some(old), Some(new)) => {
                let diff = TextDiff::from_lines(&old, &new);
                diff.unified_diff().context_radius(3).to_string()
            }
            _ => {
                let size = |stamp: &Option<Stamp>| stamp.as_ref().map_or(0, |it| it.size);
                format!(
                    "not text, or too long to show: {} -> {} bytes\n",
                    size(&self.before),
                    size(&self.after)
                )
            }
        }
    }

    fn secret(&self, made: &Path) -> Option<&'static str> {
        let after = self.after.as_ref().filter(|it| it.kind == Kind::File)?;
        let content = (after.size <= LONGEST)
            .then(|| short(&made.join(&self.path)))
            .flatten();
        flylead_core::agent::looks_secret(
            &self.path.to_string_lossy(),
            &content.unwrap_or_default(),
        )
    }
}

/// Returns the content of a file that is short enough to show.
fn short(path: &Path) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    open(path)
        .ok()?
        .take(LONGEST + 1)
        .read_to_end(&mut content)
        .ok()?;
    (content.len() as u64 <= LONGEST).then_some(content)
}

/// Returns the chosen changes with the folders that they need, and the notes for the LLM.
pub(super) fn chosen(
    changes: &[Change],
    items: &[Item],
    accepted: &[bool],
) -> (Vec<Change>, Vec<String>) {
    let is_chosen = |number: usize| accepted.get(number) == Some(&true);
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    for (_, item) in items
        .iter()
        .enumerate()
        .filter(|(number, _)| is_chosen(*number))
    {
        wanted.extend(&item.parts);
    }
    let needed: BTreeSet<&Path> = wanted
        .iter()
        .filter(|number| changes[**number].after.is_some())
        .flat_map(|number| changes[*number].path.ancestors().skip(1))
        .collect();
    let is_new_folder = |change: &Change| {
        change.before.is_none()
            && change
                .after
                .as_ref()
                .is_some_and(|it| it.kind == Kind::Folder)
    };
    let chosen = changes.iter().enumerate().filter(|(number, change)| {
        wanted.contains(number) || (is_new_folder(change) && needed.contains(&*change.path))
    });
    let chosen = chosen.map(|(_, change)| change.clone()).collect();
    let of = |is_wanted: bool| {
        let items = items
            .iter()
            .enumerate()
            .filter(move |(number, _)| is_chosen(*number) == is_wanted);
        items
            .map(|(_, item)| item.shown.in_short())
            .collect::<Vec<_>>()
    };
    let mut notes = Vec::new();
    notes.extend(listed(&of(true)).map(|list| format!("changed: {list}")));
    notes.extend(listed(&of(false)).map(|list| format!("the person did not accept: {list}")));
    (chosen, notes)
}

/// Names the paths that the user changed meanwhile, and those that could not be written.
pub(super) fn left(left: &[Left]) -> Option<String> {
    let list: Vec<_> = left
        .iter()
        .map(|(path, why)| format!("{} ({why})", path.display()))
        .collect();
    listed(&list).map(|list| {
        format!("left as it is, because it was changed meanwhile or cannot be written: {list}")
    })
}

pub(super) fn left_out(left_out: &[(PathBuf, &str)]) -> Option<String> {
    let list: Vec<_> = left_out
        .iter()
        .map(|(path, why)| format!("{} ({why})", path.display()))
        .collect();
    listed(&list).map(|list| format!("not applied: {list}"))
}

fn listed(list: &[String]) -> Option<String> {
    let more = match list.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let named = &list[..list.len().min(MOST_NAMED)];
    (!list.is_empty()).then(|| named.join(", ") + &more)
}

/// Returns the folders of the repositories that contain these changes.
pub(super) fn tops(changes: &[Change], repositories: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let top = |change: &Change| {
        let mut above: Vec<&Path> = change.path.ancestors().collect();
        above.reverse();
        let found = above.into_iter().find(|path| {
            super::manifest::is_git(path.file_name().unwrap_or_default())
                || (!path.as_os_str().is_empty() && repositories.contains(*path))
        });
        found.unwrap_or(&change.path).to_owned()
    };
    changes.iter().map(top).collect()
}

const LONGEST: u64 = 256 * 1024;
const MOST_NAMED: usize = 30;
