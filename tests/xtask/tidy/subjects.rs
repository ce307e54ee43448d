//! Subjects of commits that have not landed yet (docs/style.md, 8).

use crate::shell::Shell;
use anyhow::Result;

/// Faults in the subjects of the commits that the main branch does not have.
pub(super) fn faults(shell: &Shell) -> Result<Vec<String>> {
    let mut log = shell.command("git", &["log", "--no-merges", "--format=%s"]);
    match landed(shell) {
        Some(branch) => log.arg(format!("{branch}..HEAD")),
        // A copy of a single commit has no other branch to compare with.
        None => log.arg("-1"),
    };
    let subjects = shell.read(&mut log)?;
    Ok(subjects.lines().filter_map(fault).collect())
}

fn landed(shell: &Shell) -> Option<&'static str> {
    MAIN.into_iter().find(|branch| {
        let mut verify = shell.command("git", &["rev-parse", "--verify", "--quiet"]);
        shell.read(verify.arg(branch)).is_ok()
    })
}

fn fault(subject: &str) -> Option<String> {
    let length = subject.chars().count();
    let why = match subject.split_once(": ") {
        _ if length > LONGEST => format!("has {length} characters, at most {LONGEST} are allowed"),
        Some((area, text)) if is_area(area) && text.len() >= SHORTEST => return None,
        _ => String::from("must read `area: what it does`, in the imperative"),
    };
    Some(format!(
        "commit \"{subject}\" {why} (docs/style.md); reword it with git commit --amend or git rebase -i"
    ))
}

fn is_area(area: &str) -> bool {
    area.starts_with(|letter: char| letter.is_ascii_lowercase())
        && area
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || "0123456789_, /-".contains(letter))
}

/// Branches that hold the landed commits; the first one that exists counts.
const MAIN: [&str; 2] = ["origin/main", "main"];
const LONGEST: usize = 72;
/// Length of a text below which it says nothing, such as "fix".
const SHORTEST: usize = 12;

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn a_subject_has_an_area_and_at_most_72_characters() {
        assert_eq!(fault("hub: release the board when a client dies"), None);
        assert_eq!(
            fault("web, wasm: load the tools when they are needed"),
            None
        );
        for bad in [
            "Release the board when a client dies",
            "hub: fix",
            "Hub: release the board",
            &format!("hub: release {}", "the board ".repeat(6)),
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }
}
