//! The script that installs an archive, with the hash of each archive in it.

use super::archive::Archive;
use super::{VERSION, file};
use crate::shell::Shell;
use anyhow::{Result, ensure};
use std::path::Path;

/// Writes `install.sh` for the archives that it can unpack, and checks that a shell can read it.
pub(crate) fn write(shell: &Shell, folder: &Path, archives: &[Archive]) -> Result<()> {
    let mut hashes = Vec::new();
    for archive in archives
        .iter()
        .filter(|archive| !archive.target.contains("windows"))
    {
        hashes.push((archive.target, file::hash(&archive.path)?));
    }
    ensure!(!hashes.is_empty(), "{} has no archive", folder.display());
    let path = folder.join("install.sh");
    file::write(&path, &script(&hashes))?;
    shell.run(shell.command("sh", &["-n"]).arg(path))
}

fn script(hashes: &[(&str, String)]) -> String {
    let cases = hashes
        .iter()
        .map(|(target, hash)| format!("  {target}) hash={hash} ;;\n"));
    let cases: String = cases.collect();
    TEMPLATE
        .replace("@VERSION@", VERSION)
        .replace("@HASHES@\n", &cases)
}

const TEMPLATE: &str = include_str!("install.sh");

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn the_script_has_the_hash_of_each_archive_and_no_gap() {
        let script = script(&[
            ("x86_64-apple-darwin", "12ab".into()),
            ("aarch64-apple-darwin", "34cd".into()),
        ]);
        assert!(script.contains(
            "\n  x86_64-apple-darwin) hash=12ab ;;\n  aarch64-apple-darwin) hash=34cd ;;\n  *)"
        ));
        assert!(!script.contains('@'), "{script}");
    }
}
