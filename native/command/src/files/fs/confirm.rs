//! Confirmation before everything is removed.

use std::io::{self, BufRead as _, IsTerminal as _};

use flylead_native::{Board, BoardError, deploy::absolute, literal::Literal};
use serde_json::json;

use super::{Exit, Failure};
use crate::terminal::say_part;

/// Asks on a terminal whether to remove `what`; elsewhere nobody can answer.
///
/// # Errors
/// When the answer is not yes.
pub(crate) fn confirm(what: &dyn std::fmt::Display) -> Result<(), Failure> {
    let refused = |why: &str| {
        let message = format!("nothing was removed: {why}");
        Err(Failure::new(Exit::Usage, message))
    };
    if !io::stdin().is_terminal() {
        return refused(&format!("this would remove {what}; use --force to confirm"));
    }
    say_part(format_args!("Remove {what}? Type yes: "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => refused("the answer was not yes"),
    }
}

/// Returns true if a path contains a whole file system: the root, the board's current directory,
/// the root of a card.
pub(crate) async fn is_whole_file_system(
    board: &mut Board,
    path: &str,
) -> Result<bool, BoardError> {
    let cwd = match board.value_of_own("__import__('os').getcwd()").await? {
        Some(Literal::Text(cwd)) => cwd,
        _ => "/".to_owned(),
    };
    let path = absolute(&cwd, path);
    if path == "/" || format!("{cwd}/").starts_with(&format!("{path}/")) {
        return Ok(true);
    }
    // JSON writes text as Python reads it.
    let [path, parent] = [json!(path), json!(absolute(&path, ".."))];
    let differs = format!("(lambda s:s({path})!=s({parent}))(__import__('os').statvfs)");
    Ok(board.value_of_own(&differs).await? == Some(Literal::Bool(true)))
}
