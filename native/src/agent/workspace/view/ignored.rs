//! Parts of a workspace that git ignores, by the user's rules rather than those that a command wrote.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::super::runs::GIT;

/// Rules of a workspace's folders, read on demand.
pub(super) struct Ignored {
    root: PathBuf,
    /// Top of the repository that contains the workspace.
    top: PathBuf,
    rules: BTreeMap<PathBuf, Gitignore>,
}

impl Ignored {
    pub(super) fn of(root: &Path) -> Self {
        let top = root.ancestors().find(|folder| folder.join(GIT).exists());
        Self {
            root: root.to_owned(),
            top: top.unwrap_or(root).to_owned(),
            rules: BTreeMap::new(),
        }
    }

    /// Returns the uppermost ignored folder or file on the way to a path.
    pub(super) fn top_of(&mut self, path: &Path, is_folder: bool) -> Option<PathBuf> {
        let names: Vec<_> = path
            .ancestors()
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
        let (last, above) = names.split_first()?;
        let found = above.iter().rev().find(|path| self.matches(path, true));
        match found {
            Some(found) => Some((*found).to_owned()),
            None => self.matches(last, is_folder).then(|| (*last).to_owned()),
        }
    }

    /// Applies gitignore(5), "PATTERN FORMAT": the nearest file with a rule for the path decides.
    fn matches(&mut self, path: &Path, is_folder: bool) -> bool {
        let path = self.root.join(path);
        let above: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_owned).collect();
        for folder in above {
            if !folder.starts_with(&self.top) {
                break;
            }
            let top = self.top.clone();
            let rules = self
                .rules
                .entry(folder)
                .or_insert_with_key(|folder| read(folder, &top));
            let found = rules.matched(&path, is_folder);
            if !found.is_none() {
                return found.is_ignore();
            }
        }
        false
    }
}

fn read(folder: &Path, top: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    // A file that cannot be read has no rules.
    if folder == top {
        let _ = builder.add(folder.join(GIT).join("info/exclude"));
    }
    let _ = builder.add(folder.join(".gitignore"));
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_rules_of_every_folder_and_of_the_repository_around_are_obeyed() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::create_dir_all(at("app/web")).unwrap();
        fs::create_dir_all(at(".git/info")).unwrap();
        fs::write(at(".git/info/exclude"), "mine\n").unwrap();
        fs::write(at(".gitignore"), "target/\n*.log\n").unwrap();
        fs::write(at("app/web/.gitignore"), "/dist\n!keep.log\n").unwrap();
        let mut ignored = Ignored::of(&at("app"));
        for (path, wanted) in [
            ("target/debug/a", Some("target")),
            ("web/dist/x/y", Some("web/dist")),
            ("web/a.log", Some("web/a.log")),
            ("web/keep.log", None),
            ("mine", Some("mine")),
            ("src/a", None),
            ("target", None),
        ] {
            assert_eq!(
                ignored.top_of(Path::new(path), false),
                wanted.map(PathBuf::from),
                "{path}"
            );
        }
    }
}
