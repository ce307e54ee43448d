//! Compares every help text with `tests/golden`, so that a change is seen, read and approved. `FLYLEAD_GOLDEN=write`
//! writes the texts.

use std::{env, ffi::OsString, fmt::Write as _, fs, path::Path};

use clap::{Args as _, CommandFactory as _};

use super::{short_help, syntax};
use crate::{Cli, Common};

/// Returns the words of every visible command, parents first.
fn commands(command: &clap::Command, above: &[&str]) -> Vec<Vec<String>> {
    let below = command.get_subcommands().filter(|below| {
        let is_short_form = above.is_empty() && crate::files::fs::is_action(below.get_name());
        below.get_name() != "help" && (!below.is_hide_set() || is_short_form)
    });
    let below = below.flat_map(|below| {
        let words = [above, &[below.get_name()]].concat();
        commands(below, &words)
    });
    let own = above.iter().map(ToString::to_string).collect();
    [own].into_iter().chain(below).collect()
}

fn help(syntax: clap::Command, words: &[String], option: &str) -> String {
    let words = words.iter().map(String::as_str);
    let line = ["flylead"].into_iter().chain(words).chain([option]);
    let asked = syntax.term_width(80).try_get_matches_from(line);
    let help = asked.expect_err("it asks for help").to_string();
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    lines.join("\n")
}

fn short(words: &[String]) -> String {
    match words.is_empty() {
        true => syntax::OVERVIEW.to_owned(),
        false => {
            let line = ["flylead"]
                .into_iter()
                .chain(words.iter().map(String::as_str));
            let line: Vec<_> = line.chain(["-h"]).map(OsString::from).collect();
            let page = short_help::answer(&line).expect("it asks for help");
            page.trim_end().to_owned()
        }
    }
}

/// Returns the long help of a command, without the options of all commands and the exit codes, which the first page
/// has.
fn long(words: &[String]) -> String {
    if words.is_empty() {
        return help(syntax::whole(), words, "--help");
    }
    let common = Common::augment_args(clap::Command::new("flylead"));
    let hidden = common
        .get_arguments()
        .map(|argument| argument.get_id().clone());
    let own = hidden.fold(Cli::command(), |syntax, id| {
        syntax.mut_arg(id, |argument| argument.hide(true))
    });
    help(own, words, "--help")
}

#[test]
fn the_short_help_of_every_command_fits_a_screen() {
    let mut long = Vec::new();
    for words in commands(&Cli::command(), &[]) {
        let text = short(&words);
        let lines = text.lines().count();
        let width = text.lines().map(|line| line.chars().count()).max();
        if lines > 24 || width > Some(80) {
            long.push(format!(
                "{}: {lines} lines, {width:?} columns",
                words.join(" ")
            ));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_command_has_an_example() {
    let mut without = Vec::new();
    for words in commands(&Cli::command(), &[]) {
        if !words.is_empty() && !short(&words).contains("\n  flylead ") {
            without.push(words.join(" "));
        }
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}

#[test]
fn the_overview_names_every_command() {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        words.map(str::to_owned).collect()
    };
    let named = words(syntax::OVERVIEW);
    for command in commands(&Cli::command(), &[]) {
        if let [word] = command.as_slice() {
            assert!(named.contains(word), "{word}");
        }
    }
}

#[test]
fn every_help_text_is_the_one_that_was_read() {
    let mut text = String::new();
    for words in commands(&Cli::command(), &[]) {
        let line = [&["flylead".to_owned()], words.as_slice()]
            .concat()
            .join(" ");
        let _ = write!(text, "$ {line} -h\n{}\n\n", short(&words));
        let _ = write!(text, "$ {line} --help\n{}\n\n", long(&words));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/help.txt");
    if env::var_os("FLYLEAD_GOLDEN").is_some() {
        fs::write(&path, &text).expect("the folder is there");
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    let changed = text
        .lines()
        .zip(known.lines())
        .find(|(new, old)| new != old);
    assert_eq!(
        changed, None,
        "run it with FLYLEAD_GOLDEN=write, and read the change"
    );
    assert_eq!(text.len(), known.len());
}
