//! Before everything is removed.

use std::io::{self, BufRead as _, IsTerminal as _};

use flylead::{Board, BoardError, literal::Literal};
use serde_json::json;

use super::{Exit, Failure};
use crate::cmd::terminal::say_part;

/// Asks on a terminal whether `what` shall be removed; elsewhere nobody can answer.
///
/// # Errors
/// The answer was not yes.
pub(crate) fn confirm(what: &dyn std::fmt::Display) -> Result<(), Failure> {
    let refused = |why: &str| {
        let message = format!("nothing was removed: {why}");
        Err(Failure::new(Exit::Usage, message))
    };
    if !io::stdin().is_terminal() {
        return refused(&format!(
            "this would remove {what}; say --force if that is meant"
        ));
    }
    say_part(format_args!("Remove {what}? Type yes: "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => refused("the answer was not yes"),
    }
}

/// Whether all of a file system is below a path: the root, the board's current directory, the root of a card.
pub(crate) async fn is_whole_file_system(
    board: &mut Board,
    path: &str,
) -> Result<bool, BoardError> {
    let cwd = match ask(board, "__import__('os').getcwd()").await? {
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
    Ok(ask(board, &differs).await? == Some(Literal::Bool(true)))
}

/// The value of an expression; `None` when it raises.
async fn ask(board: &mut Board, expression: &str) -> Result<Option<Literal>, BoardError> {
    match board.eval(expression).await {
        Ok(value) => Ok(Some(Literal::parse(&value))),
        Err(BoardError::Raised(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A path from the root, without `.` and `..`.
fn absolute(cwd: &str, path: &str) -> String {
    let from_root = match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{cwd}/{path}"),
    };
    let mut names = Vec::new();
    for name in from_root.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_same_however_it_is_written() {
        for (path, whole) in [
            ("", "/flash"),
            (".", "/flash"),
            ("lib//x/..", "/flash/lib"),
            ("../flash/", "/flash"),
            ("/", "/"),
            ("/..", "/"),
            ("/sd/.", "/sd"),
        ] {
            assert_eq!(absolute("/flash", path), whole, "{path}");
        }
    }
}
