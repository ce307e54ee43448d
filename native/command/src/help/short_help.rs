//! Help that `-h` prints: one screen for each command, with its options on a line each. `--help` has the full text.

use std::{ffi::OsString, fmt::Write as _};

use clap::{Arg, Command};

use super::syntax;

/// Returns the page that a line with `-h` asks for.
pub(crate) fn answer(line: &[OsString]) -> Option<String> {
    let words = line.iter().skip(1).map_while(|word| word.to_str());
    let words: Vec<_> = words.take_while(|word| *word != "--").collect();
    words.contains(&"-h").then(|| {
        let mut whole = syntax::whole();
        whole.build();
        page(named(&whole, &words))
    })
}

/// Returns the command that the words name, or the closest one above it.
fn named<'a>(whole: &'a Command, words: &[&str]) -> &'a Command {
    let (mut command, mut at) = (whole, 0);
    while let Some(word) = words.get(at) {
        at += 1 + usize::from(syntax::takes_next(word));
        command = command.find_subcommand(word).unwrap_or(command);
    }
    command
}

/// Returns the page of a command: at most [`LINES`] lines of [`COLUMNS`] columns.
pub(crate) fn page(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    let usage = command.clone().render_usage().to_string();
    let mut page = format!(
        "{}\n\n{}\n",
        within(&about.unwrap_or_default(), COLUMNS),
        within(usage.lines().next().unwrap_or_default().trim(), COLUMNS)
    );
    let examples = examples(command);
    let taken = page.lines().count() + examples.len().min(3) + 4;
    let rows = rows(command);
    let left = LINES.saturating_sub(taken);
    let shown = match rows.len() > left {
        // One line names the rows that have none of their own.
        true => left.saturating_sub(1),
        false => rows.len(),
    };
    let width = rows
        .iter()
        .take(shown)
        .map(|(name, _)| name.chars().count());
    let width = width.max().unwrap_or(0).min(NAME);
    if !rows.is_empty() {
        page.push('\n');
    }
    let wrapped: Vec<_> = rows[..shown]
        .iter()
        .map(|row| wrapped(row, width))
        .collect();
    let fits = wrapped.iter().map(Vec::len).sum::<usize>() + (rows.len() - shown) <= left;
    for lines in wrapped {
        let is_cut = !fits && lines.len() > 1;
        let first = lines.first().cloned().unwrap_or_default();
        match is_cut {
            true => page.push_str(&format!("{}…\n", within(&first, COLUMNS - 1))),
            false => page.push_str(&format!("{}\n", lines.join("\n"))),
        }
    }
    if shown < rows.len() {
        let names = rows[shown..].iter().map(|(name, _)| name.trim_start());
        let names = names.map(|name| name.split([',', ' ']).next().unwrap_or(name));
        let names: Vec<_> = names.collect();
        let _ = writeln!(
            page,
            "{}",
            within(&format!("  {}", names.join(" ")), COLUMNS)
        );
    }
    if !examples.is_empty() {
        page.push('\n');
    }
    for example in examples.iter().take(3) {
        let _ = writeln!(page, "{}", within(example, COLUMNS));
    }
    let _ = write!(page, "\n{ALL_COMMANDS}\n");
    page
}

/// Returns the subcommands of a command, its arguments and its own options, each with its text.
fn rows(command: &Command) -> Vec<(String, String)> {
    let below = command.get_subcommands();
    let below = below.filter(|below| !below.is_hide_set() && below.get_name() != "help");
    let below = below.map(|below| {
        let about = below.get_about().map(ToString::to_string);
        (
            below.get_name().to_owned(),
            clause(&about.unwrap_or_default()),
        )
    });
    let own = |argument: &&Arg| {
        !argument.is_hide_set() && !argument.is_global_set() && argument.get_id() != "help"
    };
    let arguments = command.get_arguments().filter(own);
    let arguments = arguments.map(|argument| {
        let help = argument.get_help().map(ToString::to_string);
        (name(argument), clause(&help.unwrap_or_default()))
    });
    below.chain(arguments).collect()
}

fn name(argument: &Arg) -> String {
    let values = argument.get_value_names().unwrap_or_default();
    let value = match argument.get_action().takes_values() {
        true => values.first().map(ToString::to_string).unwrap_or_default(),
        false => String::new(),
    };
    match (argument.get_short(), argument.get_long()) {
        (None, None) => format!("<{value}>"),
        (Some(short), None) => format!("-{short} {value}"),
        (Some(short), Some(long)) => format!("-{short}, --{long} {value}"),
        (None, Some(long)) => format!("    --{long} {value}"),
    }
    .trim_end()
    .to_owned()
}

/// Returns the first clause of a text.
fn clause(text: &str) -> String {
    let ends = ["; ", ". ", ": ", " [", " (", "\n"];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Returns the lines of the examples in a command's help.
fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    let lines = help.lines().filter(|line| line.starts_with("  flylead "));
    lines.map(str::to_owned).collect()
}

/// Returns a row, with its text in as many lines as it needs beside the name.
fn wrapped((name, text): &(String, String), width: usize) -> Vec<String> {
    let mut lines = vec![format!("  {name:width$} ")];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if line.chars().count() + 1 + word.chars().count() < COLUMNS {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(format!("{:indent$}{word}", "", indent = width + 4));
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

/// Cuts a text to a width, at the end of a word.
fn within(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let cut: String = text.chars().take(width - 1).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

/// The options of all commands, on one line.
const ALL_COMMANDS: &str =
    "All commands: -p ADDRESS --baud --timeout --json --trace -v; more: --help";
const LINES: usize = 24;
const COLUMNS: usize = 80;
/// Width in columns of the longest name that moves the texts of the others.
const NAME: usize = 28;
