//! The command line: what is common to all subcommands, and one file for each.

mod agent;
mod common;
mod edit;
mod eval;
mod exec;
mod exit;
mod export;
mod fs;
mod hangup;
mod info;
mod input;
mod install;
mod interrupts;
mod mcp;
mod ports;
mod program;
mod repl;
mod reset;
mod run;
mod serve;
mod token;
mod zylisp;

use std::{env, ffi::OsStr, process::ExitCode};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, builder::Resettable};

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
    Repl(repl::Cmd),
    Fs(fs::Cmd),
    Edit(edit::Cmd),
    Install(install::Cmd),
    Info(info::Cmd),
    Reset(reset::Cmd),
    Serve(serve::Cmd),
    Export(export::Cmd),
    Zylisp(zylisp::Cmd),
    Mcp(mcp::Cmd),
}

async fn dispatch(command: Command, common: &Common) -> Result<Exit, Failure> {
    match command {
        Command::Agent(cmd) => cmd.run(common).await,
        Command::Ports(cmd) => cmd.run(common).await,
        Command::Exec(cmd) => cmd.run(common).await,
        Command::Eval(cmd) => cmd.run(common).await,
        Command::Run(cmd) => cmd.run(common).await,
        Command::Repl(cmd) => cmd.run(common).await,
        Command::Fs(cmd) => cmd.run(common).await,
        Command::Edit(cmd) => cmd.run(common).await,
        Command::Install(cmd) => cmd.run(common).await,
        Command::Info(cmd) => cmd.run(common).await,
        Command::Reset(cmd) => cmd.run(common).await,
        Command::Serve(cmd) => cmd.run(common).await,
        Command::Export(cmd) => cmd.run(common).await,
        Command::Zylisp(cmd) => cmd.run(common).await,
        Command::Mcp(cmd) => cmd.run(common).await,
    }
}

/// Reads the command line, runs what it says, and reports what went wrong.
pub(crate) fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let json = cli.common.json;
    if json && matches!(cli.command, Command::Repl(_)) {
        let message = "repl talks to a person, and has no --json; use exec or eval";
        return Failure::new(Exit::Usage, message).report(json);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(dispatch(cli.command, &cli.common)),
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(json),
    }
}

/// A command line that is wrong, or asks for help.
fn refuse(error: &clap::Error) -> ExitCode {
    let wants_json = env::args_os().any(|word| word == "--json");
    if error.use_stderr() && wants_json {
        let message = error.to_string();
        return Failure::new(Exit::Usage, message.trim_end()).report(true);
    }
    error.exit()
}

fn parse() -> Result<Cli, clap::Error> {
    let mut command = command();
    let mut matches = command.try_get_matches_from_mut(env::args_os())?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

fn command() -> clap::Command {
    let mut command = with_exit_codes(without_empty_variables(Cli::command()));
    // Options of all commands are options of each from here on.
    command.build();
    command.mut_subcommand("repl", |repl| repl.mut_arg("json", |json| json.hide(true)))
}

/// The command line, whose commands end their help with the exit codes, after their examples.
fn with_exit_codes(command: clap::Command) -> clap::Command {
    let examples = command
        .get_after_help()
        .map(|examples| format!("{examples}\n\n"));
    command
        .after_long_help(examples.unwrap_or_default() + EXIT_CODES)
        .mut_subcommands(with_exit_codes)
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
  1    the program on the board raised an exception; the traceback is on stderr
  2    the command line is wrong, or a file on this computer or a package could not be read or written
  3    there is no such board, or the link to it could not be opened
  4    the board was lost, or did not answer in time
  5    the board refused something with a file: there is no such file, no room; or a server or a device refused
       what it was asked
  6    done, but for some files of a directory that could not be copied; they are listed
  130  interrupted by Ctrl-C";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &mut clap::Command) {
        let help = command.render_long_help().to_string();
        assert!(help.contains("Exit codes:"), "{help}");
        assert_eq!(
            help.contains("--json"),
            command.get_name() != "repl" || help.contains("zylisp")
        );
        command
            .get_subcommands_mut()
            .filter(|command| command.get_name() != "help")
            .for_each(check);
    }

    #[test]
    fn the_help_of_each_command_has_the_exit_codes() {
        check(&mut command());
    }
}
