//! The `flylead` command: what is common to all subcommands, and one file for each.
// Everything for the user's terminal goes through `terminal`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod agent;
mod board;
mod common;
mod exit;
mod files;
mod help;
mod line;
mod logs;
mod mcp;
mod programs;
mod serve;
mod terminal;
mod zylisp;

use std::{env, ffi::OsString, pin::Pin, process::ExitCode};

use clap::{ArgMatches, Args as _, FromArgMatches as _, Parser, Subcommand, error::ErrorKind};
use flylead_native::on_deep_stack;

use board::each::children;
use common::Common;
use exit::{Exit, Failure};
use help::{greeting, short_help, syntax};

/// The workbench for MicroPython boards: flash, edit, run, debug, test, share.
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

/// The commands, the words for them, and their arguments.
macro_rules! commands {
    ($($word:literal $command:ident($arguments:ty),)*) => {
        #[derive(Debug, Subcommand)]
        #[expect(clippy::large_enum_variant, reason = "there is one, for as long as the command runs")]
        enum Command {
            $(#[command(name = $word)]
            $command($arguments),)*
            // The commands of `fs`, without that word.
            #[command(flatten)]
            Files(files::fs::Action),
        }

        async fn dispatch(command: Command, common: &Common) -> Result<Exit, Failure> {
            match command {
                $(Command::$command(command) => boxed(|| command.run(common)).await,)*
                Command::Files(action) => boxed(|| action.run(common)).await,
            }
        }

        /// Returns clap's definition of the command with this name.
        fn define(word: &str) -> Option<clap::Command> {
            match word {
                $($word => Some(<$arguments>::augment_args(clap::Command::new($word))),)*
                word => files::fs::define(word),
            }
        }
    };
}

// To add one: a file with `struct Cmd` and `run`, and a line here.
commands! {
    "ports" Ports(board::ports::Cmd),
    "exec" Exec(programs::exec::Cmd),
    "eval" Eval(programs::eval::Cmd),
    "run" Run(programs::run::Cmd),
    "test" Test(programs::test::Cmd),
    "debug" Debug(programs::debug::Cmd),
    "repl" Repl(programs::repl::Cmd),
    "mount" Mount(programs::mount::Cmd),
    "repl-server" ReplServer(serve::repl_server::Cmd),
    "each" Each(board::each::Cmd),
    "fs" Fs(files::fs::Cmd),
    "backup" Backup(files::backup::Cmd),
    "restore" Restore(files::backup::Restore),
    "check" Check(files::check::Cmd),
    "deploy" Deploy(files::deploy::Cmd),
    "rollback" Rollback(files::deploy::Rollback),
    "edit" Edit(files::edit::Cmd),
    "install" Install(files::install::Cmd),
    "mip" Mip(files::install::Mip),
    "info" Info(board::info::Cmd),
    "doctor" Doctor(board::doctor::Cmd),
    "selftest" Selftest(board::selftest::Cmd),
    "reset" Reset(board::reset::Cmd),
    "flash" Flash(board::flash::Cmd),
    "wifi" Wifi(board::wifi::Cmd),
    "romfs" Romfs(files::romfs::Cmd),
    "rtc" Rtc(board::rtc::Cmd),
    "sleep" Sleep(board::sleep::Cmd),
    "serve" Serve(serve::Cmd),
    "log" Log(logs::log::Cmd),
    "export" Export(logs::export::Cmd),
    "agent" Agent(agent::Cmd),
    "zylisp" Zylisp(zylisp::Cmd),
    "mcp" Mcp(mcp::command::Cmd),
    "completions" Completions(help::completions::Cmd),
    "board-paths" BoardPaths(help::completions::BoardPaths),
    "man" Man(help::man::Cmd),
    "keep-place" KeepPlace(board::ports::lease::Keep),
}

/// Reads the command line, runs it, and reports errors.
fn main() -> ExitCode {
    let wants_json = env::args_os().any(|word| word == "--json");
    if let Some(exit) = greeting::answer(env::args_os().skip(1)) {
        return exit;
    }
    let commands = match line::commands(env::args_os().collect()) {
        Ok(commands) => commands,
        Err(failure) => return failure.report(wants_json),
    };
    let asks = commands.iter().find_map(|line| short_help::answer(line));
    let commands = commands.into_iter().map(|line| parse(&line));
    let commands: Vec<_> = match commands.collect::<Result<_, _>>() {
        Err(error) if error.kind() == ErrorKind::DisplayHelp && asks.is_some() => {
            return greeting::show(asks.unwrap_or_default());
        }
        Ok(commands) => commands,
        Err(error) => return refuse(&error, wants_json),
    };
    let parent = commands.iter().find_map(|cli| cli.common.started_by);
    if let Some(parent) = parent {
        children::watch_parent(parent);
    }
    let is_debugger = |cli: &Cli| matches!(cli.command, Command::Debug(_));
    let is_deep = commands.iter().any(is_debugger);
    let work = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        match runtime {
            Ok(runtime) => runtime.block_on(line::chain::run(commands)),
            Err(error) => Failure::from(error).report(wants_json),
        }
    };
    if !is_deep {
        return work();
    }
    // The debugger reads its programs later, and each module that one imports.
    on_deep_stack(usize::MAX, work).unwrap_or_else(|| {
        let why = "not enough memory for the debugger's thread";
        Failure::new(Exit::Usage, why).report(wants_json)
    })
}

/// Creates a large future on the heap. Otherwise its caller has room for it on the stack, and so has each caller of that
/// one.
fn boxed<F: Future>(create: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::pin(create())
}

/// Answers a command line that is invalid, or asks for help.
fn refuse(error: &clap::Error, wants_json: bool) -> ExitCode {
    if error.use_stderr() && wants_json {
        let message = error.to_string();
        return Failure::new(Exit::Usage, message.trim_end()).report(true);
    }
    error.exit()
}

/// Parses a command line. Most lines need only the command that they name; errors and help need all commands.
fn parse(line: &[OsString]) -> Result<Cli, clap::Error> {
    let named = syntax::of_the_named(line);
    let read = named.and_then(|mut named| parse_by(line, &mut named).ok());
    match read {
        Some(cli) => Ok(cli),
        None => parse_by(line, &mut syntax::whole()),
    }
}

fn parse_by(line: &[OsString], syntax: &mut clap::Command) -> Result<Cli, clap::Error> {
    let mut matches = syntax.try_get_matches_from_mut(line)?;
    let words = words(&matches);
    let mut cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(syntax))?;
    cli.common.command = words;
    Ok(cli)
}

/// Returns the names of the command and its subcommands, such as `fs cp`.
fn words(mut matches: &ArgMatches) -> String {
    let mut words = Vec::new();
    while let Some((word, below)) = matches.subcommand() {
        words.push(word);
        matches = below;
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_by_the_syntax_of_all_commands() {
        for (line, command) in [
            ("flylead exec 1+1", Some("exec")),
            ("flylead -v --baud 9600 fs cp a :", Some("fs cp")),
            ("flylead cp a : --timeout 3", Some("cp")),
            ("flylead fs --port cp ls :", Some("fs ls")),
            ("flylead --json fs rm -r :cp", Some("fs rm")),
            ("flylead fs", None),
            ("flylead fs nope", None),
            // A board may have the name of a command.
            ("flylead --port exec ls", Some("ls")),
            ("flylead --port=run exec 1", Some("exec")),
            ("flylead --json", None),
            ("flylead exce 1", None),
            ("flylead help exec", None),
        ] {
            let line: Vec<_> = line.split(' ').map(OsString::from).collect();
            let whole = parse_by(&line, &mut syntax::whole());
            match (parse(&line), whole) {
                (Ok(read), Ok(whole)) => {
                    assert_eq!(Some(read.common.command.as_str()), command, "{line:?}");
                    assert_eq!(format!("{read:?}"), format!("{whole:?}"));
                }
                (Err(read), Err(whole)) => {
                    assert_eq!(None, command, "{line:?}");
                    assert_eq!(read.to_string(), whole.to_string());
                }
                (read, whole) => panic!("{line:?}: {read:?}, {whole:?}"),
            }
        }
    }
}
