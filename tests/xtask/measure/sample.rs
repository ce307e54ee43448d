//! Draws doc comments, errors and help texts at random, for a person to read: do they say it as docs/style.md wants?

use crate::shell::Shell;
use crate::test::programs;
use crate::tidy::openings;
use anyhow::Result;
use clap::Args;
use std::collections::BTreeSet;
use std::fs;

/// Number of texts to draw.
#[derive(Args)]
pub(crate) struct Options {
    /// Doc comments
    #[arg(long, default_value_t = 100)]
    comments: usize,
    /// Error messages
    #[arg(long, default_value_t = 50)]
    errors: usize,
    /// Help texts
    #[arg(long, default_value_t = 30)]
    help_texts: usize,
    /// Seed of the draw: an equal one draws the same texts again
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Prints the texts, each with its place.
pub(crate) fn run(shell: &Shell, options: &Options) -> Result<()> {
    let files = shell.read(&mut shell.command("git", &["ls-files"]))?;
    let texts = files
        .lines()
        .filter_map(|path| Some((path, fs::read_to_string(shell.path(path)).ok()?)));
    let texts: Vec<_> = texts.collect();
    let comments = texts.iter().flat_map(|(path, text)| comments(path, text));
    let errors = texts.iter().flat_map(|(path, text)| errors(path, text));
    let mut dice = Dice(options.seed);
    print(
        "doc comments",
        &dice.draw(comments.collect(), options.comments),
    );
    print("errors", &dice.draw(errors.collect(), options.errors));
    programs(shell)?;
    let help = shell.read(&mut shell.command(shell.target("debug/flylead"), &["--help"]))?;
    let mut texts = Vec::new();
    let mut seen = BTreeSet::new();
    for name in names(&help) {
        let help =
            shell.read(&mut shell.command(shell.target("debug/flylead"), &[&name, "--help"]))?;
        // Options of all commands stand in each help text.
        let new = paragraphs(&help).filter(|text| seen.insert((*text).to_owned()));
        texts.extend(new.map(|text| format!("{name}: {text}")));
    }
    print("help texts", &dice.draw(texts, options.help_texts));
    Ok(())
}

fn print(kind: &str, texts: &[String]) {
    println!("\n== {} {kind}\n", texts.len());
    texts.iter().for_each(|text| println!("{text}"));
}

/// First paragraphs of doc comments, each with its place.
fn comments(path: &str, text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().collect();
    let openings = openings::of(path, text).into_iter();
    let whole = openings.map(|(number, opening)| {
        let marker = lines[number - 1].trim_start().get(..3).unwrap_or_default();
        let rest = lines.iter().skip(number).map(|line| line.trim_start());
        let rest = rest.take_while(|line| {
            ["///", "//!"].contains(&marker)
                && line
                    .strip_prefix(marker)
                    .is_some_and(|text| !text.trim().is_empty())
        });
        let rest: String = rest.map(|line| format!(" {}", line[3..].trim())).collect();
        format!("{path}:{number}: {opening}{rest}")
    });
    whole.collect()
}

/// Messages of errors, by the calls that make them, each with its place.
fn errors(path: &str, text: &str) -> Vec<String> {
    let is_ours = path.starts_with("native/src/")
        || path.starts_with("native/command/src/")
        || path.starts_with("core/src/")
        || path.starts_with("wasm/src/");
    if !is_ours || !path.ends_with(".rs") {
        return Vec::new();
    }
    let lines: Vec<_> = text.lines().collect();
    let marked = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| MAKERS.iter().any(|maker| line.contains(maker)));
    marked
        .filter_map(|(index, _)| {
            let near = lines[index..lines.len().min(index + 4)].join(" ");
            let (_, message) = near.split_once('"')?;
            let (message, _) = message.split_once('"')?;
            (message.split(' ').count() > 3).then(|| format!("{path}:{}: {message}", index + 1))
        })
        .collect()
}

/// The commands that the command's help lists.
fn names(help: &str) -> Vec<String> {
    let lines = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1);
    let lines = lines.take_while(|line| line.starts_with("  ") || line.is_empty());
    let words = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    words
        .filter_map(|line| line.split_whitespace().next())
        // This one has no help of its own.
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Explanations in a help text: lines that are no heading, usage or example.
fn paragraphs(help: &str) -> impl Iterator<Item = &str> {
    let lines = help.lines().map(str::trim);
    lines.filter(|line| {
        line.split_whitespace().count() > 4
            && !line.starts_with("Usage:")
            && !line.starts_with("flylead ")
            && !line.starts_with('-')
    })
}

/// A generator for which any quality is enough (splitmix64).
struct Dice(u64);

impl Dice {
    fn draw(&mut self, mut texts: Vec<String>, count: usize) -> Vec<String> {
        let count = count.min(texts.len());
        for place in 0..count {
            let other = place + usize::try_from(self.next()).unwrap_or(0) % (texts.len() - place);
            texts.swap(place, other);
        }
        texts.truncate(count);
        texts
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) >> 1
    }
}

const MAKERS: [&str; 10] = [
    "bail!(",
    "Err(",
    "Error::",
    "fail(",
    "failure(",
    "error(",
    "context(",
    "=> write!(",
    "write!(f",
    "refuse(",
];

#[cfg(test)]
mod tests {
    use super::{Dice, comments, errors, names};

    #[test]
    fn a_comment_is_drawn_with_its_place_and_its_first_paragraph() {
        let text = "/// Number of\n/// lines.\n///\n/// More.\nfn a() {}\n";
        assert_eq!(comments("a.rs", text), ["a.rs:1: Number of lines."]);
    }

    #[test]
    fn a_message_is_found_behind_what_makes_an_error_of_it() {
        let text = "return Err(Failure::new(\n    \"no port or board matches\",\n));";
        assert_eq!(
            errors("native/src/a.rs", text),
            ["native/src/a.rs:1: no port or board matches"]
        );
        assert!(errors("web/a.rs", text).is_empty());
    }

    #[test]
    fn the_same_seed_draws_the_same_texts_and_none_twice() {
        let all: Vec<_> = (0..20).map(|number| number.to_string()).collect();
        let drawn = Dice(7).draw(all.clone(), 10);
        assert_eq!(drawn, Dice(7).draw(all.clone(), 10));
        assert_ne!(drawn, Dice(8).draw(all, 10));
        let mut once = drawn.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), 10);
    }

    #[test]
    fn commands_are_what_the_help_lists() {
        let help = "About\n\nCommands:\n  run   Run it\n          on a board\n\n  test  Test it\n  help  Print help\n\nOptions:\n  -h\n";
        assert_eq!(names(help), ["run", "test"]);
    }
}
