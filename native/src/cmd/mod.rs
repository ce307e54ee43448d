//! The command line: what is common to all subcommands, and one file for each.

mod agent;
mod chain;
mod common;
mod completions;
mod debug;
mod each;
mod edit;
mod eval;
mod exec;
mod exit;
mod export;
mod fs;
mod info;
mod input;
mod install;
mod interrupts;
mod kept;
mod lease;
mod line;
mod man;
mod mcp;
mod mount;
mod pattern;
mod ports;
mod program;
mod repl;
mod repl_server;
mod reset;
mod romfs;
mod rtc;
mod run;
mod serve;
mod shutdown;
mod sleep;
mod stdin;
mod terminal;
mod test;
mod token;
mod zylisp;

use std::{
    env,
    ffi::{OsStr, OsString},
    process::ExitCode,
};

use clap::{
    ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, builder::Resettable,
};

use crate::leash;
pub(crate) use common::Common;
pub(crate) use exit::{Exit, Failure};

/// MicroPython boards, device exports, agents and Zylisp servers, from the terminal.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// To add a subcommand: a file with `struct Cmd` and `run`, a line here, and a line in [`dispatch`].
#[derive(Debug, Subcommand)]
enum Command {
    Agent(agent::Cmd),
    Ports(ports::Cmd),
    Exec(exec::Cmd),
    Eval(eval::Cmd),
    Run(run::Cmd),
    Test(test::Cmd),
    Debug(debug::Cmd),
    Repl(repl::Cmd),
    Mount(mount::Cmd),
    ReplServer(repl_server::Cmd),
    Each(each::Cmd),
    Fs(fs::Cmd),
    Edit(edit::Cmd),
    Install(install::Cmd),
    Mip(install::Mip),
    Info(info::Cmd),
    Reset(reset::Cmd),
    Romfs(romfs::Cmd),
    Rtc(rtc::Cmd),
    Sleep(sleep::Cmd),
    Serve(serve::Cmd),
    Export(export::Cmd),
    Zylisp(zylisp::Cmd),
    Mcp(mcp::Cmd),
    Completions(completions::Cmd),
    BoardPaths(completions::BoardPaths),
    Man(man::Cmd),
    KeepPlace(lease::Keep),
    // The commands of `fs`, without that word.
    #[command(flatten)]
    Files(fs::Action),
}

async fn dispatch(command: Command, common: &Common) -> Result<Exit, Failure> {
    match command {
        Command::Agent(cmd) => cmd.run(common).await,
        Command::Ports(cmd) => cmd.run(common).await,
        Command::Exec(cmd) => cmd.run(common).await,
        Command::Eval(cmd) => cmd.run(common).await,
        Command::Run(cmd) => cmd.run(common).await,
        Command::Test(cmd) => cmd.run(common).await,
        Command::Debug(cmd) => cmd.run(common).await,
        Command::Repl(cmd) => cmd.run(common).await,
        Command::Mount(cmd) => cmd.run(common).await,
        Command::ReplServer(cmd) => cmd.run(common).await,
        Command::Each(cmd) => cmd.run(common).await,
        Command::Fs(cmd) => cmd.run(common).await,
        Command::Edit(cmd) => cmd.run(common).await,
        Command::Install(cmd) => cmd.run(common).await,
        Command::Mip(cmd) => cmd.run(common).await,
        Command::Info(cmd) => cmd.run(common).await,
        Command::Reset(cmd) => cmd.run(common).await,
        Command::Romfs(cmd) => cmd.run(common).await,
        Command::Rtc(cmd) => cmd.run(common).await,
        Command::Sleep(cmd) => cmd.run(common).await,
        Command::Serve(cmd) => cmd.run(common).await,
        Command::Export(cmd) => cmd.run(common).await,
        Command::Zylisp(cmd) => cmd.run(common).await,
        Command::Mcp(cmd) => cmd.run(common).await,
        Command::Completions(cmd) => cmd.run(common).await,
        Command::BoardPaths(cmd) => cmd.run(common).await,
        Command::Man(cmd) => cmd.run(common).await,
        Command::KeepPlace(cmd) => cmd.run(common).await,
        Command::Files(action) => action.run(common).await,
    }
}

/// Reads the command line, runs what it says, and reports what went wrong.
pub(crate) fn main() -> ExitCode {
    let wants_json = env::args_os().any(|word| word == "--json");
    let mut command = command();
    let commands = match line::commands(env::args_os().collect(), &command) {
        Ok(commands) => commands,
        Err(failure) => return failure.report(wants_json),
    };
    let commands = commands.into_iter();
    let commands = commands.map(|line| parse(line, &mut command));
    let commands: Vec<_> = match commands.collect::<Result<_, _>>() {
        Ok(commands) => commands,
        Err(error) => return refuse(&error, wants_json),
    };
    let parent = commands.iter().find_map(|cli| cli.common.started_by);
    if let Some(parent) = parent {
        leash::wear(parent);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(chain::run(commands)),
        Err(error) => Failure::from(error).report(wants_json),
    }
}

/// A command line that is wrong, or asks for help.
fn refuse(error: &clap::Error, wants_json: bool) -> ExitCode {
    if error.use_stderr() && wants_json {
        let message = error.to_string();
        return Failure::new(Exit::Usage, message.trim_end()).report(true);
    }
    error.exit()
}

fn parse(line: Vec<OsString>, command: &mut clap::Command) -> Result<Cli, clap::Error> {
    let mut matches = command.try_get_matches_from_mut(line)?;
    let words = words(&matches);
    let mut cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(command))?;
    cli.common.command = words;
    Ok(cli)
}

/// The names of the command and of those below it: `fs cp`.
fn words(mut matches: &ArgMatches) -> String {
    let mut words = Vec::new();
    while let Some((word, below)) = matches.subcommand() {
        words.push(word);
        matches = below;
    }
    words.join(" ")
}

fn command() -> clap::Command {
    with_exit_codes(without_empty_variables(with_short_forms(Cli::command())))
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
        for words in commands(&command(), &["flylead".to_owned()]) {
            let asked = words.iter().map(String::as_str).chain(["--help"]);
            let help = command().try_get_matches_from(asked).unwrap_err();
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
