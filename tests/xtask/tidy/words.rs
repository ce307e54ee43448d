//! Spelling, and words of a dialect that readers would have to learn (docs/style.md, 6).

use crate::build::setup;
use crate::shell::Shell;
use anyhow::{Context, Result};

/// Checks the spelling of all files with typos, as `_typos.toml` says.
pub(super) fn spelling(shell: &Shell) -> Result<()> {
    setup::python(shell)?;
    let typos = setup::python_program(shell, "typos");
    shell
        .run(&mut shell.command(typos, &["--format", "brief", "--color", "never"]))
        .context("misspelled words; a word that is right belongs into _typos.toml, with the reason")
}

/// Faults of a file: each word of the dialect, with its line and the field's word.
pub(super) fn faults(path: &str, text: &str) -> Vec<String> {
    if !is_prose(path) {
        return Vec::new();
    }
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(index, line)| {
            let found = DIALECT.iter().filter(|(word, _)| has(line, word));
            found.map(move |(word, instead)| {
                format!(
                    "{path}:{}: say \"{instead}\" for \"{word}\" (docs/style.md)",
                    index + 1
                )
            })
        })
        .collect()
}

/// Returns true for files in our own English; the list of words itself is the exception.
fn is_prose(path: &str) -> bool {
    let is_ours = ENDINGS.iter().any(|ending| path.ends_with(ending)) || path.starts_with(TEXTS);
    is_ours && !OTHERS.iter().any(|folder| path.starts_with(folder))
}

/// Returns true if a line contains a text as whole words, in lower case or at a sentence's start.
fn has(line: &str, words: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.match_indices(words).any(|(at, _)| {
        let is_outside =
            |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        is_outside(line[..at].chars().next_back())
            && is_outside(line[at + words.len()..].chars().next())
    })
}

const ENDINGS: [&str; 9] = [
    ".rs", ".ts", ".js", ".mjs", ".py", ".pyi", ".md", ".html", ".yml",
];

/// English texts of the page, which are JSON.
const TEXTS: &str = "web/src/texts/languages/en/";

/// Texts of others, and the list below.
const OTHERS: [&str; 4] = [
    "CHANGELOG.md",
    "tests/replies/",
    "tests/transcripts/",
    "tests/xtask/tidy/words.rs",
];

/// Words of the dialect, with those of the field.
const DIALECT: [(&str, &str); 7] = [
    ("anew", "again"),
    ("for ever", "forever"),
    ("to and fro", "back and forth"),
    ("to fro", "back and forth"),
    ("by chance", "random"),
    ("is called so", "has this name"),
    ("that is none", "that is invalid"),
];

#[cfg(test)]
mod tests {
    use super::{faults, has};

    #[test]
    fn a_word_of_the_dialect_is_named_with_the_fields_word() {
        assert_eq!(
            faults("a.rs", "fn a() {}\n// It waits for ever.\n"),
            ["a.rs:2: say \"forever\" for \"for ever\" (docs/style.md)"]
        );
        assert!(faults("tests/replies/a.md", "for ever").is_empty());
        assert!(faults("a.png", "for ever").is_empty());
        assert_eq!(
            faults("web/src/texts/languages/en/a.json", "for ever").len(),
            1
        );
        assert!(faults("web/src/texts/languages/de/a.json", "for ever").is_empty());
    }

    #[test]
    fn words_are_whole_and_in_any_case() {
        assert!(has("Anew it begins.", "anew"));
        assert!(has("begun anew", "anew"));
        assert!(!has("a manewver", "anew"));
        assert!(!has("for every board", "for ever"));
    }
}
