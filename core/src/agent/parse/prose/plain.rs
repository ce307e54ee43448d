//! Removes characters that never occur in code, and refuses patterns in place of paths.

use crate::agent::parse::{fault::Reason, note::Note, prose::invented};
use crate::agent::{
    characters::{Extent, repair_file, repair_script},
    command::Command,
    settings::Commands,
};

/// Repairs the code of a command.
pub(in crate::agent::parse) fn repair(
    command: &mut Command,
    commands: Commands,
) -> Result<Option<Note>, Reason> {
    let curly = |line| Reason::Curly { line };
    let repaired = match command {
        Command::CreateFile { path, content } => put(
            content,
            repair_file(path, content, Extent::Whole).map_err(curly)?,
        ),
        // A part of a file may begin inside a text.
        Command::AppendFile { path, content } => put(
            content,
            repair_file(path, content, Extent::Lines).map_err(curly)?,
        ),
        Command::EditFile {
            path, replacement, ..
        } => put(
            replacement,
            repair_file(path, replacement, Extent::Lines).map_err(curly)?,
        ),
        Command::ReplaceText {
            path, replacements, ..
        } => {
            let mut is_repaired = false;
            for it in replacements {
                let repaired = repair_file(path, &it.replace, Extent::Lines).map_err(curly)?;
                is_repaired |= put(&mut it.replace, repaired);
            }
            is_repaired
        }
        Command::RunCommand { command } => {
            let repaired = repair_script(command, commands).map_err(curly)?;
            put(command, repaired)
        }
        Command::DeleteFile { .. }
        | Command::ReadFile(_)
        | Command::Message { .. }
        | Command::Done { .. } => false,
    };
    Ok(repaired.then_some(Note::Characters))
}

/// Refuses a pattern as the path of a file to read or delete.
pub(in crate::agent::parse) fn refuse_pattern(command: &Command) -> Result<(), Reason> {
    match command {
        Command::ReadFile(request) if invented::is_pattern(&request.path) => Err(Reason::Pattern),
        Command::DeleteFile { path } if invented::is_pattern(path) => Err(Reason::Pattern),
        _ => Ok(()),
    }
}

/// Returns true for a command that would not be read unchanged without `exact="yes"`.
pub(in crate::agent::parse) fn needs_exact(command: &Command) -> bool {
    let is_list = |path: &str| !invented::list(path).is_empty();
    let mut copy = command.clone();
    refuse_pattern(command).is_err()
        || [Commands::Shell, Commands::Python]
            .into_iter()
            .any(|commands| repair(&mut copy, commands).is_err())
        || copy != *command
        || matches!(command, Command::ReadFile(request) if is_list(&request.path))
}

fn put(text: &mut alloc::string::String, repaired: Option<alloc::string::String>) -> bool {
    match repaired {
        Some(repaired) => {
            *text = repaired;
            true
        }
        None => false,
    }
}
