//! Answers to `flylead` alone and to `flylead -h`.

use std::{ffi::OsString, process::ExitCode};

use flylead_native::{
    flash::Drive,
    link::{self, names::Names},
};

use super::syntax::{BEGINNING, OVERVIEW};
use crate::{Failure, board::ports::as_table, terminal::print};

/// Answers a line that has no command, or asks for the overview.
pub(crate) fn answer(mut words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let text = match (words.next(), words.next()) {
        (None, _) => greeting(&plugged_in()),
        (Some(word), None) if word == "-h" => format!("{OVERVIEW}\n"),
        _ => return None,
    };
    Some(show(text))
}

/// Prints a page of help.
pub(crate) fn show(text: String) -> ExitCode {
    match print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::from(error).report(false),
    }
}

fn greeting(boards: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "Flylead {version}, the workbench for MicroPython boards

{BEGINNING}

{boards}
`flylead -h` lists all commands, and `flylead COMMAND -h` describes one.
"
    )
}

/// Returns the list of boards on USB; if there are none, advice.
fn plugged_in() -> String {
    let ports = link::ports().unwrap_or_default();
    let boards: Vec<_> = ports
        .into_iter()
        .filter(|port| port.usb.is_some())
        .collect();
    if boards.is_empty() {
        return without_port();
    }
    let names = Names::load().unwrap_or_default();
    format!("Plugged in:\n{}", as_table(&boards, &names))
}

/// Returns the list of boards in their boot loaders, whose drives may not be mounted; if there are none, advice.
fn without_port() -> String {
    let drives = Drive::find();
    if !drives.is_empty() {
        let drives: String = drives.iter().map(|drive| format!("  {drive}\n")).collect();
        return format!("Waiting for firmware, which `flylead flash` puts there:\n{drives}");
    }
    let waiting = link::boot_loaders();
    let waiting: String = waiting.iter().map(|it| format!("  {it}\n")).collect();
    match waiting.is_empty() {
        true => {
            "No board was found; if one is plugged in, `flylead doctor` finds out why.\n".to_owned()
        }
        false => format!("Waiting for firmware:\n{waiting}"),
    }
}
