//! Commands that follow one another over one connection.

use std::process::ExitCode;

use super::kept::Kept;
use crate::{Cli, Common, Exit, Failure, board::ports::lease::Lease, dispatch};

/// Runs one command, or several until one fails.
pub(crate) async fn run(commands: Vec<Cli>) -> ExitCode {
    let json = commands.iter().any(|cli| cli.common.json);
    if let Err(failure) = check(&commands) {
        return failure.report(json);
    }
    // With many boards, each has a place of its own: `flylead each` passes the option on.
    let acquires = |cli: &&Cli| cli.common.acquire && cli.common.command != "each";
    let lease = match commands.iter().find(acquires) {
        Some(cli) => match Lease::take(&cli.common).await {
            Ok(lease) => lease,
            Err(failure) => return failure.report(json),
        },
        None => None,
    };
    let exit = run_all(commands, json).await;
    if let Some(lease) = lease
        && let Err(error) = lease.give_back().await
    {
        return Failure::from(error).report(json);
    }
    exit
}

async fn run_all(commands: Vec<Cli>, json: bool) -> ExitCode {
    let is_chain = commands.len() > 1;
    let kept = is_chain.then(Kept::default);
    let mut exit = Exit::Done;
    let mut trace = None;
    let last = commands.len().saturating_sub(1);
    for (
        at,
        Cli {
            mut common,
            command,
        },
    ) in commands.into_iter().enumerate()
    {
        common.kept.clone_from(&kept);
        // A pending read of a key cannot be cancelled, and would take the key from the next command.
        common.leaves_stdin = at < last;
        let port = common.port.clone();
        // One file records the conversation of all commands.
        if is_chain && trace.is_none() {
            trace = match common.trace() {
                Ok(trace) => trace,
                Err(failure) => return failure.report(json),
            };
        }
        common.open_trace.clone_from(&trace);
        match dispatch(command, &common).await {
            Ok(Exit::Done) => {}
            Ok(other) => {
                exit = other;
                break;
            }
            Err(failure) => {
                close(kept).await;
                return failure.at(&port).report(json);
            }
        }
    }
    close(kept).await;
    exit.into()
}

async fn close(kept: Option<Kept>) {
    if let Some(kept) = kept {
        kept.close().await;
    }
}

/// Checks that all commands of a chain are for one board.
fn check(commands: &[Cli]) -> Result<(), Failure> {
    let [first, _, ..] = commands else {
        return Ok(());
    };
    for Cli { common, .. } in commands {
        if common.port != first.common.port {
            let message = "the commands of a chain are for one board: name it before the first of them; `flylead each` is for many boards";
            return Err(Failure::new(Exit::Usage, message));
        }
        if !is_for_one_board(common) {
            let message = format!(
                "{} cannot be part of a chain; these commands can: {}",
                common.command,
                CHAINED.join(", ")
            );
            return Err(Failure::new(Exit::Usage, message));
        }
    }
    Ok(())
}

fn is_for_one_board(common: &Common) -> bool {
    let word = common.command.split(' ').next().unwrap_or_default();
    CHAINED.contains(&word) || crate::files::fs::is_action(word)
}

const CHAINED: [&str; 14] = [
    "exec", "eval", "run", "repl", "mount", "fs", "edit", "install", "mip", "info", "reset",
    "wifi", "rtc", "sleep",
];
