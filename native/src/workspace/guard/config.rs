//! Files of the workspace that a repository's settings name, and that git obeys as it does what is in `.git`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::repositories::folder_of;
use crate::state;

/// The hooks and further settings that the settings of these `.git`s and the person's own name.
pub(super) fn obeyed(gits: &[PathBuf]) -> Vec<PathBuf> {
    let home = state::home().unwrap_or_default();
    let persons = [home.join(".gitconfig"), home.join(".config/git/config")];
    let persons: Vec<_> = persons.iter().flat_map(|path| named(path)).collect();
    let mut found = Vec::new();
    for git in gits {
        let (Some(folder), Some(top)) = (folder_of(git), git.parent()) else {
            continue;
        };
        let own = ["config", "config.worktree"].map(|name| named(&folder.join(name)));
        for named in persons.iter().chain(own.iter().flatten()) {
            // git-config(1): hooks are looked for from the top of the working tree, further settings from the file.
            found.extend(match named {
                Named::Hooks(path) => top.join(path).canonicalize().ok(),
                Named::Settings(path) => path.canonicalize().ok(),
            });
        }
    }
    found
}

enum Named {
    Hooks(PathBuf),
    Settings(PathBuf),
}

/// What a file of settings names, as far as it can be read.
fn named(config: &Path) -> Vec<Named> {
    let is_short = config
        .metadata()
        .is_ok_and(|it| it.is_file() && it.len() <= LONGEST);
    let text = is_short.then(|| fs::read(config).ok()).flatten();
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    let folder = config.parent().unwrap_or(config);
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let mut line = line.trim();
        if let Some((header, rest)) = line.strip_prefix('[').and_then(|it| it.split_once(']')) {
            section = header
                .split([' ', '.', '"'])
                .next()
                .unwrap_or_default()
                .to_lowercase();
            line = rest.trim();
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.split([';', '#']).next().unwrap_or_default();
        let value = value.trim().trim_matches('"');
        match (&*section, &*key.trim().to_lowercase()) {
            ("core", "hookspath") => found.push(Named::Hooks(value.into())),
            ("include" | "includeif", "path") => found.push(Named::Settings(folder.join(value))),
            _ => {}
        }
    }
    found
}

const LONGEST: u64 = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_and_settings_in_the_working_tree_are_found() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap();
        for folder in [".git", "tools/hooks", "elsewhere"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("shared.cfg"), "").unwrap();
        let config = "[user]\n\tname = x\n[CORE] hooksPath = \"tools/hooks\" ; ours\n[includeIf \"gitdir:/x\"]\n\tpath = ../shared.cfg\n[other]\n\tpath = ../elsewhere\n";
        fs::write(root.join(".git/config"), config).unwrap();
        let mut found = obeyed(&[root.join(".git")]);
        found.retain(|path| path.starts_with(&root));
        assert_eq!(found, [root.join("tools/hooks"), root.join("shared.cfg")]);
    }
}
