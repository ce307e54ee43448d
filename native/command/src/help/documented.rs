//! Checks that each command line of the documentation that begins with `flylead` is valid.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::syntax;
use crate::{line, parse};

#[test]
fn every_documented_line_is_a_command_line() {
    let pages = pages();
    assert!(pages.len() > 20, "pages found: {pages:?}");
    let lines: Vec<_> = pages.iter().flat_map(|page| lines_of(page)).collect();
    assert!(lines.len() > 40, "only {} lines found", lines.len());
    let refused: Vec<_> = lines.iter().filter_map(|line| refusal(line)).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn every_command_line_in_a_sentence_is_a_command_line() {
    let lines: Vec<_> = pages()
        .iter()
        .flat_map(|page| lines_in_sentences(page))
        .collect();
    assert!(lines.len() > 40, "only {} lines found", lines.len());
    let refused: Vec<_> = lines.iter().filter_map(|line| refusal(line)).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn every_example_of_a_help_text_is_a_command_line() {
    let mut examples = Vec::new();
    collect_examples(&syntax::whole(), &mut examples);
    assert!(examples.len() > 40, "only {} found", examples.len());
    let refused: Vec<_> = examples.iter().filter_map(|line| refusal(line)).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn a_line_with_an_unknown_option_is_refused() {
    assert!(refusal("flylead cp --no-such-option a :").is_some());
    assert!(refusal("flylead cp a : + run --no-such-option b").is_some());
}

/// Returns the README, and the Markdown files of the documentation; none if the crate was unpacked from its package.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = PAGES.map(|page| root.join(page)).to_vec();
    for folder in [
        "docs",
        "docs/guide",
        "docs/recipes",
        "docs/start",
        "docs/use",
    ] {
        let entries = fs::read_dir(root.join(folder)).expect(folder);
        let paths = entries.map(|entry| entry.expect(folder).path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    pages
}

/// Pages outside of the documentation's folders.
const PAGES: [&str; 7] = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "native/python/README.md",
    "wasm/README.md",
    "web/vscode/README.md",
];

/// Returns the command lines that a page's sentences quote, of more than the command's name. A board in capitals stands
/// for any.
fn lines_in_sentences(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page");
    let is_paired = text.matches('`').count().is_multiple_of(2);
    assert!(is_paired, "{} has an open quote", page.display());
    let quotes = text.split('`').skip(1).step_by(2);
    let lines = quotes.filter(|quote| {
        let words = quote.split_whitespace().count();
        quote.starts_with("flylead ") && words > 2 && !quote.contains("COMMAND")
    });
    lines
        .map(|line| line.replace(['\n', '\r'], " "))
        .map(|line| line.replace("PORT", "auto").replace("BOARD", "auto"))
        .collect()
}

/// Returns the lines of a page's shell blocks that begin with `flylead`, without their comments.
fn lines_of(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page");
    // A block in a list is indented.
    let mut lines = text.lines().map(str::trim_start);
    let (mut found, mut is_shell) = (Vec::new(), false);
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
        }
        if is_shell && line.starts_with("flylead ") {
            found.push(whole(line, &mut lines));
        }
    }
    found
}

/// Returns a line with the lines below it that its quotes go on over.
fn whole<'a>(line: &str, below: &mut impl Iterator<Item = &'a str>) -> String {
    let mut whole = line.to_owned();
    while shlex::split(&whole).is_none()
        && let Some(line) = below.next()
    {
        whole = format!("{whole}\n{line}");
    }
    whole
}

/// Collects the lines below "Examples:" in the help of a command and its subcommands. Their explanations follow two
/// blanks.
fn collect_examples(command: &clap::Command, all: &mut Vec<String>) {
    let help = command.get_after_help().or(command.get_after_long_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let lines = help.lines().filter(|line| line.starts_with("  flylead "));
    all.extend(lines.map(|line| {
        let line = line.trim_start();
        line.split("  ").next().unwrap_or(line).to_owned()
    }));
    for below in command.get_subcommands() {
        collect_examples(below, all);
    }
}

/// Returns the words of a line's first command; redirections and what follows it belong to the shell.
fn first_command(words: Vec<String>) -> Vec<OsString> {
    let mut command = Vec::new();
    for word in words {
        if matches!(word.as_str(), ">" | ">>" | "<" | "&&" | "|" | ";") {
            break;
        }
        match word.strip_suffix(';') {
            Some(last) => {
                command.push(last.into());
                break;
            }
            None => command.push(word.into()),
        }
    }
    command
}

/// Returns the reason why a line is refused.
fn refusal(text: &str) -> Option<String> {
    let Some(words) = shlex::split(text) else {
        return Some(format!("{text}: its quotes are not closed"));
    };
    let commands = match line::commands(first_command(words)) {
        Ok(commands) => commands,
        Err(failure) => return Some(format!("{text}: {failure:?}")),
    };
    let wrong = commands.iter().find_map(|line| parse(line).err())?;
    let is_help = !wrong.use_stderr();
    (!is_help).then(|| format!("{text}: {wrong}"))
}
