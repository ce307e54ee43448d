//! Checks that files and functions that documents name exist.

use crate::shell::Shell;
use anyhow::{Result, bail};
use std::{fs, path::Path};

/// Looks at links and at paths in backquotes, in every Markdown file but the changelog, which also names files that are gone.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    let files = shell.read(&mut shell.command("git", &["ls-files", "*.md"]))?;
    let root = shell.path("");
    let faults: Vec<String> = files
        .lines()
        .filter(|path| *path != "CHANGELOG.md")
        .flat_map(|path| [missing(&root, path), undefined(&root, path)].concat())
        .collect();
    if !faults.is_empty() {
        bail!(
            "the documents name files or functions that do not exist:\n{}",
            faults.join("\n")
        );
    }
    Ok(())
}

fn missing(root: &Path, document: &str) -> Vec<String> {
    // One that was deleted and not yet committed names nothing.
    let text = fs::read_to_string(root.join(document)).unwrap_or_default();
    let folder = match document {
        // These lines will stand in the README.
        PUBLISHED => Path::new(""),
        _ => Path::new(document).parent().unwrap_or(Path::new("")),
    };
    let linked = links(&text).map(|link| folder.join(link));
    let named = paths(&text).map(Path::new).map(Path::to_owned);
    let published = published(&text).map(Path::new).map(Path::to_owned);
    linked
        .chain(named)
        .chain(published)
        .filter(|path| !root.join(path).exists())
        .map(|path| format!("{document}: {}", path.display()))
        .collect()
}

/// Functions that a document names behind a file, as the walks through the code do, and that are not in the file.
fn undefined(root: &Path, document: &str) -> Vec<String> {
    let text = fs::read_to_string(root.join(document)).unwrap_or_default();
    let folder = root.join(document).parent().map(Path::to_owned);
    let faults = steps(&text).filter(|(path, name)| {
        let beside = folder.iter().map(|folder| folder.join(path));
        let files = beside.chain([root.join(path)]);
        !files.into_iter().any(|file| {
            fs::read_to_string(file)
                .is_ok_and(|source| source.lines().any(|line| defines(line, name)))
        })
    });
    faults
        .map(|(path, name)| format!("{document}: {name} in {path}"))
        .collect()
}

/// Finds references to a file and a function, each in backquotes, on one line or across its end.
fn steps(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let words: Vec<&str> = text.split('`').collect();
    let steps = words
        .windows(3)
        .skip(1)
        .step_by(2)
        .map(|words| (words[0], words[1], words[2]));
    steps
        .filter(|(path, between, name)| {
            between.trim().is_empty() && is_source(path) && is_name(name)
        })
        .map(|(path, _, name)| (path, name))
        .collect::<Vec<_>>()
        .into_iter()
}

fn is_source(name: &str) -> bool {
    let is_code = SOURCES.iter().any(|ending| name.ends_with(ending));
    is_code && name.contains('/') && is_path(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Returns true if a function of this name begins on a line of Rust, TypeScript, JavaScript or
/// Python.
fn defines(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (line[..at].trim_start(), &line[at + name.len()..]);
        let keyword = before.split_whitespace().last().unwrap_or_default();
        let is_whole = before.is_empty() || before.ends_with([' ', '#']);
        let is_method = before.is_empty() && line.ends_with('{');
        let is_named = is_method || KEYWORDS.contains(&keyword.trim_end_matches('#'));
        is_whole && is_named && (after.starts_with(['(', '<']) || after.starts_with(" = "))
    })
}

/// The files that `[text](file)` leads to, without the heading after a `#`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|link| link.split('#').next().unwrap_or_default())
        .filter(|link| is_path(link) && !link.contains("://"))
}

/// The files of this repository that a link to its main branch leads to.
fn published(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(env!("CARGO_PKG_REPOSITORY")).skip(1);
    let files = parts.filter_map(|part| {
        let path = part
            .strip_prefix("/blob/main/")
            .or(part.strip_prefix("/tree/main/"))?;
        path.split([')', '#', '>', '"', '`', ' ', '\n']).next()
    });
    files.filter(|path| is_path(path))
}

/// Finds the paths in backquotes that begin with a folder of this project's top level.
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

const PUBLISHED: &str = "tests/xtask/release/published.md";
const SOURCES: [&str; 4] = [".rs", ".ts", ".js", ".py"];
/// Keywords before a function's name.
const KEYWORDS: [&str; 7] = ["fn", "function", "def", "async", "get", "static", "const"];
const FOLDERS: [&str; 6] = ["core/", "native/", "wasm/", "web/", "tests/", ".github/"];

#[cfg(test)]
mod tests {
    use super::{defines, links, paths, published, steps};

    #[test]
    fn links_to_the_main_branch_are_files_of_this_repository() {
        let site = env!("CARGO_PKG_REPOSITORY");
        let text =
            format!("[a]({site}/blob/main/one.md#two) <{site}/tree/main/native/> {site}/releases");
        assert_eq!(published(&text).collect::<Vec<_>>(), ["one.md", "native/"]);
    }

    #[test]
    fn links_are_files_without_their_headings() {
        let text = "[a](one.md#two) [b](https://example.org) [c](#here) [d](../e.rs) [f](crate::F)";
        assert_eq!(links(text).collect::<Vec<_>>(), ["one.md", "../e.rs"]);
    }

    #[test]
    fn a_step_is_a_file_and_a_function_of_it() {
        let text = "1. `a/b.rs` `run` calls `a/c.ts`\n`walk`, not `a/d.rs`: `e`, nor `a/d.md` `f`";
        assert_eq!(
            steps(text).collect::<Vec<_>>(),
            [("a/b.rs", "run"), ("a/c.ts", "walk")]
        );
    }

    #[test]
    fn a_function_begins_where_it_is_defined_and_not_where_it_is_called() {
        let all = [
            "    pub(super) fn run<T>(&self) {",
            "export async function run(source: string): Promise<void> {",
            "  async run(source: string): Promise<void> {",
            "  run(): void {",
            "    const run = async () => {",
            "def run(n):",
        ];
        assert!(all.iter().all(|line| defines(line, "run")));
        let none = [
            "  await board.run(source);",
            "fn rerun() {",
            "  fn runs() {",
            "  run(source);",
        ];
        assert!(!none.iter().any(|line| defines(line, "run")));
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
