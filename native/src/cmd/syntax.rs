//! What clap knows of the command line: the commands and their options, and what is put to them all.

use std::{
    env,
    ffi::{OsStr, OsString},
};

use clap::{Args as _, CommandFactory as _, Subcommand as _, builder::Resettable};

use super::{Cli, Command, Common, define, fs, test};

/// All of it, as help, completions and the manual have it.
pub(super) fn whole() -> clap::Command {
    with_exit_codes(without_empty_variables(with_short_forms(Cli::command())))
}

/// The options of all commands, and the command that a line seems to name.
///
/// With all commands clap would define forty, and copy these options into each of them, before it reads a line: a
/// millisecond, of the three that `exec` takes as a whole.
pub(super) fn of_the_named(line: &[OsString]) -> Option<clap::Command> {
    let words = line.iter().skip(1).filter_map(|word| word.to_str());
    let mut words = words.skip_while(|word| !is_command(word));
    let named = match words.next()? {
        "fs" => clap::Command::new("fs").subcommand(words.find_map(fs::define)?),
        word => define(word)?,
    };
    Some(without_empty_variables(common().subcommand(named)))
}

/// Whether a command is called so.
pub(super) fn is_command(word: &str) -> bool {
    Command::has_subcommand(word)
}

/// Whether the word behind this option, which stands before the command, is its value.
pub(super) fn takes_next(option: &str) -> bool {
    common().get_arguments().any(|argument| {
        let long = argument.get_long().map(|long| format!("--{long}"));
        let short = argument.get_short().map(|short| format!("-{short}"));
        let is_it = long.as_deref() == Some(option) || short.as_deref() == Some(option);
        is_it && argument.get_action().takes_values()
    })
}

/// The options of all commands, and no command.
fn common() -> clap::Command {
    Common::augment_args(clap::Command::new("flylead"))
}

/// The command line, whose help names the commands of `fs` in one place, although they are there without `fs`, too.
fn with_short_forms(command: clap::Command) -> clap::Command {
    let files = command.find_subcommand("fs").into_iter();
    let files = files.flat_map(clap::Command::get_subcommands);
    let short: Vec<_> = files.map(|file| file.get_name().to_owned()).collect();
    let list = short.join(", ");
    let hidden = short.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| command.hide(true))
    });
    hidden.after_help(format!(
        "{list} are short for fs {first} and so on, mip for install from MicroPython's own index;
a0, u1, c3 before a command for --port /dev/ttyACM0, /dev/ttyUSB1, COM3. Commands for one
board make a chain over one connection: flylead cp a.py : + run a.py + repl. Shortcuts of
your own are lines such as blink = \"run blink.py\" below [shortcuts] in
~/.config/flylead/config.toml.",
        first = short.first().map_or("", String::as_str),
    ))
}

/// The command line, whose commands end their help with the exit codes, after their examples.
fn with_exit_codes(command: clap::Command) -> clap::Command {
    let examples = command
        .get_after_help()
        .map(|examples| format!("{examples}\n\n"));
    let codes = exit_codes(command.get_name());
    command
        .after_long_help(examples.unwrap_or_default() + codes)
        .mut_subcommands(with_exit_codes)
}

/// Those of tests are pytest's.
fn exit_codes(command: &str) -> &'static str {
    match command {
        "test" => test::EXIT_CODES,
        _ => EXIT_CODES,
    }
}

/// The command line, on which a variable of the environment that is empty is as good as none: scripts and containers
/// set variables to nothing where they have nothing to say.
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
  5    the board refused: there is no such file, no room; or a server refused
  6    done, but for some files that could not be copied; they are listed
  7    another tool has its turn at the board, and --no-wait or --timeout would not wait longer
  130  interrupted by Ctrl-C";

#[cfg(test)]
mod tests {
    use super::*;

    /// Or else it would be read by the syntax of all commands, as slowly as errors are.
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

    /// The words that lead to each command, and those of the commands below it.
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
            let codes = exit_codes(words.last().unwrap());
            assert!(help.contains(codes), "{words:?}: {help}");
            assert_eq!(
                help.contains("--json"),
                words != ["flylead", "repl"] && words != ["flylead", "zylisp", "serve"],
                "{words:?}"
            );
        }
    }
}
