//! Rules for files and commits that no compiler checks.

mod arrows;
mod folders;
pub(crate) mod openings;
mod subjects;
mod words;

use crate::build::setup;
use crate::shell::Shell;
use anyhow::{Result, bail};
use std::fs;

/// Checks that every version is pinned, that no lock file names a download address, that folders are small and import
/// in one direction where that is promised, and that the words are those of docs/style.md.
pub(crate) fn check(shell: &Shell) -> Result<()> {
    let files = shell.read(&mut shell.command("git", &["ls-files"]))?;
    let in_files = files.lines().flat_map(|path| in_file(shell, path));
    let in_folders = folders::faults(files.lines());
    let in_commits = subjects::faults(shell)?;
    let faults: Vec<String> = in_files.chain(in_folders).chain(in_commits).collect();
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    words::spelling(shell)?;
    workflows(shell)
}

/// Checks that the workflows and the issue forms are YAML; a fault in one would show only where it runs.
fn workflows(shell: &Shell) -> Result<()> {
    let files = shell.read(&mut shell.command("git", &["ls-files", ".github/*.yml"]))?;
    let python = setup::python_program(shell, "python");
    let mut read = shell.command(python, &["-c", READ_YAML]);
    shell.run(read.args(files.lines()))
}

const READ_YAML: &str = "\
import sys, yaml
for path in sys.argv[1:]:
    try: assert isinstance(yaml.safe_load(open(path)), dict), 'no mapping'
    except Exception as error: sys.exit(f'{path}: {error}')
";

/// Files that were deleted and not yet committed, or are not text, hold no faults.
fn in_file(shell: &Shell, path: &str) -> Vec<String> {
    let text = fs::read_to_string(shell.path(path)).unwrap_or_default();
    [
        faults(path, &text),
        arrows::faults(path, &text),
        openings::faults(path, &text),
        words::faults(path, &text),
    ]
    .concat()
}

fn is_checked(path: &str) -> bool {
    path.ends_with("package-lock.json") || path.ends_with("requirements.txt")
}

fn faults(path: &str, text: &str) -> Vec<String> {
    if !is_checked(path) {
        return Vec::new();
    }
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
