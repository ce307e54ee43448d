//! Confirmation before a board gets other firmware.

use std::io::{self, BufRead as _, IsTerminal as _};

use flylead_native::flash::Firmware;

use super::{Exit, Failure, Target, in_thread, visible_line};
use crate::terminal::say_part;

/// Asks on a terminal; elsewhere nobody can answer.
///
/// # Errors
/// When the answer is not yes.
pub(super) async fn ask(firmware: &Firmware, target: &Target) -> Result<(), Failure> {
    let name = visible_line(&firmware.name);
    ask_whether(&format!("Write {name} to {target}?")).await
}

/// Asks a question that begins with a verb. It waits in a thread, so that Ctrl-C can end it.
///
/// # Errors
/// When the answer is not yes.
pub(super) async fn ask_whether(question: &str) -> Result<(), Failure> {
    let refused = |why: &str| {
        Err(Failure::new(
            Exit::Usage,
            format!("nothing was written: {why}"),
        ))
    };
    if !io::stdin().is_terminal() {
        let mut verb = question.trim_end_matches('?').to_owned();
        if let Some(first) = verb.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        return refused(&format!("this would {verb}; use --yes to confirm"));
    }
    say_part(format_args!("{question} Type yes: "));
    let read = in_thread(|| {
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(answer)
    });
    let answer = read.await?;
    match answer.trim() {
        "yes" | "y" => Ok(()),
        _ => refused("the answer was not yes"),
    }
}
