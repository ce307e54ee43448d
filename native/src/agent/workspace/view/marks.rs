//! Finds the files that git obeys according to git itself, and the programs that obey a file by its name or a link to
//! it.
//!
//! No list of settings is complete, so each word of each setting and hook is treated as a path; a path to a file that a
//! command has changed yields a mark.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    os::unix::ffi::OsStringExt,
    path::{Component, Path, PathBuf},
    process::Command,
};

use super::{
    super::runs::{GIT, kept, runs_by_itself},
    change::Change,
    manifest::{Kind, Manifest},
    repositories::around,
};
use crate::os::state;

/// Everything in a workspace that a program obeys, apart from names that are obeyed as such.
#[derive(Debug, Default)]
pub(super) struct Obeyed {
    /// Paths with reasons; everything below such a path is obeyed, too.
    paths: BTreeSet<(PathBuf, String)>,
    /// Single files with reasons.
    files: BTreeSet<(PathBuf, String)>,
    /// Repositories whose folders have other names than `.git`.
    pub(super) repositories: BTreeSet<PathBuf>,
    /// New repositories that the user has accepted.
    pub(super) accepted: BTreeSet<PathBuf>,
}

/// Reason to review a change.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) words: String,
    /// True if a program obeys the file as soon as it exists.
    pub(super) is_immediate: bool,
}

impl Obeyed {
    /// Queries git and the links of a workspace. The changes determine what is a repository afterwards.
    pub(super) fn of(root: &Path, base: &Manifest, changes: &[Change]) -> Self {
        let mut obeyed = Self::default();
        let mut tops: BTreeSet<PathBuf> = base
            .gits
            .iter()
            .filter_map(|git| root.join(git).parent().map(Path::to_owned))
            .take(MOST_ASKED)
            .collect();
        tops.extend(around(root));
        for top in &tops {
            obeyed.ask_git(root, top);
        }
        obeyed.follow_links(root, base);
        obeyed.find_repositories(root, base, changes);
        obeyed
    }

    /// Returns the reasons to review a path.
    pub(super) fn marks(&self, path: &Path) -> Vec<Mark> {
        if self.accepted_top(path).is_some() {
            return Vec::new();
        }
        let mut marks: Vec<Mark> = self
            .paths
            .iter()
            .filter(|(obeyed, _)| path.starts_with(obeyed))
            .chain(self.files.iter().filter(|(obeyed, _)| path == obeyed))
            .map(|(_, words)| Mark {
                words: words.clone(),
                is_immediate: true,
            })
            .collect();
        let text = path.to_string_lossy();
        let is_library = path
            .components()
            .any(|name| LIBRARIES.iter().any(|it| name.as_os_str() == *it));
        let is_kept = path
            .components()
            .any(|name| kept(&name.as_os_str().to_string_lossy()).is_some());
        let by_name = runs_by_itself(&text).or_else(|| runs_by_itself(&format!("{text}/x")));
        marks.dedup_by(|a, b| a.words == b.words);
        marks.extend(by_name.filter(|_| !is_library).map(|runner| Mark {
            words: runner.to_string(),
            is_immediate: is_kept,
        }));
        marks
    }

    /// Returns the new repository that contains a path, if the user accepted it.
    pub(super) fn accepted_top(&self, path: &Path) -> Option<&PathBuf> {
        self.accepted.iter().find(|top| path.starts_with(top))
    }

    /// Returns true for a part of a repository of any name.
    pub(super) fn is_of_git(&self, path: &Path) -> bool {
        let named = |name: &str| {
            path.components()
                .any(|it| it.as_os_str().eq_ignore_ascii_case(name))
        };
        named(GIT)
            || self
                .repositories
                .iter()
                .any(|folder| match folder.as_os_str().is_empty() {
                    // The workspace itself.
                    true => path.components().next().is_some_and(|name| {
                        OF_A_REPOSITORY.iter().any(|it| name.as_os_str() == *it)
                    }),
                    false => path.starts_with(folder),
                })
    }

    fn ask_git(&mut self, root: &Path, top: &Path) {
        // KEY and VALUE are parted by a line end, entries by NUL; each is preceded by its origin (git-config(1), -z).
        let said = git(top, &["config", "--list", "--show-origin", "-z"]);
        let mut parts = said.split(|byte| *byte == 0);
        while let (Some(origin), Some(entry)) = (parts.next(), parts.next()) {
            let mut from = top.to_owned();
            if let Some(file) = origin.strip_prefix(b"file:") {
                let file = top.join(path_of(file));
                self.add(root, &file, "git reads its settings from it");
                from = file.parent().unwrap_or(top).to_owned();
            }
            let entry = String::from_utf8_lossy(entry).into_owned();
            let (key, value) = entry.split_once('\n').unwrap_or((&entry, ""));
            // Most paths are meant from the top of the working tree, some from the file that has them.
            for from in [top, &from] {
                self.add_words(root, from, value, &format!("git's setting {key} names it"));
            }
        }
        let hooks = git(top, &["rev-parse", "--git-path", "hooks"]);
        let hooks = top.join(path_of(hooks.trim_ascii_end()));
        self.add(root, &hooks, "git runs it as a hook");
        for hook in fs::read_dir(&hooks).into_iter().flatten().flatten() {
            if hook.file_name().to_string_lossy().ends_with(".sample") {
                continue;
            }
            let path = hook.path();
            self.add(root, &resolved(&path), "git runs it as a hook");
            let text = path
                .metadata()
                .ok()
                .filter(|it| it.is_file() && it.len() <= LONGEST);
            let text = text.and_then(|_| fs::read(&path).ok()).unwrap_or_default();
            let name = hook.file_name().to_string_lossy().into_owned();
            self.add_words(
                root,
                top,
                &String::from_utf8_lossy(&text),
                &format!("git's hook {name} names it"),
            );
        }
    }

    fn add_words(&mut self, root: &Path, top: &Path, text: &str, words: &str) {
        let home = state::home().unwrap_or_default();
        let ends = |c: char| c.is_whitespace() || "\"'`;|&()<>=,".contains(c);
        for word in text.split(ends).filter(|word| !word.is_empty()) {
            let path = match word.strip_prefix("~/") {
                Some(below) => home.join(below),
                None => top.join(word.trim_start_matches('!').trim_start_matches(":/")),
            };
            let inside = inside(root, &path);
            self.files
                .extend(inside.into_iter().map(|path| (path, words.to_owned())));
        }
    }

    fn add(&mut self, root: &Path, path: &Path, words: &str) {
        let inside = inside(root, path);
        self.paths
            .extend(inside.into_iter().map(|path| (path, words.to_owned())));
    }

    /// Follows links: the target of an obeyed name is obeyed, and a folder that `.git` names is a repository.
    fn follow_links(&mut self, root: &Path, base: &Manifest) {
        let links = base
            .entries
            .iter()
            .filter(|(_, stamp)| matches!(stamp.kind, Kind::Link(_)));
        for (link, _) in links {
            let name = link.to_string_lossy();
            let runner = runs_by_itself(&name).or_else(|| runs_by_itself(&format!("{name}/x")));
            if let Some(runner) = runner {
                self.add(
                    root,
                    &resolved(&root.join(link)),
                    &format!("{name} leads to it: {runner}"),
                );
            }
        }
        for git in &base.gits {
            let git = root.join(git);
            let named = super::repositories::folder_of(&git).unwrap_or_else(|| resolved(&git));
            if let Ok(inside) = named.strip_prefix(root) {
                self.repositories.insert(inside.to_owned());
            }
        }
    }

    /// Finds repositories: folders with HEAD, objects and refs (setup.c, `is_git_directory`).
    fn find_repositories(&mut self, root: &Path, base: &Manifest, changes: &[Change]) {
        let gone: BTreeSet<&Path> = changes
            .iter()
            .filter(|it| it.after.is_none())
            .map(|it| &*it.path)
            .collect();
        let new: BTreeSet<&Path> = changes
            .iter()
            .filter(|it| it.after.is_some())
            .map(|it| &*it.path)
            .collect();
        let has = |folder: &Path, name: &str| {
            let path = folder.join(name);
            new.contains(&*path) || (base.entries.contains_key(&path) && !gone.contains(&*path))
        };
        let folders: BTreeSet<&Path> = changes
            .iter()
            .flat_map(|it| it.path.ancestors().skip(1))
            .collect();
        let found = folders.into_iter().filter(|folder| {
            has(folder, "HEAD")
                && ((has(folder, "objects") && has(folder, "refs")) || has(folder, "commondir"))
        });
        self.repositories.extend(found.map(Path::to_owned));
        let _ = root;
    }
}

/// Returns a path as written and with its links resolved, where these are in the workspace.
fn inside(root: &Path, path: &Path) -> Vec<PathBuf> {
    let both = [normal(path), resolved(path)];
    let inside = both.iter().filter_map(|path| path.strip_prefix(root).ok());
    inside
        .filter(|path| !path.as_os_str().is_empty())
        .map(Path::to_owned)
        .collect()
}

fn git(top: &Path, words: &[&str]) -> Vec<u8> {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    // It only reads settings; neither of these calls runs anything that they name.
    let said = command
        .arg("-C")
        .arg(top)
        .args(words)
        .stderr(std::process::Stdio::null())
        .output();
    said.map(|said| said.stdout).unwrap_or_default()
}

fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

/// Resolves the existing part of a path; the rest is appended as written.
fn resolved(path: &Path) -> PathBuf {
    let mut path = normal(path);
    for _ in 0..LINKS {
        if let Ok(found) = path.canonicalize() {
            return found;
        }
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = normal(&path.parent().unwrap_or(&path).join(target));
    }
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => above
            .canonicalize()
            .map_or_else(|_| path.clone(), |above| above.join(name)),
        _ => path,
    }
}

/// Returns the path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// Folders in which settings have no effect: they contain third-party projects, which are not opened there.
const LIBRARIES: [&str; 4] = ["node_modules", "site-packages", "vendor", "third_party"];
/// Names of a repository that is the workspace itself.
const OF_A_REPOSITORY: [&str; 10] = [
    "HEAD",
    "config",
    "hooks",
    "info",
    "objects",
    "refs",
    "packed-refs",
    "commondir",
    "modules",
    "worktrees",
];
const MOST_ASKED: usize = 100;
const LONGEST: u64 = 64 * 1024;
const LINKS: usize = 40;
