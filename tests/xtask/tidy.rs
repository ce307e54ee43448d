//! Rules for files that no compiler checks.

use crate::shell::Shell;
use anyhow::{Result, bail};
use std::fs;

/// Every version is pinned, and no lock file says where somebody downloaded from.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    let files = shell.read(&mut shell.command("git", &["ls-files"]))?;
    let faults = files
        .lines()
        .flat_map(|path| faults(path, &read(shell, path)))
        .collect::<Vec<_>>();
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// Files that were deleted and not yet committed, or are not text, hold no faults.
fn read(shell: &Shell, path: &str) -> String {
    if is_checked(path) {
        fs::read_to_string(shell.path(path)).unwrap_or_default()
    } else {
        String::new()
    }
}

fn is_checked(path: &str) -> bool {
    path.ends_with("package-lock.json") || path.ends_with("requirements.txt")
}

fn faults(path: &str, text: &str) -> Vec<String> {
    let is_faulty = if path.ends_with(".json") {
        names_a_host
    } else {
        is_unpinned
    };
    let lines = text.lines().enumerate().filter(|(_, line)| is_faulty(line));
    lines
        .map(|(index, line)| format!("{path}:{}: {}", index + 1, line.trim()))
        .collect()
}

/// Other people reach the registry by another name.
fn names_a_host(line: &str) -> bool {
    line.trim().starts_with("\"resolved\": \"http")
}

fn is_unpinned(line: &str) -> bool {
    let requirement = line.split('#').next().unwrap_or_default().trim();
    !requirement.is_empty() && !requirement.contains("==")
}

#[cfg(test)]
mod tests {
    use super::faults;

    #[test]
    fn a_lock_file_with_a_download_address_is_named_with_its_line() {
        let lock = "{\n  \"resolved\": \"https://example.org/a.tgz\"\n}";
        assert_eq!(
            faults("package-lock.json", lock),
            ["package-lock.json:2: \"resolved\": \"https://example.org/a.tgz\""]
        );
        assert!(faults("package-lock.json", "\"resolved\": \"../wasm\"").is_empty());
    }

    #[test]
    fn a_requirement_without_an_exact_version_is_a_fault() {
        let requirements = "# peers\na==1.0  # why\nb>=2\n\n";
        assert_eq!(
            faults("requirements.txt", requirements),
            ["requirements.txt:3: b>=2"]
        );
    }
}
