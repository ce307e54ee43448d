//! Lines of the README that are true only after publishing.
//!
//! Between two markers the README shows the way from source. A release puts `published.md` there, in what it publishes; the
//! repository keeps the markers for the next one. Links that lead to files get the repository's address, because an archive
//! has none of them, and a registry looks for them in the crate's own folder.

use super::{REPOSITORY, VERSION, file};
use crate::shell::Shell;
use anyhow::{Context, Result, ensure};
use std::fs;

/// Writes the published lines into the README.
pub(crate) fn fill(shell: &Shell) -> Result<()> {
    file::write(&shell.path("README.md"), &published(shell)?)
}

/// Checks that the README as it will be published is short, and as true as the one of today.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    let lines = published(shell)?.lines().count();
    ensure!(
        lines <= LONGEST,
        "the published README has {lines} lines; {LONGEST} are its limit"
    );
    shell.say(&format!("the published README has {lines} lines"));
    Ok(())
}

/// The README as it will be published.
pub(crate) fn published(shell: &Shell) -> Result<String> {
    let readme = fs::read_to_string(shell.path("README.md"))?;
    Ok(absolute(&replace(&readme, PUBLISHED)?))
}

/// Commands of the published README that begin with `word`, one for each line.
pub(crate) fn command(word: &str) -> Result<&'static str> {
    let line = PUBLISHED.lines().find(|line| line.starts_with(word));
    let line = line.with_context(|| format!("published.md has no line with {word}"))?;
    Ok(line.split("  ").next().unwrap_or(line).trim())
}

fn replace(readme: &str, text: &str) -> Result<String> {
    let (before, rest) = readme
        .split_once(BEGIN)
        .context("the README has lost its first marker")?;
    let (_, after) = rest
        .split_once(END)
        .context("the README has lost its second marker")?;
    Ok(format!("{before}{}{}", text.trim_end(), after))
}

/// The text with links to files of the repository as links to its state at this version.
fn absolute(text: &str) -> String {
    let mut parts = text.split("](");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let target = part.split(')').next().unwrap_or_default();
        let label = whole.rfind('[').unwrap_or_default();
        let kind = match whole[..label].ends_with('!') {
            true => "raw",
            false => "blob",
        };
        whole += "](";
        if !target.contains("://") && !target.starts_with('#') {
            whole += &format!("{REPOSITORY}/{kind}/v{VERSION}/");
        }
        whole += part;
    }
    whole
}

const PUBLISHED: &str = include_str!("published.md");
const BEGIN: &str = "<!-- until the first release -->\n";
const END: &str = "\n<!-- until here -->";
const LONGEST: usize = 90;

#[cfg(test)]
mod tests {
    use super::{PUBLISHED, REPOSITORY, VERSION, absolute, replace};

    #[test]
    fn the_published_lines_take_the_place_of_those_of_today() {
        let readme = "a\n\n<!-- until the first release -->\nb\n<!-- until here -->\n\nc\n";
        assert_eq!(replace(readme, "d\n").unwrap(), "a\n\nd\n\nc\n");
        assert!(replace("a\n<!-- until here -->\n", "d").is_err());
    }

    #[test]
    fn links_to_files_lead_to_the_repository_and_all_others_stay() {
        let text = "![a: b](c/d.png), [e](f.md#g)\n[h](https://i/j.md) [k](#l)";
        let of = |kind: &str| format!("{REPOSITORY}/{kind}/v{VERSION}");
        let (raw, blob) = (of("raw"), of("blob"));
        assert_eq!(
            absolute(text),
            format!("![a: b]({raw}/c/d.png), [e]({blob}/f.md#g)\n[h](https://i/j.md) [k](#l)")
        );
        assert!(REPOSITORY.starts_with("https://"));
    }

    #[test]
    fn the_published_readme_is_whole_and_has_no_marker() {
        let readme = include_str!("../../../README.md");
        let published = replace(readme, PUBLISHED).unwrap();
        assert!(published.lines().count() <= 90);
        assert!(!published.contains("<!--"));
        assert!(published.contains("\n## Five commands"));
    }
}
