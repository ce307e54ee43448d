//! Confirmation before a board gets other firmware.

use std::io::{self, BufRead as _, IsTerminal as _};

use flylead::flash::Firmware;

use super::{Exit, Failure, Target, in_thread, visible_line};
use crate::cmd::terminal::say_part;

/// Asks on a terminal; elsewhere nobody can answer. The question waits in a thread, so that Ctrl-C can end it.
///
/// # Errors
/// When the answer is not yes.
pub(super) async fn ask(firmware: &Firmware, target: &Target) -> Result<(), Failure> {
    let name = visible_line(&firmware.name);
    let refused = |why: &str| {
        Err(Failure::new(
            Exit::Usage,
            format!("nothing was written: {why}"),
        ))
    };
    if !io::stdin().is_terminal() {
        return refused(&format!(
            "this would write {name} to {target}; use --yes to confirm"
        ));
    }
    say_part(format_args!("Write {name} to {target}? Type yes: "));
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
