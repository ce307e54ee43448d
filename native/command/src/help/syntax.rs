//! Syntax of the command line: the commands and their options, and additions to all of them.

use std::{
    env,
    ffi::{OsStr, OsString},
};

use clap::{Args as _, CommandFactory as _, Subcommand as _, builder::Resettable};

use super::examples::EXAMPLES;
use crate::{Cli, Command, Common, board::selftest, define, files::fs, programs::test, zylisp};

/// Returns the whole syntax, as used by help, completions and the manual.
pub(crate) fn whole() -> clap::Command {
    let examples = with_examples(Cli::command(), "");
    let command = without_empty_variables(with_short_forms(examples));
    with_exit_codes(command, EXIT_CODES)
}

/// Returns the options of all commands, and the command that a line seems to name.
///
/// With all commands, clap would define forty, and copy these options into each of them, before it reads a line: a
/// millisecond of the three that `exec` takes as a whole.
pub(crate) fn of_the_named(line: &[OsString]) -> Option<clap::Command> {
    let words = line.iter().skip(1).filter_map(|word| word.to_str());
    let mut words = words.skip_while(|word| !is_command(word));
    let named = match words.next()? {
        "fs" => clap::Command::new("fs").subcommand(words.find_map(fs::define)?),
        word => define(word)?,
    };
    Some(without_empty_variables(common().subcommand(named)))
}

/// Returns true if a command has this name.
pub(crate) fn is_command(word: &str) -> bool {
    Command::has_subcommand(word)
}

/// Returns true if this option before the command takes the next word as its value.
pub(crate) fn takes_next(option: &str) -> bool {
    common().get_arguments().any(|argument| {
        let long = argument.get_long().map(|long| format!("--{long}"));
        let short = argument.get_short().map(|short| format!("-{short}"));
        let is_it = long.as_deref() == Some(option) || short.as_deref() == Some(option);
        is_it && argument.get_action().takes_values()
    })
}

/// Returns the options of all commands, without any command.
fn common() -> clap::Command {
    Common::augment_args(clap::Command::new("flylead"))
}

/// Adapts the command line's help, which names the commands of `fs` in one place, although they also exist without
/// `fs`.
fn with_short_forms(command: clap::Command) -> clap::Command {
    let files = command.find_subcommand("fs").into_iter();
    let files = files.flat_map(clap::Command::get_subcommands);
    let short: Vec<_> = files.map(|file| file.get_name().to_owned()).collect();
    let list = short.join(", ");
    let hidden = short.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| command.hide(true))
    });
    hidden.after_help(format!(
        "{BEGINNING}

{list} are short for fs {first} and so on; mip installs from MicroPython's own index.
Before a command, a0, u1, c3 are short for --port /dev/ttyACM0, /dev/ttyUSB1, COM3. Commands
for one board can share a connection: flylead cp a.py : + run a.py + repl. Define your own
shortcuts by lines such as blink = \"run blink.py\" below [shortcuts] in {SETTINGS}.",
        first = short.first().map_or("", String::as_str),
    ))
}

/// Commands to begin with.
pub(super) const BEGINNING: &str = "  flylead ports            which boards are plugged in
  flylead repl             the board's own prompt; Ctrl-X leaves
  flylead run main.py      run a file of this computer on the board
  flylead sync src :lib    copy what differs to the board
  flylead serve            edit, run and debug in a browser";

/// The file of settings; `flylead_native::state` has the rules.
const SETTINGS: &str = if cfg!(windows) {
    "%APPDATA%\\flylead\\config.toml"
} else if cfg!(target_os = "macos") {
    "~/Library/Application Support/flylead/config.toml"
} else {
    "~/.config/flylead/config.toml"
};

/// The page that `flylead -h` prints: all commands, on one screen.
pub(super) const OVERVIEW: &str = "\
The workbench for MicroPython boards

Usage: flylead [OPTIONS] <COMMAND> [+ <COMMAND>...]

Boards:    ports, flash, wifi, info, doctor, check, selftest, reset, rtc, each
Run:       repl, exec, eval, run, test, debug, mount
Files:     ls, tree, cat, cp, sync, mv, rm, mkdir, touch, edit, stat, df, sha256
Packages:  install, mip, romfs
Deploy:    deploy, rollback, backup, restore
Share:     serve, repl-server, mcp
Record:    log, export
More:      fs, sleep, agent, zylisp, completions, man, help

All commands: -p ADDRESS --baud N --timeout SECONDS --json --trace FILE -v
`flylead --help` says more, and `flylead COMMAND -h` describes one command.";

/// Adds the examples of commands that have none in their own file.
fn with_examples(command: clap::Command, words: &str) -> clap::Command {
    let examples = EXAMPLES.iter().find(|(of, _)| *of == words);
    let command = match examples {
        Some((_, lines)) => command.after_help(format!("Examples:\n{}", indented(lines))),
        None => command,
    };
    let words = words.to_owned();
    command.mut_subcommands(move |below| {
        let words = format!("{words} {}", below.get_name());
        with_examples(below, words.trim_start())
    })
}

fn indented(lines: &str) -> String {
    let lines: Vec<_> = lines
        .lines()
        .map(|line| format!("  flylead {line}"))
        .collect();
    lines.join("\n")
}

/// Adds the exit codes to the help of each command, after its examples.
fn with_exit_codes(command: clap::Command, above: &'static str) -> clap::Command {
    let examples = command
        .get_after_help()
        .map(|examples| format!("{examples}\n\n"));
    let codes = exit_codes(command.get_name(), above);
    command
        .after_long_help(examples.unwrap_or_default() + codes)
        .mut_subcommands(|below| with_exit_codes(below, codes))
}

/// Returns the exit codes of a command; those of tests are pytest's, and most others have those of the command above.
fn exit_codes(command: &str, above: &'static str) -> &'static str {
    match command {
        "test" => test::EXIT_CODES,
        "selftest" => selftest::EXIT_CODES,
        "zylisp" => zylisp::EXIT_CODES,
        _ => above,
    }
}

/// Makes the command line ignore empty environment variables: scripts and containers set variables to an empty text if
/// they have no value.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| match argument.get_env().is_some_and(is_empty) {
            true => argument.env(Resettable::Reset),
            false => argument,
        })
        .mut_subcommands(without_empty_variables)
}

fn is_empty(variable: &OsStr) -> bool {
    env::var_os(variable).is_some_and(|value| value.is_empty())
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the program on the board raised an exception; its traceback is on stderr
  2    the command line is wrong, or something on this computer: a file, a package
  3    there is no such board, or the link to it could not be opened
  4    the board was lost, or did not answer in time
  5    the board refused: no such file, not enough space; or a server refused
  6    done, except some files that could not be copied; they are listed
  7    another tool is using the board, and --no-wait or --timeout ended the wait
  130  interrupted by Ctrl-C";

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise, it would be read by the syntax of all commands, as slowly as errors are.
    #[test]
    fn each_command_is_read_by_its_own_syntax() {
        for command in Cli::command().get_subcommands() {
            let line = ["flylead", command.get_name(), "ls"].map(OsString::from);
            let named = of_the_named(&line).unwrap();
            let named = named.find_subcommand(command.get_name()).unwrap();
            let options = |command: &clap::Command| {
                let options = command.get_arguments();
                options
                    .map(|option| option.get_id().to_string())
                    .collect::<Vec<_>>()
            };
            assert_eq!(options(named), options(command), "{}", command.get_name());
        }
    }

    /// Returns the words that lead to each command and to its subcommands.
    fn commands(command: &clap::Command, above: &[String]) -> Vec<Vec<String>> {
        let below = command.get_subcommands().flat_map(|command| {
            let words = [above, &[command.get_name().to_owned()]].concat();
            commands(command, &words)
        });
        [above.to_vec()].into_iter().chain(below).collect()
    }

    #[test]
    fn the_help_of_each_command_has_the_exit_codes_and_json_where_there_is_any() {
        for words in commands(&whole(), &["flylead".to_owned()]) {
            let asked = words.iter().map(String::as_str).chain(["--help"]);
            let help = whole().try_get_matches_from(asked).unwrap_err();
            assert_eq!(
                help.kind(),
                clap::error::ErrorKind::DisplayHelp,
                "{words:?}"
            );
            let help = help.to_string();
            let codes = words
                .iter()
                .fold(EXIT_CODES, |above, word| exit_codes(word, above));
            assert!(help.contains(codes), "{words:?}: {help}");
            assert_eq!(
                help.contains("--json"),
                words != ["flylead", "repl"] && words != ["flylead", "zylisp", "serve"],
                "{words:?}"
            );
        }
    }
}
