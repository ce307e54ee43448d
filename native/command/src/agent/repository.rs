//! Shows a command's changes to a repository before they are kept.

use flylead_native::workspace::GitChange;

use super::keys;
use crate::terminal::{say, visible_line};

/// Shows changes to files that git obeys, and asks whether to keep them. Without a person to ask, they are not kept.
pub(super) fn may_stay(changes: &[GitChange]) -> bool {
    say("the command changed what git obeys:");
    for GitChange { path, text, .. } in changes {
        say(format_args!("--- {}", visible_line(path)));
        text.lines().for_each(|line| say(format_args!("  {line}")));
    }
    let names: Vec<_> = changes
        .iter()
        .map(|change| visible_line(&change.path))
        .collect();
    let question = format!("Let {} stay?", names.join(", "));
    keys::is_person_there() && keys::yes(&question).unwrap_or(false)
}
