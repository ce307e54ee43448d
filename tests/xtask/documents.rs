//! Documents that name files of this project name files that exist.

use crate::shell::Shell;
use anyhow::{Result, bail};
use std::{fs, path::Path};

/// Looks at links and at paths in backquotes, in every Markdown file but the changelog, which tells of files that were.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    let files = shell.read(&mut shell.command("git", &["ls-files", "*.md"]))?;
    let root = shell.path("");
    let faults: Vec<String> = files
        .lines()
        .filter(|path| *path != "CHANGELOG.md")
        .flat_map(|path| missing(&root, path))
        .collect();
    if !faults.is_empty() {
        bail!("these files do not exist:\n{}", faults.join("\n"));
    }
    Ok(())
}

fn missing(root: &Path, document: &str) -> Vec<String> {
    // One that was deleted and not yet committed names nothing.
    let text = fs::read_to_string(root.join(document)).unwrap_or_default();
    let folder = Path::new(document).parent().unwrap_or(Path::new(""));
    let linked = links(&text).map(|link| folder.join(link));
    let named = paths(&text).map(Path::new).map(Path::to_owned);
    linked
        .chain(named)
        .filter(|path| !root.join(path).exists())
        .map(|path| format!("{document}: {}", path.display()))
        .collect()
}

/// The files that `[text](file)` leads to, without the heading after a `#`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|link| link.split('#').next().unwrap_or_default())
        .filter(|link| is_path(link) && !link.contains("://"))
}

/// What stands in backquotes and begins with a folder of this project's top level.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|name| FOLDERS.iter().any(|folder| name.starts_with(folder)))
        .filter(|name| is_path(name))
}

/// Links with two colons are rustdoc's.
fn is_path(name: &str) -> bool {
    let is_pattern = |letter: char| letter.is_whitespace() || "*{<…".contains(letter);
    !name.is_empty() && !name.contains(is_pattern) && !name.contains("::")
}

const FOLDERS: [&str; 6] = ["core/", "native/", "wasm/", "web/", "tests/", ".github/"];

#[cfg(test)]
mod tests {
    use super::{links, paths};

    #[test]
    fn links_are_files_without_their_headings() {
        let text = "[a](one.md#two) [b](https://example.org) [c](#here) [d](../e.rs) [f](crate::F)";
        assert_eq!(links(text).collect::<Vec<_>>(), ["one.md", "../e.rs"]);
    }

    #[test]
    fn paths_are_what_begins_with_a_folder_of_ours() {
        let text = "`core/src/lib.rs` and `tests/*.rs`, `other/x`, `cargo run core/`,\n`wasm/`";
        assert_eq!(
            paths(text).collect::<Vec<_>>(),
            ["core/src/lib.rs", "wasm/"]
        );
    }
}
