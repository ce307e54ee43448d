//! Sizes of folders: a file is found by its neighbors, so that it has few.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the folders at and below [`ROOTS`] that have more than [`MOST`] entries, files and folders counted together.
pub(super) fn faults<'a>(files: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let is_below = |file: &str, roots: &[&str]| roots.iter().any(|root| file.starts_with(root));
    for file in files.filter(|file| is_below(file, &ROOTS) && !is_below(file, &COLLECTIONS)) {
        let mut path = file;
        while let Some((folder, name)) = path.rsplit_once('/') {
            folders.entry(folder).or_default().insert(name);
            path = folder;
        }
    }
    let is_checked = |folder: &str| {
        ROOTS
            .iter()
            .any(|root| format!("{folder}/").starts_with(root))
    };
    folders
        .into_iter()
        .filter(|(folder, entries)| is_checked(folder) && entries.len() > MOST)
        .map(|(folder, entries)| {
            let count = entries.len();
            format!("{folder}: {count} entries, at most {MOST}: split it by meaning")
        })
        .collect()
}

/// Folders whose sources are divided, each with a slash at its end.
const ROOTS: [&str; 9] = [
    "core/src/",
    "docs/",
    "native/command/src/",
    "native/command/tests/",
    "native/src/",
    "native/tests/",
    "tests/harness/",
    "tests/xtask/",
    "web/src/",
];
/// Folders in which each file is a case of its own, found by running them.
const COLLECTIONS: [&str; 1] = ["native/command/tests/attempts/"];
const MOST: usize = 15;

#[cfg(test)]
mod tests {
    use super::faults;

    fn files(folder: &str, count: usize) -> Vec<String> {
        (0..count)
            .map(|number| format!("{folder}/{number}.ts"))
            .collect()
    }

    fn faults_of(files: &[Vec<String>]) -> Vec<String> {
        faults(files.concat().iter().map(String::as_str))
    }

    #[test]
    fn a_folder_with_too_many_entries_is_named_at_any_depth() {
        let found = faults_of(&[files("web/src/ui/style", 16), files("web/src/run", 15)]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("web/src/ui/style: 16 entries"));
    }

    #[test]
    fn a_folder_in_a_folder_counts_once_and_the_root_is_checked() {
        let inside = [files("web/src/ui", 2), files("web/src/app", 2)];
        assert!(faults_of(&[files("web/src", 13), inside.concat()]).is_empty());
        let found = faults_of(&[files("web/src", 14), inside.concat()]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("web/src: 16 entries"));
    }

    #[test]
    fn folders_outside_the_roots_may_have_any_number() {
        assert!(faults_of(&[files("tests/browser", 60), files("web", 40)]).is_empty());
    }

    #[test]
    fn collections_of_cases_may_have_any_number() {
        assert!(faults_of(&[files("native/command/tests/attempts/git", 60)]).is_empty());
        assert_eq!(
            faults_of(&[files("native/command/tests/attempt", 16)]).len(),
            1
        );
    }
}
